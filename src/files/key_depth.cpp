#include "files/key_depth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "assay/core/error.hpp"

namespace assay::files {
namespace {

constexpr std::size_t kDeepest = 100;

/// Reads a text as TOML does, as far as is needed to distinguish keys and brackets from strings and
/// comments. The parser stops at the first error, so that what follows an error does not matter.
class DepthScan {
 public:
  DepthScan(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  void run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        skip_string(c);
      } else if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        take(c);
        ++at_;
      }
      if (header_ + around_ + here_ > kDeepest) fail();
    }
  }

 private:
  void take(char c) {
    const bool blank = c == ' ' || c == '\t';
    if (c == '.') ++here_;
    if (c == '[' && begins_line_) begins_header();
    if (c == '[' || c == '{') push();
    if (c == ']' || c == '}') pop();
    if (c == ',') here_ = 0;
    if (c == '\n') end_line();
    begins_line_ = c == '\n' ? stack_.empty() : begins_line_ && blank;
  }

  void begins_header() {
    in_header_ = true;
    header_ = 0;
    deepest_ = 0;
  }

  void push() {
    stack_.push_back(here_ + 1);
    around_ += here_ + 1;
    here_ = 0;
  }

  void pop() {
    deepest_ = std::max(deepest_, around_ + here_);
    if (!stack_.empty()) {
      around_ -= stack_.back();
      stack_.pop_back();
    }
    here_ = 0;
  }

  /// A key does not continue on the next line. The keys below a header belong to its table.
  void end_line() {
    if (in_header_) header_ = deepest_;
    in_header_ = false;
    here_ = 0;
  }

  /// One quote or three. In strings with the quote ", a backslash escapes the next character; three closing
  /// quotes may be preceded by two more.
  void skip_string(char quote) {
    const std::string three(3, quote);
    const bool many = text_.substr(at_, 3) == three;
    at_ += many ? 3 : 1;
    while (at_ < text_.size()) {
      if (text_[at_] == '\\' && quote == '"') {
        at_ += 2;
      } else if (many && text_.substr(at_, 3) == three) {
        at_ += 3;
        for (int more = 0; more < 2 && at_ < text_.size() && text_[at_] == quote; ++more) ++at_;
        return;
      } else if (!many && (text_[at_] == quote || text_[at_] == '\n')) {
        at_ += text_[at_] == quote ? 1 : 0;
        return;
      } else {
        ++at_;
      }
    }
    at_ = text_.size();
  }

  [[noreturn]] void fail() const {
    const std::string_view before = text_.substr(0, std::min(at_, text_.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t column = before.size() - (before.rfind('\n') + 1);
    throw UsageError(
        fmt::format("{}:{}:{}: tables lie in each other more than {} deep here; no problem needs that",
                    where_, line, std::max<std::size_t>(1, column), kDeepest));
  }

  std::string_view text_;
  const std::string& where_;
  std::size_t at_ = 0;
  std::vector<std::size_t> stack_;  // what each open bracket adds: itself and the parts of the key before it
  std::size_t around_ = 0;          // their sum
  std::size_t here_ = 0;            // dots of the key that is being read
  std::size_t header_ = 0;          // depth of the table whose keys are being read
  std::size_t deepest_ = 0;
  bool begins_line_ = true, in_header_ = false;
};

}  // namespace

void check_key_depth(std::string_view text, const std::string& where) { DepthScan(text, where).run(); }

}  // namespace assay::files
