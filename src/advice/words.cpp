#include "advice/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace assay::advice {
namespace {

std::string group_text(const std::vector<std::string>& group) {
  constexpr std::size_t kMostNames = 2;
  std::string text;
  for (std::size_t i = 0; i < std::min(group.size(), kMostNames); ++i)
    text += (i == 0 ? "" : " or ") + group[i];
  return group.size() > kMostNames ? fmt::format("{} or {} more", text, group.size() - kMostNames) : text;
}

class Speaker {
 public:
  Speaker(const Problem& problem, const Explanation& explanation)
      : problem_(problem), all_(explanation.actions) {
    for (const ActionWorth& a : all_) {
      scale_ = std::max({scale_, std::abs(a.value.lower), std::abs(a.current)});
      if (std::isfinite(a.value.upper)) scale_ = std::max(scale_, std::abs(a.value.upper));
    }
  }

  [[nodiscard]] std::string speak() const {
    const ActionWorth& best = all_.front();
    if (all_.size() == 1) return fmt::format("Only {} can be done here.", name(best));
    const ActionWorth& next = all_[1];
    const double more = best.value.lower - next.value.upper;
    if (more > rounding()) {
      return fmt::format("{} now is worth {}{} more than {}{}.{}", capital(name(best)),
                         is_exact(best) && is_exact(next) ? "" : "at least ", amount(more), name(next),
                         reason(best, next), better_look(best));
    }
    if (is_exact(best) && is_exact(next)) return tie(best);
    return fmt::format("{} looks best, but that is not proven: it is worth {} to {}, {} is worth {} to {}{}.",
                       capital(name(best)), amount(best.value.lower), amount(best.value.upper), name(next),
                       amount(next.value.lower), amount(next.value.upper), reason(best, next));
  }

 private:
  [[nodiscard]] double rounding() const { return 1e-6 * std::max(scale_, 1e-300); }
  /// Four digits are enough for a sentence.
  [[nodiscard]] std::string amount(double value) const {
    return fmt::format("{:.4g}", std::abs(value) <= rounding() ? 0.0 : value);
  }
  [[nodiscard]] bool is_exact(const ActionWorth& a) const {
    return a.value.upper - a.value.lower <= rounding();
  }
  [[nodiscard]] std::string name(const ActionWorth& a) const {
    return "'" + problem_.action_name(a.action) + "'";
  }
  static std::string capital(std::string text) {
    const std::size_t first = text.find_first_not_of('\'');
    if (first != std::string::npos)
      text[first] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[first])));
    return text;
  }

  [[nodiscard]] std::string tie(const ActionWorth& best) const {
    std::string names = name(best);
    std::size_t same = 1;
    while (same < all_.size() && best.value.lower - all_[same].value.lower <= rounding()) {
      names +=
          (same + 1 == all_.size() || all_[same + 1].value.lower < best.value.lower - rounding() ? " and "
                                                                                                 : ", ") +
          name(all_[same]);
      ++same;
    }
    const std::string what = same == all_.size() && best.future() <= rounding()
                                 ? "nothing that could be found out changes that"
                                 : fmt::format("each {}", amount(best.value.lower));
    return fmt::format("{} are worth the same: {}.", capital(names), what);
  }

  /// Why the best action is better than the next.
  [[nodiscard]] std::string reason(const ActionWorth& best, const ActionWorth& next) const {
    if (best.cashed > rounding()) {
      std::string text =
          fmt::format(": what it shows is expected to raise what can be collected from {} to {}",
                      amount(best.current), amount(best.current + best.cashed));
      const std::string apart = apart_text(best);
      if (!apart.empty()) text += fmt::format("; it tells {}", apart);
      return text;
    }
    if (best.future() > rounding()) {
      std::string text = fmt::format(": of its {}, {} is the value of what can be found out from there",
                                     amount(best.value.lower), amount(best.future()));
      if (next.current - best.current > rounding()) {
        text += fmt::format(", though with what is known now {} would collect {} more", name(next),
                            amount(next.current - best.current));
      }
      return text;
    }
    return ": with what is known now it collects the most, and finding out more does not pay";
  }

  /// An action that shows more, although it does not pay.
  [[nodiscard]] std::string better_look(const ActionWorth& best) const {
    const auto look = std::ranges::max_element(all_, {}, &ActionWorth::cashed);
    const double costs = best.value.lower - look->value.upper;
    if (look->cashed <= best.cashed + rounding() || costs <= rounding()) return "";
    return fmt::format(" {} would show more, worth {}, but takes more than that: it is {} behind.",
                       capital(name(*look)), amount(look->cashed), amount(costs));
  }

  const Problem& problem_;
  const std::vector<ActionWorth>& all_;
  double scale_ = 0;
};

}  // namespace

std::string apart_text(const ActionWorth& worth) {
  constexpr std::size_t kMostGroups = 3;
  constexpr double kSure = 1 - 1e-9;
  if (worth.tells_apart.size() < 2) return "";
  std::string text;
  for (std::size_t g = 0; g < std::min(worth.tells_apart.size(), kMostGroups); ++g) {
    text += (g == 0 ? "" : " from ") + group_text(worth.tells_apart[g]);
  }
  if (worth.tells_apart.size() > kMostGroups) {
    text += fmt::format(" from {} others", worth.tells_apart.size() - kMostGroups);
  }
  if (worth.guessed < kSure) {
    text += fmt::format(" (a right guess {:.0f} % of the time, {:.0f} % without)", 100 * worth.guessed,
                        100 * worth.guessed_before);
  }
  return text;
}

std::string words(const Problem& problem, const Explanation& explanation) {
  return Speaker(problem, explanation).speak();
}

}  // namespace assay::advice
