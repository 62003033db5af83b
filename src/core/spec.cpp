#include "assay/core/detail/spec.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "assay/core/error.hpp"
#include "core/slip.hpp"
#include "core/utf8.hpp"

namespace assay {
namespace {

/// Names consist of letters, digits and underscores; values may also have what numbers and words need.
bool is_name_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_value_char(char c) { return is_name_char(c) || c == '.' || c == '-' || c == '+'; }

class SpecReader {
 public:
  explicit SpecReader(std::string_view text) : text_(text) {}

  Spec read() {
    Spec spec;
    spec.name = word(is_name_char, "a name such as t_maze");
    if (accept('(') && !accept(')')) {
      do {
        setting(spec);
      } while (accept(','));
      if (!accept(')')) fail("',' or ')'");
    }
    skip_blanks();
    if (at_ < text_.size()) fail("the end");
    return spec;
  }

 private:
  void setting(Spec& spec) {
    skip_blanks();
    const std::size_t column = at_ + 1;
    const std::string key = word(is_name_char, "a parameter name");
    if (!accept('=')) fail(fmt::format("'=' and a value for {}", key));
    const std::string value = word(is_value_char, fmt::format("a value for {}", key));
    const auto same = std::ranges::find(spec.settings, key, &Spec::Setting::key);
    if (same != spec.settings.end()) {
      throw UsageError(fmt::format("{}: {} is given twice ({}={}, then {}={} at column {}); give it once",
                                   spec.name, key, key, same->value, key, value, column));
    }
    spec.settings.push_back({key, value});
  }

  template <class Predicate>
  std::string word(Predicate belongs, std::string_view expected) {
    skip_blanks();
    const std::size_t begin = at_;
    while (at_ < text_.size() && belongs(text_[at_])) ++at_;
    if (at_ == begin) fail(expected);
    return std::string(text_.substr(begin, at_ - begin));
  }

  bool accept(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  [[noreturn]] void fail(std::string_view expected) const {
    throw UsageError(
        fmt::format("cannot read '{}': expected {} at column {}; the form is name(key=value,...)",
                    printable(text_), expected, at_ + 1));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

constexpr std::size_t kLongestName = 64;  // a longer name is no typing error; this bounds the work

/// False for control characters and for characters that invisibly change the direction or the place of the
/// text.
bool is_seen(std::uint32_t code) {
  if (code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xad || code == 0xfeff) return false;
  if ((code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e)) return false;
  if ((code >= 0x2060 && code <= 0x206f) || (code >= 0xfff9 && code <= 0xfffb)) return false;
  return code < 0xe0000 || code > 0xe0fff;
}

std::string escaped(std::uint32_t code) {
  switch (code) {
    case '\t':
      return "\\t";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    default:
      return code <= 0xffff ? fmt::format("\\u{:04x}", code) : fmt::format("\\U{:08x}", code);
  }
}

/// The number of edits (insert, delete, replace, swap neighbours) from one word to the other, without regard
/// to case.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const auto same = [](char c, char d) {
    return std::tolower(static_cast<unsigned char>(c)) == std::tolower(static_cast<unsigned char>(d));
  };
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = d[i - 1][j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, replace});
      const bool swapped = i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]);
      if (swapped) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

Spec parse_spec(std::string_view text) { return SpecReader(text).read(); }

std::string short_name(std::string_view text) {
  text = text.substr(0, text.find_first_of("(#"));
  const std::size_t folder = text.rfind('/');
  if (folder != std::string_view::npos) text.remove_prefix(folder + 1);
  if (text.ends_with(".toml")) text.remove_suffix(5);
  return std::string(text);
}

std::string printable(std::string_view text, std::size_t longest) {
  std::string clean;
  std::size_t used = 0;
  while (!text.empty()) {
    const Character first = first_character(text);
    const std::size_t length = std::max<std::size_t>(1, first.length);
    used += length;
    if (used > longest) return clean + "...";
    if (first.length == 0) {
      clean += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    } else if (is_seen(first.code)) {
      clean += text.substr(0, length);
    } else {
      clean += escaped(first.code);
    }
    text.remove_prefix(length);
  }
  return clean;
}

bool is_slip_of(std::string_view given, std::string_view name) {
  if (given.size() > kLongestName || name.size() > kLongestName) return false;
  return edit_distance(given, name) <= std::max<std::size_t>(1, name.size() / 3);
}

std::string nearest_name(std::string_view given, const std::vector<std::string>& known) {
  if (given.size() > kLongestName) return "";
  std::string nearest;
  std::size_t fewest = std::max<std::size_t>(2, given.size() / 2) + 1;
  for (const std::string& name : known) {
    const std::size_t edits = edit_distance(given, name);
    if (edits < fewest) {
      fewest = edits;
      nearest = name;
    }
  }
  return nearest;
}

std::string unknown_name_message(std::string_view kind, std::string_view given,
                                 const std::vector<std::string>& known) {
  const std::string nearest = nearest_name(given, known);
  const std::string hint = nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest);
  return fmt::format("unknown {} '{}'{} (known: {})", kind, printable(given), hint, fmt::join(known, ", "));
}

}  // namespace assay
