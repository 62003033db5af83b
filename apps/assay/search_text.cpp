#include "assay/search_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace assay::cli {
namespace {

using nlohmann::ordered_json;

bool has_bounds(double lower, double upper) { return !std::isnan(lower) && !std::isnan(upper); }

const ViewedAction* viewed_action(const SearchView& view, int action) {
  const auto found = std::ranges::find(view.actions, action, &ViewedAction::action);
  return found == view.actions.end() ? nullptr : &*found;
}

/// The other action with the largest `number`; none if no other action has that number.
const ViewedAction* largest_other(const SearchView& view, int chosen, double ViewedAction::*number) {
  const ViewedAction* best = nullptr;
  for (const ViewedAction& one : view.actions) {
    if (one.action == chosen || std::isnan(one.*number)) continue;
    if (best == nullptr || one.*number > best->*number) best = &one;
  }
  return best;
}

std::string simulations_text(const SearchView& view) {
  std::string text = fmt::format("{} simulation{}", view.simulations, view.simulations == 1 ? "" : "s");
  if (view.playouts > 0) text += fmt::format(" and {} playouts", view.playouts);
  return text;
}

/// None if the upper bound was not estimated.
std::string drawn_text(const SearchView& view) {
  return view.upper_error > 0 ? fmt::format(" (the upper bound is drawn, standard error {})",
                                            searched_number(view.upper_error))
                              : "";
}

std::string percent_text(double probability) {
  if (probability > 0 && probability < 0.005) return "<1 %";
  return fmt::format("{:.0f} %", 100 * probability);
}

std::string news_text(const Problem& problem, int state, int action, const Outcome& o) {
  std::string text = o.reward != 0 ? fmt::format(", reward {}", o.reward) : "";
  if (!o.observation.empty()) text += ", sees " + problem.observation_text(state, action, o.observation);
  return text;
}

std::string successor_text(const Problem& problem, int from, int action, const ViewedSuccessor& to) {
  return problem.state_name(to.state) + news_text(problem, from, action, to.acted) +
         news_text(problem, to.state, kArrive, to.arrived);
}

/// A planner may distinguish successors by more than it can describe: such successors get numbers.
std::vector<std::string> successor_texts(const Problem& problem, int from, const ViewedAction& of) {
  std::vector<std::string> plain;
  for (const ViewedSuccessor& to : of.successors)
    plain.push_back(successor_text(problem, from, of.action, to));
  std::vector<std::string> texts = plain;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (std::ranges::count(plain, plain[i]) == 1) continue;
    const auto before = std::count(plain.begin(), plain.begin() + static_cast<std::ptrdiff_t>(i), plain[i]);
    texts[i] += fmt::format(" (outcome {})", before + 1);
  }
  return texts;
}

class TreeWriter {
 public:
  explicit TreeWriter(const Problem& problem) : problem_(problem) {}

  /// Marks the action `chosen`; -1 for none.
  void actions(const std::vector<ViewedAction>& all, int state, int chosen, std::size_t indent) {
    std::size_t name_width = 0;
    std::size_t visit_width = 0;
    for (const ViewedAction& one : all) {
      name_width = std::max(name_width, problem_.action_name(one.action).size());
      visit_width = std::max(visit_width, fmt::formatted_size("{}", one.visits));
    }
    for (const ViewedAction& one : all) {
      std::string line =
          fmt::format("{}{} {:<{}}  {:>{}} {}", std::string(indent, ' '), one.action == chosen ? '>' : ' ',
                      problem_.action_name(one.action), name_width, one.visits, visit_width,
                      one.visits == 1 ? "visit " : "visits");
      if (!std::isnan(one.value)) line += fmt::format("  value {}", searched_number(one.value));
      if (has_bounds(one.lower, one.upper)) {
        line += fmt::format("  bounds {} to {}", searched_number(one.lower), searched_number(one.upper));
      }
      lines_.push_back(std::move(line));
      successors(one, state, indent + kStep);
    }
  }

  std::vector<std::string> take() { return std::move(lines_); }

 private:
  static constexpr std::size_t kStep = 4;

  void successors(const ViewedAction& of, int state, std::size_t indent) {
    const std::vector<std::string> texts = successor_texts(problem_, state, of);
    const std::size_t shown = std::min(texts.size(), kShownSuccessors);
    double rest = 1;
    for (std::size_t i = 0; i < shown; ++i) {
      const ViewedSuccessor& to = of.successors[i];
      rest -= to.probability;
      lines_.push_back(
          fmt::format("{}{:>5}  {}", std::string(indent, ' '), percent_text(to.probability), texts[i]));
      actions(to.actions, to.state, -1, indent + kStep + 3);
    }
    const std::uint64_t more = of.more_successors + (texts.size() - shown);
    if (more > 0) {
      lines_.push_back(fmt::format("{}and {} more ({})", std::string(indent + 1, ' '), more,
                                   percent_text(std::clamp(rest, 0.0, 1.0))));
    }
  }

  const Problem& problem_;
  std::vector<std::string> lines_;
};

ordered_json known_number(double value) { return std::isnan(value) ? ordered_json() : ordered_json(value); }

ordered_json viewed_outcome(const Outcome& o) {
  return {{"reward", o.reward}, {"observation", o.observation}};
}

