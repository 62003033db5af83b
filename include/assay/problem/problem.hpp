// A problem: a model with its parameters and its belief, behind one interface. What needs the model's type
// is compiled once per model (ProblemOf) and used from here without it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/core/belief.hpp"
#include "assay/core/detail/kernel.hpp"
#include "assay/core/episode.hpp"
#include "assay/core/model.hpp"
#include "assay/problem/traits.hpp"
#include "assay/solver/detail/exact_options.hpp"
#include "assay/solver/detail/information.hpp"

namespace assay {

class ExactSolution;
class FiniteModel;

/// The same problem with one source of information silenced.
struct Silenced;

/// "0 2 5".
std::string numbers_text(const Observation& observation);
/// The other way round; nothing if these are not whole numbers.
std::optional<Observation> numbers_in(std::string_view text);

/// Where a source of information is used: by doing `action` (or arriving) at `state`.
struct SourcePlaces {
  std::string source;
  std::vector<std::pair<int, int>> where;  // (state, action)
};

class Problem {
 public:
  virtual ~Problem() = default;

  /// The canonical name, with every parameter written out.
  [[nodiscard]] const std::string& name() const { return name_; }

  [[nodiscard]] const Outline& outline() const { return *outline_; }
  [[nodiscard]] int states() const { return outline_->states; }
  [[nodiscard]] int actions() const { return outline_->actions; }
  [[nodiscard]] int horizon() const { return outline_->horizon; }
  [[nodiscard]] double discount() const { return outline_->discount; }
  /// What planners discount by: benchmarks of long undiscounted episodes are planned with a shorter horizon.
  [[nodiscard]] double planning_discount() const { return outline_->planning_discount; }
  [[nodiscard]] const std::vector<Start>& starts() const { return outline_->starts; }
  /// Worked out at the first call.
  [[nodiscard]] const Traits& traits() const;

  /// The belief that an episode begins with.
  [[nodiscard]] std::unique_ptr<Belief> prior() const;
  /// The same, with draws in lanes by this instruction set: for tests and measurements.
  [[nodiscard]] virtual std::unique_ptr<Belief> prior(Kernel kernel) const = 0;
  /// About to arrive at a start, which is drawn.
  [[nodiscard]] Situation beginning(Rng rng) const;
  /// For the laboratory alone: an episode in the true environment. A benchmark may have one true environment
  /// and a prior that was only put on it; otherwise the truth is drawn from the prior.
  [[nodiscard]] Episode episode(Rng rng) const;
  /// For learners: an episode in an environment that is drawn from the prior.
  [[nodiscard]] Episode practice(Rng rng) const;

  /// The Bayes-optimal value and policy. Throws LimitError if the belief states are too many.
  [[nodiscard]] virtual std::unique_ptr<ExactSolution> exact(const ExactOptions& options) const = 0;
  /// v^c, E[v^e] and B under the prior, over the starts and the full horizon.
  [[nodiscard]] InformationValues information(const Sampling& sampling) const;
  /// Written out, for solvers that do not know the model's type; none unless there are finitely many
  /// environments.
  [[nodiscard]] virtual std::shared_ptr<const FiniteModel> finite_model() const = 0;
  [[nodiscard]] virtual std::vector<Silenced> sources() const = 0;
  [[nodiscard]] virtual std::vector<SourcePlaces> source_places() const = 0;

  // For people.
  [[nodiscard]] virtual bool drawable() const = 0;
  [[nodiscard]] virtual Cell cell(int state) const = 0;
  [[nodiscard]] virtual char landmark(int state) const = 0;
  [[nodiscard]] virtual char action_glyph(int action) const = 0;
  [[nodiscard]] virtual std::string state_name(int state) const = 0;
  [[nodiscard]] virtual std::string action_name(int action) const = 0;
  /// Of one of finitely many.
  [[nodiscard]] virtual std::string environment_name(int environment) const = 0;
  /// What is seen when `action` (or arriving) at `state` shows this.
  [[nodiscard]] virtual std::string observation_text(int state, int action,
                                                     const Observation& observation) const = 0;
  /// The other way round; nothing if no observation there is written so, or the model cannot read what it
  /// writes.
  [[nodiscard]] virtual std::optional<Observation> observation_named(int state, int action,
                                                                     std::string_view text) const = 0;

 protected:
  Problem(std::string name, std::shared_ptr<const Outline> outline)
      : name_(std::move(name)), outline_(std::move(outline)) {}
  [[nodiscard]] const std::shared_ptr<const Outline>& shared_outline() const { return outline_; }
  [[nodiscard]] virtual bool hidden_moves() const = 0;
  /// The true environment, drawn if it has to be; `drawn` says that it must be drawn from the prior.
  [[nodiscard]] virtual std::unique_ptr<Environment> environment(Rng rng, bool drawn) const = 0;

 private:
  std::string name_;
  std::shared_ptr<const Outline> outline_;
  mutable std::once_flag prior_once_, traits_once_;
  mutable std::unique_ptr<const Belief> prior_;
  mutable Traits traits_;
};

/// Splits of the stream of a played episode: its environment and its luck, and the policy's own draws.
enum PlayStream : std::uint64_t { kEpisodeStream, kPolicyStream };

/// Plays an episode as the laboratory does: the true environment and the policy draw from different splits of
/// `rng`, so that every policy meets the same environment with the same luck.
EpisodeReturn play_episode(const Problem& problem, Policy& policy, Rng rng,
                           const EpisodeWatches& watches = {});

struct Silenced {
  std::string source;
  std::unique_ptr<Problem> problem;
};

}  // namespace assay
