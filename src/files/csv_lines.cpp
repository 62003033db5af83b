#include "files/csv_lines.hpp"

#include <fmt/format.h>

#include "assay/core/error.hpp"

namespace assay::files {

CsvLines::CsvLines(std::string_view text, const std::string& where)
    : at_(text.data()), end_(text.data() + text.size()), where_(where) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // spreadsheets begin files with it
  if (text.starts_with(kByteOrderMark)) at_ += kByteOrderMark.size();
}

bool CsvLines::next() {
  for (;; ++at_, ++next_line_) {
    skip_blanks();
    if (at_ != end_ && *at_ == '#') {
      while (at_ != end_ && *at_ != '\n') ++at_;
    }
    if (at_ == end_) return false;
    if (*at_ != '\n') break;
  }
  line_ = next_line_;
  fields_.clear();
  unquoted_used_ = 0;
  for (;; ++at_) {
    skip_blanks();
    fields_.push_back(at_ != end_ && *at_ == '"' ? quoted_field() : plain_field());
    if (at_ == end_) return true;
    if (*at_ == ',') continue;
    ++at_;
    ++next_line_;
    return true;
  }
}

std::string_view CsvLines::plain_field() {
  const char* begin = at_;
  while (at_ != end_ && *at_ != ',' && *at_ != '\n') ++at_;
  const char* last = at_;
  while (last != begin && is_blank(last[-1])) --last;
  return {begin, static_cast<std::size_t>(last - begin)};
}

std::string_view CsvLines::quoted_field() {
  const std::uint32_t opened = next_line_;
  const char* begin = ++at_;
  std::string* unquoted = nullptr;
  for (;; ++at_) {
    if (at_ == end_) fail(opened, "a quote is opened here and never closed; a quote inside quotes is \"\"");
    if (*at_ == '\n') ++next_line_;
    if (*at_ != '"') continue;
    if (at_ + 1 == end_ || at_[1] != '"') break;
    if (unquoted == nullptr) {
      if (unquoted_used_ == unquoted_.size()) unquoted_.emplace_back();
      unquoted = &unquoted_[unquoted_used_++];
      unquoted->clear();
    }
    unquoted->append(begin, ++at_);  // includes one of the two quotes
    begin = at_ + 1;
  }
  const std::string_view rest(begin, static_cast<std::size_t>(at_ - begin));
  ++at_;
  skip_blanks();
  if (at_ != end_ && *at_ != ',' && *at_ != '\n') {
    fail(next_line_,
         "after a closing quote comes a comma or the end of the line; a quote inside quotes is \"\"");
  }
  if (unquoted == nullptr) return rest;
  unquoted->append(rest);
  return *unquoted;
}

void CsvLines::fail(std::uint32_t line, const std::string& text) const {
  throw UsageError(fmt::format("{}:{}: {}", where_, line, text));
}

}  // namespace assay::files