ordered_json viewed_actions(const Problem& problem, const std::vector<ViewedAction>& actions) {
  ordered_json all = ordered_json::array();
  for (const ViewedAction& one : actions) {
    ordered_json successors = ordered_json::array();
    for (const ViewedSuccessor& to : one.successors) {
      successors.push_back({{"probability", to.probability},
                            {"state", to.state},
                            {"state_name", problem.state_name(to.state)},
                            {"acted", viewed_outcome(to.acted)},
                            {"arrived", viewed_outcome(to.arrived)},
                            {"visits", to.visits},
                            {"actions", viewed_actions(problem, to.actions)}});
    }
    all.push_back({{"action", one.action},
                   {"name", problem.action_name(one.action)},
                   {"visits", one.visits},
                   {"value", known_number(one.value)},
                   {"lower", known_number(one.lower)},
                   {"upper", known_number(one.upper)},
                   {"ends", successors},
                   {"more_ends", one.more_successors}});
  }
  return all;
}

/// Why the other actions are worse, where the search can say.
std::string certain_text(const Problem& problem, const SearchView& view, const ViewedAction& taken) {
  const ViewedAction* rival = largest_other(view, taken.action, &ViewedAction::upper);
  const std::string name = problem.action_name(taken.action);
  if (rival == nullptr || std::isnan(taken.lower) || taken.lower < rival->upper) {
    return fmt::format("It takes '{}', and no other action can be better{}.", name, drawn_text(view));
  }
  return fmt::format(
      "It takes '{}', and no other action can be better: this is worth at least {}, and the next, '{}', at "
      "most {}{}.",
      name, searched_number(taken.lower), problem.action_name(rival->action), searched_number(rival->upper),
      drawn_text(view));
}

std::string open_text(const Problem& problem, const SearchView& view, const ViewedAction& taken) {
  std::string text = fmt::format("It takes '{}', which is worth {} to {}.", problem.action_name(taken.action),
                                 searched_number(taken.lower), searched_number(taken.upper));
  const ViewedAction* rival = largest_other(view, taken.action, &ViewedAction::upper);
  text += " That it is the best is not certain";
  if (rival != nullptr && rival->upper > taken.lower) {
    text += fmt::format(": '{}' could still be worth up to {}", problem.action_name(rival->action),
                        searched_number(rival->upper));
  }
  if (has_bounds(view.lower, view.upper)) {
    text +=
        fmt::format("; a gap of {} remains{}", searched_number(view.upper - view.lower), drawn_text(view));
  }
  return text + ".";
}

std::string average_text(const Problem& problem, const SearchView& view, const ViewedAction& taken) {
  const ViewedAction* rival = largest_other(view, taken.action, &ViewedAction::value);
  return fmt::format(
      "It takes '{}', which its simulations value at {} on average{}. These are averages without "
      "bounds: their error is not known.",
      problem.action_name(taken.action), searched_number(taken.value),
      rival == nullptr ? ""
                       : fmt::format("; '{}' comes next with {}", problem.action_name(rival->action),
                                     searched_number(rival->value)));
}

}  // namespace

std::string searched_number(double value) {
  return std::isnan(value) ? "?" : fmt::format("{:.4g}", value == 0 ? 0 : value);
}

std::string search_summary(const SearchView& view, int chosen) {
  std::string text = simulations_text(view);
  const ViewedAction* taken = viewed_action(view, chosen);
  if (taken != nullptr && !std::isnan(taken->value)) {
    text += fmt::format(", value {}", searched_number(taken->value));
  }
  if (has_bounds(view.lower, view.upper)) {
    text += fmt::format(", bounds {} to {} (gap {})", searched_number(view.lower),
                        searched_number(view.upper), searched_number(view.upper - view.lower));
  }
  if (view.certain) text += ", best action is certain";
  if (view.timed) text += " (by time: another run may differ)";
  return text;
}

std::string search_reason(const Problem& problem, const SearchView& view, int chosen) {
  const ViewedAction* taken = viewed_action(view, chosen);
  std::string why;
  if (taken == nullptr || (view.actions.size() == 1 && !view.certain)) {
    why = fmt::format("It takes '{}'.", problem.action_name(chosen));
  } else if (view.certain) {
    why = certain_text(problem, view, *taken);
  } else if (has_bounds(taken->lower, taken->upper)) {
    why = open_text(problem, view, *taken);
  } else {
    why = average_text(problem, view, *taken);
  }
  return why + (view.timed ? fmt::format(" It searched for a time, which was {}: another run may differ.",
                                         simulations_text(view))
                           : fmt::format(" It used {}: another run with the same seed finds the same.",
                                         simulations_text(view)));
}

std::vector<std::string> search_tree_lines(const Problem& problem, const SearchView& view, int state,
                                           int chosen) {
  TreeWriter writer(problem);
  writer.actions(view.actions, state, chosen, 4);
  return writer.take();
}

ordered_json search_json(const Problem& problem, const SearchView& view) {
  return {{"simulations", view.simulations},
          {"playouts", view.playouts},
          {"timed", view.timed},
          {"certain", view.certain},
          {"lower", known_number(view.lower)},
          {"upper", known_number(view.upper)},
          {"upper_error", view.upper_error},
          {"actions", viewed_actions(problem, view.actions)}};
}

}  // namespace assay::cli
