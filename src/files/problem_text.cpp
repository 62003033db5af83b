#include "files/problem_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "assay/core/detail/spec.hpp"
#include "assay/core/error.hpp"
#include "core/utf8.hpp"

namespace assay {
namespace {

/// A text in quotes, as TOML writes it.
std::string toml_text(const std::string& text) {
  if (!is_utf8(text)) {
    throw UsageError(
        fmt::format("'{}' is not UTF-8 and cannot be written to a problem file; rename it", printable(text)));
  }
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (c == '\t') {
      quoted += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      quoted += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

/// An array, on several lines if it is long.
std::string toml_array(const std::vector<std::string>& texts) {
  constexpr std::size_t kLongest = 100;
  std::string all = "[";
  std::size_t line = 0;  // the position of the last line's beginning
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string text = toml_text(texts[i]) + (i + 1 < texts.size() ? "," : "");
    if (all.size() - line + text.size() > kLongest) {
      all += "\n ";
      line = all.size();
    }
    if (i > 0) all += ' ';
    all += text;
  }
  return all + "]";
}

/// Weights in the same proportion that are neither too small nor too large for the reader.
std::vector<double> written_weights(std::vector<double> weights) {
  constexpr double kLeast = 1e-12;
  constexpr double kMost = 1e12;
  if (std::ranges::min(weights) >= kLeast) return weights;
  const double scale = kMost / std::ranges::max(weights);
  for (double& w : weights) w = std::max(kLeast, w * scale);
  return weights;
}

class ProblemWriter {
 public:
  explicit ProblemWriter(const TableFamily& family)
      : f_(family), environments_(static_cast<int>(family.prior().size())) {
    for (const TableFamily::Source& source : family.named_sources()) {
      for (const std::pair<int, int>& place : source.where) sources_.emplace(place, source.name);
    }
  }

  std::string text(const std::string& title) {
    if (!title.empty()) say("name = {}\n", toml_text(title));
    if (f_.horizon() == kEndless) {
      say("horizon = \"endless\"\n");
      if (f_.tolerance() != kCutTolerance) say("tolerance = {}\n", f_.tolerance());
    } else {
      say("horizon = {}\n", f_.horizon());
    }
    if (f_.discount() != 1) say("discount = {}\n", f_.discount());
    put_names("states", f_.states(), [&](int x) { return name_of("state", f_.state_name(x)); });
    put_names("actions", f_.actions(), [&](int a) { return name_of("action", f_.action_name(a)); });
    put_starts();
    put_terminals();
    const std::vector<double> prior = written_weights(f_.prior());
    for (int e = 0; e < environments_; ++e) {
      say("\n[[environment]]\nname = {}\nweight = {}\n",
          toml_text(name_of("environment", f_.environment_name(e))), prior[static_cast<std::size_t>(e)]);
    }
    for (int x = 0; x < f_.states(); ++x) {
      for (int a = kArrive; a < f_.actions(); ++a) put_place(x, a);
    }
    return std::move(text_);
  }

 private:
  using Row = std::span<const TableFamily::Possibility>;

  template <class... Values>
  void say(fmt::format_string<const Values&...> form, const Values&... values) {
    fmt::format_to(std::back_inserter(text_), form, values...);
  }

  static std::string name_of(const std::string& kind, std::string name) {
    if (name == "*" || (kind == "action" && name == "arrive")) {
      throw UsageError(
          fmt::format("a problem file cannot have {} '{}', which has a meaning of its own there; rename it",
                      kind == "state" ? "a state" : "an " + kind, name));
    }
    return name;
  }

  template <class NameOf>
  void put_names(const char* key, int count, const NameOf& name_of_number) {
    std::vector<std::string> names;
    for (int i = 0; i < count; ++i) names.push_back(name_of_number(i));
    say("{} = {}\n", key, toml_array(names));
  }

  void put_starts() {
    std::map<int, double> chances;  // a state may occur twice
    for (const Start& start : f_.starts()) chances[start.state] += start.probability;
    if (chances.size() == 1) {
      say("start = {}\n", toml_text(f_.state_name(chances.begin()->first)));
      return;
    }
    std::vector<double> weights;
    for (const auto& [x, chance] : chances) weights.push_back(chance);
    weights = written_weights(std::move(weights));
    say("start = {{");
    std::size_t i = 0;
    for (const auto& [x, chance] : chances) {
      say("{}{} = {}", i == 0 ? " " : ", ", toml_text(f_.state_name(x)), weights[i]);
      ++i;
    }
    say(" }}\n");
  }

  static bool is_nothing(Row row, int x) { return row.size() == 1 && row[0].outcome == Outcome{x, 0, {}}; }

  /// Does nothing happen in this state, whatever is done?
  [[nodiscard]] bool is_terminal(int x) const {
    for (int a = 0; a < f_.actions(); ++a) {
      for (int e = 0; e < environments_; ++e) {
        if (!is_nothing(f_.row(x, a, e), x)) return false;
      }
    }
    return true;
  }

  void put_terminals() {
    std::vector<std::string> names;
    for (int x = 0; x < f_.states(); ++x) {
      terminal_.push_back(is_terminal(x));
      if (terminal_.back()) names.push_back(f_.state_name(x));
    }
    if (static_cast<int>(names.size()) == f_.states()) {
      terminal_.assign(names.size(), false);  // because a file has at least one outcome
    } else if (!names.empty()) {
      say("terminal = {}\n", toml_array(names));
    }
  }

  /// Writes one outcome for each possibility, with the environments in which it has that probability.
  void put_place(int x, int a) {
    if (a != kArrive && (!f_.allowed(x, a) || terminal_[static_cast<std::size_t>(x)])) return;
    std::vector<std::pair<Row, std::vector<std::string>>> kinds;
    for (int e = 0; e < environments_; ++e) {
      const Row row = f_.row(x, a, e);
      if (a == kArrive && is_nothing(row, x)) continue;  // the default if nothing is said
      const auto same =
          std::ranges::find_if(kinds, [&](const auto& kind) { return std::ranges::equal(kind.first, row); });
      if (same == kinds.end()) {
        kinds.push_back({row, {f_.environment_name(e)}});
      } else {
        same->second.push_back(f_.environment_name(e));
      }
    }
    for (const auto& [row, environments] : kinds) {
      say("\n[[outcome]]\nstate = {}\naction = {}\n", toml_text(f_.state_name(x)),
          a == kArrive ? std::string("\"arrive\"") : toml_text(f_.action_name(a)));
      if (environments.size() == 1 && environments_ > 1) {
        say("environment = {}\n", toml_text(environments[0]));
      } else if (static_cast<int>(environments.size()) < environments_) {
        say("environment = {}\n", toml_array(environments));
      }
      put_row(x, row);
      const auto source = sources_.find({x, a});
      const bool shows =
          std::ranges::any_of(row, [](const auto& p) { return !p.outcome.observation.empty(); });
      if (shows && source != sources_.end()) say("source = {}\n", toml_text(source->second));
    }
  }

  void put_row(int x, Row row) {
    if (row.size() == 1) {
      for (const std::string& part : parts(x, row[0].outcome)) say("{}\n", part);
      return;
    }
    say("options = [\n");
    for (const TableFamily::Possibility& p : row) {
      say("  {{ probability = {}", p.probability);
      for (const std::string& part : parts(x, p.outcome)) say(", {}", part);
      say(" }},\n");
    }
    say("]\n");
  }

  /// Writes only what differs from the default.
  std::vector<std::string> parts(int x, const Outcome& outcome) {
    std::vector<std::string> all;
    if (outcome.reward != 0) all.push_back(fmt::format("reward = {}", outcome.reward));
    if (outcome.next != x) all.push_back("next = " + toml_text(f_.state_name(outcome.next)));
    if (!outcome.observation.empty()) all.push_back("shows = " + toml_text(sign_of(outcome.observation)));
    return all;
  }

  /// A text for each observation, all of them different.
  const std::string& sign_of(const Observation& seen) {
    std::string& sign = signs_[seen];
    if (!sign.empty()) return sign;
    std::string name;
    for (const int i : seen) name += (name.empty() ? "" : ", ") + f_.sign_name(i);
    sign = name;
    for (int again = 2; !used_signs_.insert(sign).second; ++again) sign = fmt::format("{} ({})", name, again);
    return sign;
  }

  const TableFamily& f_;
  int environments_;
  std::map<std::pair<int, int>, std::string> sources_;
  std::vector<bool> terminal_;  // [state]
  std::map<Observation, std::string> signs_;
  std::set<std::string> used_signs_;
  std::string text_;
};

}  // namespace

std::string problem_text(const TableFamily& family, const std::string& title) {
  return ProblemWriter(family).text(title);
}

}  // namespace assay
