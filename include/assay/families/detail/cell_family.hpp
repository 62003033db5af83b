// A family that is written out and whose hidden part is a set of unknown rewards, each with a prior of its
// own. Its moves are known (a TableFamily), and it states which of the rewards are paid or looked at in
// which step.
//
// A step at (x, a) has one of the table's possibilities, combined with independent pulls. Its reward is that
// of the table plus that of the rewarded pull; its observation is that of the table, followed by the
// successes among the looks, one number for each pull with looks.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/beliefs/detail/cells.hpp"
#include "assay/families/detail/table_family.hpp"
#include "assay/solver/detail/dynamics.hpp"

namespace assay {

class CellFamily {
 public:
  using Hidden = std::vector<double>;  // [unknown]: its success probability or its mean
  static constexpr Members kMembers = {Member::kAllowed,
                                       Member::kRepeats,
                                       Member::kTolerance,
                                       Member::kRewardRange,
                                       Member::kSample,
                                       Member::kLikelihood,
                                       Member::kExpectedArrival,
                                       Member::kExpectedReward,
                                       Member::kArcs,
                                       Member::kKnownTransitions,
                                       Member::kCollects,
                                       Member::kDynamics,
                                       Member::kSources,
                                       Member::kSourcePlaces,
                                       Member::kDrawable,
                                       Member::kCell,
                                       Member::kLandmark,
                                       Member::kStateName,
                                       Member::kActionName,
                                       Member::kActionGlyph,
                                       Member::kObservationText,
                                       Member::kObservationNamed};

  int states() const { return data_->known.states(); }
  int actions() const { return data_->known.actions(); }
  int horizon() const { return data_->known.horizon(); }
  int repeats() const { return data_->known.repeats(); }
  double discount() const { return data_->known.discount(); }
  double tolerance() const { return data_->known.tolerance(); }
  Interval reward_range() const;
  std::vector<Start> starts() const { return data_->known.starts(); }
  bool allowed(int x, int a) const { return data_->known.allowed(x, a); }

  /// Throws UsageError where a normal reward is paid, because there are infinitely many outcomes.
  template <class Visit>
  void outcomes(int x, int a, const Hidden& e, Visit&& visit) const {
    need_enumerable(x, a);
    const auto chance = [&](int cell, int looks, int k, int paid) {
      const double p = e[static_cast<std::size_t>(cell)];
      const double looked = detail::binomial_probability(looks, k, p);
      return paid < 0 ? looked : looked * (paid == 1 ? p : 1 - p);
    };
    const Pull* paid = detail::rewarded_pull(pulls(x, a));
    const double amount = paid == nullptr ? 0 : unknown(paid->cell).amount;
    detail::enumerate_step(possibilities(x, a), pulls(x, a), amount, chance, visit);
  }
  Outcome sample(int x, int a, const Hidden& e, Rng& rng) const;
  /// The likelihood up to a factor that does not depend on the environment.
  double likelihood(int x, int a, const Hidden& e, const Outcome& seen) const;
  double expected_arrival(int x, const Hidden& e) const {
    return phase_reward(x, kArrive, [&](std::size_t cell) { return e[cell]; });
  }
  double expected_reward(int x, int a, const Hidden& e) const {
    return reward_with(x, a, [&](std::size_t cell) { return e[cell]; });
  }
  template <class Visit>
  void arcs(int x, int a, const Hidden& /*e*/, Visit&& visit) const {
    for (const TableFamily::Possibility& p : possibilities(x, a)) visit(p.probability, p.outcome.next);
  }

  bool known_transitions() const { return true; }
  /// Can doing `a` (or kArrive) at `x` pay or show anything?
  bool collects(int x, int a) const;
  /// What all environments have in common, apart from coincidences among their rewards.
  const std::shared_ptr<const Dynamics>& dynamics() const { return data_->dynamics; }

  /// The same problem with one source of information that shows nothing. Sources are those of the table and
  /// those of pulls; a name that occurs in both is one source.
  std::vector<std::pair<std::string, CellFamily>> sources() const;
  std::vector<std::pair<std::string, std::vector<std::pair<int, int>>>> source_places() const;

  bool drawable() const { return data_->known.drawable(); }
  Cell cell(int x) const { return data_->known.cell(x); }
  char landmark(int x) const { return data_->known.landmark(x); }
  std::string state_name(int x) const { return data_->known.state_name(x); }
  std::string action_name(int a) const { return data_->known.action_name(a); }
  char action_glyph(int a) const { return data_->known.action_glyph(a); }
  /// A text like "red, 2 of 3": the signs by name, then the successes among the looks.
  std::string observation_text(int x, int a, const Observation& seen) const;
  std::optional<Observation> observation_named(int x, int a, std::string_view text) const;

  const std::shared_ptr<const UnknownRewards>& unknowns() const { return data_->unknowns; }
  const UnknownReward& unknown(int which) const {
    return (*data_->unknowns)[static_cast<std::size_t>(which)];
  }
  std::span<const TableFamily::Possibility> possibilities(int x, int a) const {
    return data_->known.row(x, a, 0);
  }
  std::span<const Pull> pulls(int x, int a) const { return data_->pulls[data_->index(x, a)]; }
  double known_reward(int x, int a, const Outcome& seen) const;
  void need_enumerable(int x, int a) const {
    const Pull* paid = detail::rewarded_pull(pulls(x, a));
    if (paid != nullptr && unknown(paid->cell).law == UnknownReward::Law::kNormal) throw_infinite(x, a);
  }

  /// The expected reward of arriving at x and doing `a`, if unknown reward c has the success probability or
  /// mean value(c).
  template <class Value>
  double reward_with(int x, int a, const Value& value) const {
    return phase_reward(x, kArrive, value) + phase_reward(x, a, value);
  }
  /// The part of it that arriving pays, or the part that the action pays.
  template <class Value>
  double phase_reward(int x, int phase, const Value& value) const {
    double sum = data_->known_mean[data_->index(x, phase)];
    if (const Pull* paid = detail::rewarded_pull(pulls(x, phase))) {
      sum += unknown(paid->cell).unit() * value(static_cast<std::size_t>(paid->cell));
    }
    return sum;
  }

 private:
  friend class CellBuilder;

  struct Source {
    std::string name;
    std::vector<std::pair<int, int>> where;  // (state, action)
  };
  struct Data {
    TableFamily known;  // has one environment
    std::shared_ptr<const UnknownRewards> unknowns;
    std::vector<std::vector<Pull>> pulls;  // [action + 1][state]
    std::vector<Source> sources;           // those of looks
    std::vector<double> known_mean;        // [action + 1][state]: the mean of the table's reward
    std::shared_ptr<const Dynamics> dynamics;

    [[nodiscard]] std::size_t index(int x, int a) const {
      return static_cast<std::size_t>(a + 1) * static_cast<std::size_t>(known.states()) +
             static_cast<std::size_t>(x);
    }
    void silence(const Source& source);
  };

  /// Computes what follows from the rest. Throws UsageError if a reward does not determine what was drawn.
  explicit CellFamily(Data data);

  void check_evidence(int x, int a) const;
  [[nodiscard]] Dynamics common_moves() const;
  [[nodiscard]] std::string where(int x, int a) const;
  [[noreturn]] void throw_infinite(int x, int a) const;

  std::shared_ptr<Data> data_;  // shared by copies of the family; constant once built
};

}  // namespace assay
