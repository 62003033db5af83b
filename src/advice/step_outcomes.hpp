// The outcomes of a step, as far as they can be listed, for people who say which of them happened.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advice/event_text.hpp"
#include "assay/core/policy.hpp"
#include "assay/problem/problem.hpp"

namespace assay::advice {

/// An outcome of an action, and one of the arrival at the next state.
struct StepOutcome {
  /// Which of the two has too many outcomes to list. The outcome that is stored for it is then only an
  /// example.
  enum class Open { kNothing, kAction, kArrival, kBoth };

  Outcome acted;  // only `next` is used if this is the start of an episode
  Outcome arrived;
  Open open = Open::kNothing;
  std::string acted_text, arrived_text;  // the observations in words

  [[nodiscard]] double pays() const { return acted.reward + arrived.reward; }
  [[nodiscard]] std::string sees() const;
  [[nodiscard]] Observation numbers() const;
};

class StepOutcomes {
 public:
  /// The outcomes of doing `action` in a situation; those of starting an episode if it is kArrive.
  StepOutcomes(const Problem& problem, const Situation& before, int action);

  /// The outcomes that fit a reading. An open outcome is filled in if the reading determines it, remains
  /// open if the reading leaves it undecided, and is left out otherwise.
  [[nodiscard]] std::vector<StepOutcome> fitting(const std::vector<Reading>& readings) const;
  /// The error message if no outcome fits, or only open ones do.
  [[nodiscard]] std::string complaint(const std::vector<Reading>& readings) const;
  /// Descriptions that distinguish these outcomes from each other and mention every part that was said.
  [[nodiscard]] std::string descriptions(const std::vector<StepOutcome>& of,
                                         const std::vector<Reading>& said) const;

 private:
  void list_action();
  void list_open_action();
  void list_arrivals(StepOutcome step, const Belief& after);
  void add(StepOutcome step);
  /// What may have been observed in the open part.
  [[nodiscard]] std::vector<Observation> observations(const StepOutcome& open, const Reading& reading) const;
  /// The open outcome, filled in as the reading says; none if that cannot happen.
  [[nodiscard]] std::optional<StepOutcome> filled(const StepOutcome& open, const Reading& reading) const;
  /// Does the reading say enough to decide whether the open outcome is meant?
  [[nodiscard]] bool decides(const StepOutcome& open, const Reading& reading) const;
  [[nodiscard]] bool possible(const StepOutcome& step) const;

  const Problem& problem_;
  const Situation& before_;
  int action_;
  std::vector<StepOutcome> all_;
};

}  // namespace assay::advice
