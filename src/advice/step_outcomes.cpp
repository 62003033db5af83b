#include "advice/step_outcomes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "assay/core/error.hpp"

namespace assay::advice {
namespace {

using Open = StepOutcome::Open;

constexpr std::size_t kMostOutcomes = 10'000;  // as many are listed

/// None if there are too many outcomes, or a continuum of them.
std::optional<std::vector<Belief::Prediction>> listed(const Belief& belief, int state, int action,
                                                      std::size_t most) {
  try {
    return belief.predict(state, action, most);
  } catch (const LimitError&) {
    return std::nullopt;
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

/// The states to which an action may lead.
std::vector<int> successors(const Belief& belief, int state, int action) {
  std::set<int> all;
  if (belief.expects_transitions()) {
    for (const Mdp::Arc& arc : belief.expected_arcs(state, action)) all.insert(arc.next);
  } else {
    for (int x = 0; x < belief.states(); ++x) all.insert(x);
  }
  return {all.begin(), all.end()};
}

std::string joined(const std::string& first, const std::string& second) {
  return first + (first.empty() || second.empty() ? "" : ", ") + second;
}

Observation joined(Observation first, const Observation& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

bool leads_there(const StepOutcome& step, const Reading& reading) {
  return !reading.to || *reading.to == step.acted.next;
}

bool pays_that(const StepOutcome& step, const Reading& reading) {
  return !reading.pays || std::abs(step.pays() - *reading.pays) <= 1e-9 * (1 + std::abs(step.pays()));
}

/// Numbers are compared only if `as_numbers`, because an observation may have the number of another one as
/// its name.
bool shows_that(const StepOutcome& step, const Reading& reading, bool as_numbers) {
  if (!reading.sees) return true;
  return as_numbers ? numbers_in(*reading.sees) == step.numbers() : *reading.sees == step.sees();
}

/// The rewards that may be meant if a reward is the difference of two written ones.
std::vector<double> rewards_near(double reward) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  std::vector<double> all;
  for (const double r : {reward, std::round(reward * 1e9) / 1e9}) {
    all.insert(all.end(), {r, std::nextafter(r, -kInfinite), std::nextafter(r, kInfinite)});
  }
  return all;
}

/// The part of `said` that is about the open one of the two outcomes, as text.
std::optional<std::string_view> rest_of(std::string_view said, const StepOutcome& open) {
  const bool first = open.open == Open::kArrival;  // the known outcome comes first
  const std::string& known = first ? open.acted_text : open.arrived_text;
  if (known.empty()) return said;
  if (said == known) return std::string_view();
  const std::string mark = first ? known + ", " : ", " + known;
  if (first ? !said.starts_with(mark) : !said.ends_with(mark)) return std::nullopt;
  return first ? said.substr(mark.size()) : said.substr(0, said.size() - mark.size());
}

/// The same for observations as numbers.
std::optional<Observation> rest_of(const Observation& said, const StepOutcome& open) {
  const bool first = open.open == Open::kArrival;
  const Observation& known = first ? open.acted.observation : open.arrived.observation;
  if (said.size() < known.size()) return std::nullopt;
  const auto rest = static_cast<std::ptrdiff_t>(said.size() - known.size());
  const auto begin = first ? said.begin() : said.begin() + rest;
  if (!std::equal(known.begin(), known.end(), begin)) return std::nullopt;
  return first ? Observation(said.end() - rest, said.end()) : Observation(said.begin(), said.begin() + rest);
}

}  // namespace

std::string StepOutcome::sees() const { return joined(acted_text, arrived_text); }
Observation StepOutcome::numbers() const { return joined(acted.observation, arrived.observation); }

StepOutcomes::StepOutcomes(const Problem& problem, const Situation& before, int action)
    : problem_(problem), before_(before), action_(action) {
  if (action != kArrive) {
    list_action();
    return;
  }
  for (const Start& start : problem.starts()) {
    if (start.probability <= 0) continue;
    StepOutcome step;
    step.acted.next = start.state;
    list_arrivals(std::move(step), before.belief());
  }
}

void StepOutcomes::list_action() {
  const Belief& now = before_.belief();
  const auto predictions = listed(now, before_.state(), action_, kMostOutcomes);
  if (!predictions) return list_open_action();
  for (const Belief::Prediction& p : *predictions) {
    if (p.probability <= 0) continue;
    const std::unique_ptr<Belief> after = now.clone();
    after->observe(before_.state(), action_, p.outcome);
    StepOutcome step;
    step.acted = p.outcome;
    list_arrivals(std::move(step), *after);
  }
}

void StepOutcomes::list_open_action() {
  const Belief& now = before_.belief();
  Rng any(0);
  StepOutcome step;
  step.open = Open::kAction;
  step.acted = now.draw_outcome(before_.state(), action_, any);
  for (const int next : successors(now, before_.state(), action_)) {
    step.acted.next = next;
    list_arrivals(step, now);
  }
}

void StepOutcomes::list_arrivals(StepOutcome step, const Belief& after) {
  const int x = step.acted.next;
  const auto predictions = listed(after, x, kArrive, kMostOutcomes - std::min(all_.size(), kMostOutcomes));
  if (!predictions) {
    Rng any(0);
    step.arrived = after.draw_outcome(x, kArrive, any);
    step.open = step.open == Open::kAction ? Open::kBoth : Open::kArrival;
    return add(std::move(step));
  }
  for (const Belief::Prediction& p : *predictions) {
    if (p.probability <= 0) continue;
    step.arrived = p.outcome;
    add(step);
  }
}

void StepOutcomes::add(StepOutcome step) {
  if (action_ != kArrive) {
    step.acted_text = problem_.observation_text(before_.state(), action_, step.acted.observation);
  }
  step.arrived_text = problem_.observation_text(step.acted.next, kArrive, step.arrived.observation);
  all_.push_back(std::move(step));
}

std::vector<StepOutcome> StepOutcomes::fitting(const std::vector<Reading>& readings) const {
  std::vector<StepOutcome> all;
  for (const bool as_numbers : {false, true}) {
    for (const StepOutcome& step : all_) {
      const bool fits = std::ranges::any_of(readings, [&](const Reading& reading) {
        return leads_there(step, reading) && pays_that(step, reading) &&
               shows_that(step, reading, as_numbers);
      });
      if (fits && step.open == Open::kNothing) all.push_back(step);
    }
    if (!all.empty()) break;
  }
  for (const StepOutcome& open : all_) {
    if (open.open == Open::kNothing) continue;
    std::optional<StepOutcome> found;
    bool undecided = false;
    for (const Reading& reading : readings) {
      if (!leads_there(open, reading)) continue;
      if (!found) found = filled(open, reading);
      undecided = undecided || !decides(open, reading);
    }
    if (found || undecided) all.push_back(found.value_or(open));
  }
  return all;
}

std::vector<Observation> StepOutcomes::observations(const StepOutcome& open, const Reading& reading) const {
  if (open.open == Open::kBoth) return {};
  if (!reading.sees) return {Observation()};
  const bool acting = open.open == Open::kAction;
  const int state = acting ? before_.state() : open.acted.next;
  std::vector<Observation> all;
  const std::optional<std::string_view> text = rest_of(*reading.sees, open);
  if (text && text->empty()) all.emplace_back();
  if (text && !text->empty()) {
    if (auto seen = problem_.observation_named(state, acting ? action_ : kArrive, *text))
      all.push_back(*seen);
  }
  if (const std::optional<Observation> numbers = numbers_in(*reading.sees)) {
    if (auto seen = rest_of(*numbers, open)) all.push_back(*seen);
  }
  return all;
}

std::optional<StepOutcome> StepOutcomes::filled(const StepOutcome& open, const Reading& reading) const {
  if (!reading.pays) return std::nullopt;
  const bool acting = open.open == Open::kAction;
  const double known = acting ? open.arrived.reward : open.acted.reward;
  for (const Observation& seen : observations(open, reading)) {
    for (const double reward : rewards_near(*reading.pays - known)) {
      StepOutcome step = open;
      step.open = Open::kNothing;
      (acting ? step.acted : step.arrived) = {open.acted.next, reward, seen};
      if (possible(step)) return step;
    }
  }
  return std::nullopt;
}

bool StepOutcomes::decides(const StepOutcome& open, const Reading& reading) const {
  if (open.open == Open::kBoth) return false;
  return reading.sees && (reading.pays || observations(open, reading).empty());
}

bool StepOutcomes::possible(const StepOutcome& step) const {
  try {
    const std::unique_ptr<Belief> after = before_.belief().clone();
    if (action_ != kArrive) after->observe(before_.state(), action_, step.acted);
    after->observe(step.acted.next, kArrive, step.arrived);
  } catch (const ImpossibleEvidence&) {
    return false;
  }
  return true;
}

std::string StepOutcomes::complaint(const std::vector<Reading>& readings) const {
  const bool says_where =
      std::ranges::any_of(readings, [](const Reading& reading) { return reading.to.has_value(); });
  std::vector<StepOutcome> meant;
  for (const StepOutcome& step : all_) {
    const auto there = [&](const Reading& reading) {
      return reading.to.has_value() == says_where && leads_there(step, reading);
    };
    if (std::ranges::any_of(readings, there)) meant.push_back(step);
  }
  if (meant.empty()) meant = all_;
  const auto open = [](const StepOutcome& step) { return step.open != Open::kNothing; };
  if (!std::ranges::all_of(meant, open))
    return "that cannot happen; possible: " + descriptions(meant, readings);
  if (std::ranges::all_of(meant, [](const StepOutcome& step) { return step.open == Open::kBoth; })) {
    return "there are too many outcomes to name one in words";
  }
  return "there are too many outcomes to list; say all that is seen and paid: " + descriptions(meant, {});
}

std::string StepOutcomes::descriptions(const std::vector<StepOutcome>& of,
                                       const std::vector<Reading>& said) const {
  std::set<std::string> seen;
  std::set<double> paid;
  std::set<int> reached;
  for (const StepOutcome& step : of) {
    seen.insert(step.sees());
    paid.insert(step.pays());
    reached.insert(step.acted.next);
  }
  const auto is_said = [&](const auto& part) {
    return std::ranges::any_of(said, [&](const Reading& reading) { return (reading.*part).has_value(); });
  };
  const bool sees = seen.size() > 1 || is_said(&Reading::sees);
  const bool pays = paid.size() > 1 || is_said(&Reading::pays);
  const bool to = reached.size() > 1 || is_said(&Reading::to);
  std::vector<std::string> texts;
  for (const StepOutcome& step : of) {
    const bool open = step.open != Open::kNothing;
    std::string text;
    if ((open || sees) && !step.sees().empty()) text += " sees " + step.sees();
    if (open || pays) text += fmt::format(" pays {:.10g}", step.pays());
    if (to) text += " to " + problem_.state_name(step.acted.next);
    text = text.empty() ? "nothing to be seen" : text.substr(1) + (open ? " (for example)" : "");
    if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
  }
  constexpr std::size_t kMostShown = 8;
  std::string all;
  for (std::size_t i = 0; i < std::min(texts.size(), kMostShown); ++i) all += (i == 0 ? "" : "; ") + texts[i];
  return texts.size() > kMostShown ? all + fmt::format("; and {} more", texts.size() - kMostShown) : all;
}

}  // namespace assay::advice
