#include "report/why.hpp"

#include <fmt/format.h>

#include <cmath>

namespace assay {
namespace {

std::string hundredths(double value) {
  std::string text = fmt::format("{:.2f}", value);
  return text == "-0.00" ? "0.00" : text;
}

bool looks_zero(double value) { return hundredths(value) == "0.00"; }

/// A difference that the text does not show is not mentioned.
bool looks_more(double a, double b) { return a > b && hundredths(a) != hundredths(b); }

double worth_in(const std::vector<double>& map, int place) { return map[static_cast<std::size_t>(place)]; }

std::string capital(std::string text) {
  const std::size_t first = text.find_first_not_of('\'');
  // Only ASCII letters are changed, because names may be in any alphabet.
  if (first != std::string::npos && text[first] >= 'a' && text[first] <= 'z') {
    text[first] = static_cast<char>(text[first] - 'a' + 'A');
  }
  return text;
}

class Reasons {
 public:
  Reasons(const Problem& problem, const Places& places, const TraceStep& step, bool drawn)
      : problem_(problem), places_(places), step_(step), drawn_(drawn) {}

  [[nodiscard]] std::string of_choice() const {
    if (!step_.total.empty()) return by_its_own_values();
    if (!step_.current.empty() && !step_.bound.empty()) return by_what_is_known();
    return "";
  }

  [[nodiscard]] std::string of_cashing() const {
    if (looks_zero(step_.cashed)) return "";
    const bool arriving = places_.kind() == Places::Kind::kArrival;
    return fmt::format("What it {} made its knowledge worth {} {}.",
                       arriving ? "learned here" : "then learned", hundredths(std::abs(step_.cashed)),
                       step_.cashed > 0 ? "more" : "less");
  }

 private:
  [[nodiscard]] std::string by_its_own_values() const {
    const double worth = step_.at.total;
    if (!std::isfinite(worth)) return "";
    std::string text = fmt::format("{} is worth {} to it", capital(chosen_name()), hundredths(worth));
    if (!step_.future.empty()) {
      text += looks_zero(step_.at.future)
                  ? ", all of it with what is known now"
                  : fmt::format(": {} with what is known now, {} from what can be found out",
                                hundredths(step_.at.current), hundredths(step_.at.future));
    }
    const Places::Option* other = best_other(step_.total);
    if (other == nullptr) return text + ".";
    const double others = worth_in(step_.total, other->place);
    if (looks_more(worth, others)) {
      return fmt::format("{}; next best is {} with {}.", text, name(*other), hundredths(others));
    }
    if (!looks_more(others, worth)) return fmt::format("{}; {} is worth as much.", text, name(*other));
    return fmt::format("{}. Not the best by these numbers: {} would be worth {}{}.", text, name(*other),
                       hundredths(others), drawn_ ? "; it chose by draws of its own" : "");
  }

  [[nodiscard]] std::string by_what_is_known() const {
    const double worth = step_.at.current;
    const double more = step_.at.bound;
    if (!std::isfinite(worth) || !std::isfinite(more)) return "";
    const std::string text =
        fmt::format("With what is known now, {} is worth {}", chosen_name(), hundredths(worth));
    const std::string bound = looks_zero(more)
                                  ? "knowing more would add nothing"
                                  : fmt::format("knowing more could add at most {}", hundredths(more));
    const Places::Option* other = best_other(step_.current);
    if (other == nullptr) return fmt::format("{}; {}.", text, bound);
    const double others = worth_in(step_.current, other->place);
    if (looks_more(worth, others)) {
      return fmt::format("{}, before {} with {}; {}.", text, name(*other), hundredths(others), bound);
    }
    if (!looks_more(others, worth)) return fmt::format("{}, as much as {}; {}.", text, name(*other), bound);
    // Giving up a known reward may be right for the sake of what will be learned.
    const char* by = looks_more(others, worth + more) ? "these numbers" : "what is known";
    return fmt::format("{}; {}. Not the best by {}: {} would be worth {}.", text, bound, by, name(*other),
                       hundredths(others));
  }

  /// The best option that leads elsewhere. None where actions are the places, because the map then holds the
  /// best of them.
  [[nodiscard]] const Places::Option* best_other(const std::vector<double>& map) const {
    if (places_.kind() == Places::Kind::kChoice) return nullptr;
    const Places::Option* best = nullptr;
    for (const Places::Option& option : places_.options(step_.state)) {
      const double value = worth_in(map, option.place);
      if (option.place == step_.outcome.next || !std::isfinite(value)) continue;
      if (best == nullptr || value > worth_in(map, best->place)) best = &option;
    }
    return best;
  }

  [[nodiscard]] std::string chosen_name() const {
    if (places_.kind() == Places::Kind::kChoice) return "the best choice here";
    return name({step_.action, step_.outcome.next, step_.outcome.next});
  }

  [[nodiscard]] std::string name(const Places::Option& option) const {
    const std::string action = fmt::format("'{}'", problem_.action_name(option.action));
    return option.next == step_.state ? action : action + " to " + problem_.state_name(option.next);
  }

  const Problem& problem_;
  const Places& places_;
  const TraceStep& step_;
  bool drawn_;
};

}  // namespace

std::string why_text(const Problem& problem, const Places& places, const TraceStep& step, int collections,
                     bool drawn) {
  if (collections == 0) return "The last step: nothing is left to collect, so any choice will do.";
  const Reasons reasons(problem, places, step, drawn);
  const std::string choice = reasons.of_choice();
  if (choice.empty()) return "";
  const std::string cashing = reasons.of_cashing();
  return cashing.empty() ? choice : choice + " " + cashing;
}

}  // namespace assay
