#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "advice/event_text.hpp"
#include "advice/step_outcomes.hpp"
#include "assay/advice/explanation.hpp"
#include "assay/core/detail/spec.hpp"
#include "assay/core/error.hpp"

namespace assay {
namespace {

using advice::begins_with_word;
using advice::Reading;
using advice::StepOutcome;
using advice::StepOutcomes;

std::vector<std::string_view> events_of(std::string_view history) {
  std::vector<std::string_view> events;
  while (!history.empty()) {
    const std::size_t end = std::min(history.find(';'), history.size());
    const std::string_view event = advice::without_blanks(history.substr(0, end));
    if (!event.empty()) events.push_back(event);
    history.remove_prefix(std::min(end + 1, history.size()));
  }
  return events;
}

std::optional<int> whole_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool decided(const std::vector<StepOutcome>& fitting) {
  return fitting.size() == 1 && fitting.front().open == StepOutcome::Open::kNothing;
}

class Storyteller {
 public:
  Storyteller(const Problem& problem, std::string_view history)
      : problem_(problem),
        reader_(problem),
        events_(events_of(history)),
        before_(problem.prior(), problem.starts().front().state, 0),
        starts_(problem, before_, kArrive) {
    if (events_.empty() || !begins_with_word(events_.front(), "start")) return;
    start_ = events_.front();
    events_.erase(events_.begin());
  }

  [[nodiscard]] Situation situation() const {
    const std::string_view said = start_.substr(5);
    return after_events(after_start(chosen(start_, starts_, said)));
  }

  /// The situation, if it does not matter in which state the episode began.
  [[nodiscard]] Situation belief() const {
    const std::vector<StepOutcome> possible = starts_.fitting(reader_.readings(start_.substr(5)));
    if (decided(possible) || start_ != kStart) return situation();
    if (events_.empty()) return before_;
    return after_any_of(possible);
  }

 private:
  static constexpr std::string_view kStart = "start";

  [[noreturn]] static void wrong(std::string_view event, const std::string& why) {
    throw UsageError(fmt::format("'{}': {}", printable(std::string(event), 80), why));
  }

  [[nodiscard]] Situation after_start(const StepOutcome& start) const {
    Situation there(problem_.prior(), start.acted.next, 0);
    there.arrive(start.arrived);
    return there;
  }

  [[nodiscard]] Situation after_events(Situation there) const {
    for (const std::string_view event : events_) act(event, there);
    return there;
  }

  /// All starts must lead to the same belief. Starts that cannot have this history are left out.
  [[nodiscard]] Situation after_any_of(const std::vector<StepOutcome>& starts) const {
    constexpr std::size_t kMostStarts = 100;
    const auto open = [](const StepOutcome& start) { return start.open != StepOutcome::Open::kNothing; };
    if (starts.size() > kMostStarts || std::ranges::any_of(starts, open)) several(kStart, starts_, starts);
    std::optional<Situation> found;
    std::optional<UsageError> impossible;
    for (const StepOutcome& start : starts) {
      std::optional<Situation> there;
      try {
        there = after_events(after_start(start));
      } catch (const UsageError& error) {
        if (!impossible) impossible = error;
        continue;
      }
      if (found && found->belief().key() != there->belief().key()) several(kStart, starts_, starts);
      if (!found) found = std::move(there);
    }
    if (!found) throw UsageError(*impossible);
    return *std::move(found);
  }

  void act(std::string_view event, Situation& there) const {
    std::size_t length = 0;
    const int action = action_of(event, length);
    if (!there.allowed(action)) {
      wrong(event, fmt::format("that cannot be done at '{}'; possible: {}",
                               problem_.state_name(there.state()), possible_actions(there)));
    }
    if (there.remaining() <= 1) {
      wrong(event, fmt::format("the episode is over after {} steps", problem_.horizon()));
    }
    const StepOutcome step = chosen(event, StepOutcomes(problem_, there, action), event.substr(length));
    there.act(action, step.acted);
    there.arrive(step.arrived);
  }

  [[nodiscard]] std::string possible_actions(const Situation& there) const {
    std::string names;
    for (int a = 0; a < problem_.actions(); ++a) {
      if (there.allowed(a)) names += (names.empty() ? "" : ", ") + problem_.action_name(a);
    }
    return names;
  }

  /// The action that the event begins with, by its longest name or by its number.
  int action_of(std::string_view event, std::size_t& length) const {
    std::vector<std::string> names;
    int found = -1;
    for (int a = 0; a < problem_.actions(); ++a) {
      names.push_back(problem_.action_name(a));
      if (begins_with_word(event, names.back()) && names.back().size() > length) {
        found = a;
        length = names.back().size();
      }
    }
    if (found >= 0) return found;
    const std::string_view word = event.substr(0, event.find(' '));
    const std::optional<int> number = whole_number(word);
    if (!number || *number < 0 || *number >= problem_.actions()) {
      wrong(event, unknown_name_message("action", word, names));
    }
    length = word.size();
    return *number;
  }

  /// The only outcome that fits what was said.
  [[nodiscard]] StepOutcome chosen(std::string_view event, const StepOutcomes& outcomes,
                                   std::string_view said) const {
    const std::vector<Reading> readings = reader_.readings(said);
    const std::vector<StepOutcome> fitting = outcomes.fitting(readings);
    if (decided(fitting)) return fitting.front();
    const auto open = [](const StepOutcome& step) { return step.open != StepOutcome::Open::kNothing; };
    if (!std::ranges::all_of(fitting, open)) several(event, outcomes, fitting);
    if (fitting.empty()) {
      const std::string words = reader_.complaint(said);
      if (!words.empty()) wrong(event, words);
    }
    wrong(event, outcomes.complaint(readings));
  }

  [[noreturn]] static void several(std::string_view event, const StepOutcomes& outcomes,
                                   const std::vector<StepOutcome>& of) {
    wrong(event, "this can have several outcomes, say which: " + outcomes.descriptions(of, {}));
  }

  const Problem& problem_;
  advice::EventReader reader_;
  std::string_view start_ = kStart;
  std::vector<std::string_view> events_;  // the events after the start
  Situation before_;
  StepOutcomes starts_;
};

}  // namespace

Situation situation_after(const Problem& problem, std::string_view history) {
  return Storyteller(problem, history).situation();
}

Situation belief_after(const Problem& problem, std::string_view history) {
  return Storyteller(problem, history).belief();
}

int state_named(const Problem& problem, std::string_view name) {
  int drawn = -1;
  int times = 0;
  std::vector<std::string> names;
  for (int x = 0; x < problem.states(); ++x) {
    names.push_back(problem.state_name(x));
    if (names.back() == name) return x;
    if (name.size() == 1 && problem.drawable() && problem.landmark(x) == name[0]) {
      drawn = x;
      ++times;
    }
  }
  if (times == 1) return drawn;
  const std::optional<int> number = whole_number(name);
  if (number && *number >= 0 && *number < problem.states()) return *number;
  if (times > 1) throw UsageError(fmt::format("'{}' is drawn {} times: name one of them", name, times));
  throw UsageError(unknown_name_message("state", name, names));
}

}  // namespace assay
