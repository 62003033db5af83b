// A problem: a model with its parameters and its belief, behind one interface. Code that needs the type of
// the model is compiled once for each model (ProblemOf) and used from here without that type.
//
// Traits describe what a problem is like and are computed once. Methods declare what they need. Together
// they determine why a method cannot be used on a problem.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/core/belief.hpp"
#include "assay/core/detail/kernel.hpp"
#include "assay/core/episode.hpp"
#include "assay/core/model.hpp"
#include "assay/solver/detail/exact_options.hpp"
#include "assay/solver/detail/information.hpp"

namespace assay {

/// Where something is collected, that is, paid or observed.
enum class Collects { kNothing, kArriving, kActing, kBoth };

struct Traits {
  bool finite = false;          // there are finitely many environments, so that expectations are sums
  bool known_moves = false;     // all environments move alike
  bool certain_moves = false;   // all environments move alike, and every action has one successor
  bool expected_moves = false;  // the belief can say what transition probabilities it expects
  bool cells = false;           // the belief is about cells that are independent of each other
  bool listable = false;        // the outcomes of every action are few enough to list
  bool hidden_moves = false;    // outcomes can change the hidden part
  bool endless = false;         // episodes have no end
  Collects collects = Collects::kNothing;
};

Traits traits_of(const Belief& prior, bool hidden_moves);

/// What a method may need of a problem.
enum class Need : std::uint8_t {
  kFinite,         // finitely many environments
  kFiniteOrCells,  // finitely many environments, or cells that are independent of each other
  kKnownMoves,     // environments that move alike
  kCertainMoves,   // actions with one successor, known
  kExpectedMoves,  // a belief that can say what transitions it expects
  kOneCollection,  // something is collected on arriving or by acting, but not by both
  kEnd,            // episodes that end
  kStillHidden,    // a hidden part that outcomes do not change
};

/// What a method needs, as `assay list` shows it: "finitely many environments".
std::string need_name(Need need);
/// Why a problem with these traits does not meet the need, in a sentence; empty if it does.
std::string unmet(Need need, const Traits& traits);
/// The reason for the first need that is not met.
std::string objection_of(const std::vector<Need>& needs, const Traits& traits);
/// The traits of a problem for people: "finite, known moves, pays on arriving".
std::string traits_text(const Traits& traits);

class ExactSolution;
class FiniteModel;

/// The same problem with one source of information that shows nothing.
struct Silenced;

/// Numbers as a text like "0 2 5".
std::string numbers_text(const Observation& observation);
/// The numbers of such a text; none if they are not whole numbers.
std::optional<Observation> numbers_in(std::string_view text);

/// Where a source of information is used: by doing `action` (or by arriving) at `state`.
struct SourcePlaces {
  std::string source;
  std::vector<std::pair<int, int>> where;  // (state, action)
};

class Problem {
 public:
  virtual ~Problem();

  /// The canonical name, in which every parameter is written out.
  [[nodiscard]] const std::string& name() const { return name_; }

  [[nodiscard]] const Outline& outline() const { return *outline_; }
  [[nodiscard]] int states() const { return outline_->states; }
  [[nodiscard]] int actions() const { return outline_->actions; }
  [[nodiscard]] int horizon() const { return outline_->horizon; }
  [[nodiscard]] double discount() const { return outline_->discount; }
  /// The discount that planners use: benchmarks of long undiscounted episodes are planned with a smaller
  /// one.
  [[nodiscard]] double planning_discount() const { return outline_->planning_discount; }
  [[nodiscard]] const std::vector<Start>& starts() const { return outline_->starts; }
  /// The traits, which are computed at the first call.
  [[nodiscard]] const Traits& traits() const;

  /// The belief at the beginning of an episode.
  [[nodiscard]] std::unique_ptr<Belief> prior() const;
  /// The same belief, whose draws in lanes use this instruction set: for tests and measurements.
  [[nodiscard]] virtual std::unique_ptr<Belief> prior(Kernel kernel) const = 0;
  /// A situation in which the agent is about to arrive at a start, which is drawn.
  [[nodiscard]] Situation beginning(Rng rng) const;
  /// For the laboratory alone: an episode in the true environment. A benchmark may have one true
  /// environment, whatever the prior says; otherwise the true environment is drawn from the prior.
  [[nodiscard]] Episode episode(Rng rng) const;
  /// For learners: an episode in an environment that is drawn from the prior.
  [[nodiscard]] Episode practice(Rng rng) const;

  /// The Bayes-optimal value and policy. Throws LimitError if there are too many belief states.
  [[nodiscard]] virtual std::unique_ptr<ExactSolution> exact(const ExactOptions& options) const = 0;
  /// v^c, E[v^e] and B under the prior, over the starts and the whole horizon.
  [[nodiscard]] InformationValues information(const Sampling& sampling) const;
  /// The model written out, for solvers that do not know its type; none unless there are finitely many
  /// environments.
  [[nodiscard]] virtual std::shared_ptr<const FiniteModel> finite_model() const = 0;
  [[nodiscard]] virtual std::vector<Silenced> sources() const = 0;
  [[nodiscard]] virtual std::vector<SourcePlaces> source_places() const = 0;

  // Names for people:
  [[nodiscard]] virtual bool drawable() const = 0;
  [[nodiscard]] virtual Cell cell(int state) const = 0;
  [[nodiscard]] virtual char landmark(int state) const = 0;
  [[nodiscard]] virtual char action_glyph(int action) const = 0;
  [[nodiscard]] virtual std::string state_name(int state) const = 0;
  [[nodiscard]] virtual std::string action_name(int action) const = 0;
  /// The name of one of finitely many environments.
  [[nodiscard]] virtual std::string environment_name(int environment) const = 0;
  /// An observation of `action` (or of arriving) at `state` in words.
  [[nodiscard]] virtual std::string observation_text(int state, int action,
                                                     const Observation& observation) const = 0;
  /// The observation of such a text; none if no observation there is written so, or if the model cannot read
  /// its own texts.
  [[nodiscard]] virtual std::optional<Observation> observation_named(int state, int action,
                                                                     std::string_view text) const = 0;

 protected:
  Problem(std::string name, std::shared_ptr<const Outline> outline);
  [[nodiscard]] const std::shared_ptr<const Outline>& shared_outline() const { return outline_; }
  [[nodiscard]] virtual bool hidden_moves() const = 0;
  /// The true environment, drawn if necessary; `drawn` says whether it must be drawn from the prior.
  [[nodiscard]] virtual std::unique_ptr<Environment> environment(Rng rng, bool drawn) const = 0;

 private:
  std::string name_;
  std::shared_ptr<const Outline> outline_;
  struct Computed;  // when it is first needed
  std::unique_ptr<Computed> computed_;
};

/// How the stream of a played episode is split: into its environment and outcomes, and the policy's own
/// draws.
enum PlayStream : std::uint64_t { kEpisodeStream, kPolicyStream };

/// Plays an episode as the laboratory does. The true environment and the policy draw from different splits
/// of `rng`, so that every policy meets the same environment with the same random numbers.
EpisodeReturn play_episode(const Problem& problem, Policy& policy, Rng rng,
                           const EpisodeWatches& watches = {});

struct Silenced {
  std::string source;
  std::unique_ptr<Problem> problem;
};

}  // namespace assay
