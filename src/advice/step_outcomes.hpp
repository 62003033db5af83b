// What a step can lead to, as far as it can be listed, for people who say which of it happened.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advice/told_event.hpp"
#include "assay/core/situation.hpp"
#include "assay/problem/problem.hpp"

namespace assay::advice {

/// An outcome of an action, then one of the arrival at the next state.
struct StepOutcome {
  /// Which of the two has too many outcomes to list them: the one that is here is then only an example.
  enum class Open { kNothing, kAction, kArrival, kBoth };

  Outcome acted;  // for the start only `next`
  Outcome arrived;
  Open open = Open::kNothing;
  std::string acted_text, arrived_text;  // what is seen

  [[nodiscard]] double pays() const { return acted.reward + arrived.reward; }
  [[nodiscard]] std::string sees() const;
  [[nodiscard]] Observation numbers() const;
};

class StepOutcomes {
 public:
  /// Of doing `action` in a situation; of the start if it is kArrive.
  StepOutcomes(const Problem& problem, const Situation& before, int action);

  /// Those that a reading fits. One that is open is among them, and still open, if what was said does not
  /// decide about it; it is filled in if it does.
  [[nodiscard]] std::vector<StepOutcome> fitting(const std::vector<Told>& readings) const;
  /// What to say if none fits, or only open ones do.
  [[nodiscard]] std::string complaint(const std::vector<Told>& readings) const;
  /// What tells these from each other, and what was said something about.
  [[nodiscard]] std::string descriptions(const std::vector<StepOutcome>& of,
                                         const std::vector<Told>& said) const;

 private:
  void list_action();
  void list_open_action();
  void list_arrivals(StepOutcome step, const Belief& after);
  void add(StepOutcome step);
  /// What may have been seen of what is open.
  [[nodiscard]] std::vector<Observation> observations(const StepOutcome& open, const Told& told) const;
  /// An outcome that is open, as it was told, if that can happen.
  [[nodiscard]] std::optional<StepOutcome> filled(const StepOutcome& open, const Told& told) const;
  /// Was enough said to know whether an open one is meant?
  [[nodiscard]] bool decides(const StepOutcome& open, const Told& told) const;
  [[nodiscard]] bool possible(const StepOutcome& step) const;

  const Problem& problem_;
  const Situation& before_;
  int action_;
  std::vector<StepOutcome> all_;
};

}  // namespace assay::advice
