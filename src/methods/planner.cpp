#include "methods/planner.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "assay/core/rng.hpp"
#include "assay/solver/detail/drawn_environments.hpp"

namespace assay {
namespace {

// With at most this many values, a plan for the remaining steps costs no more than the sweeps of a plan
// without an end.
constexpr std::int64_t kMostClockedValues = 5'000;
// The longest horizon of a plan without an end: 1000 steps.
constexpr double kLongestDiscount = 0.999;
constexpr double kPlanTolerance = 1e-6;  // relative to the largest possible value

class ExpectedEnvironment final : public PlannedFor {
 public:
  std::optional<Mdp> environment(const Situation& situation, Rng& /*rng*/) override {
    return situation.belief().expected();
  }
  std::unique_ptr<PlannedFor> clone() const override { return std::make_unique<ExpectedEnvironment>(); }
};

/// The rewards of one lane, by state and action.
void set_rewards(const EnvironmentBatch& batch, Mdp& mdp) {
  const Dynamics& dynamics = batch.dynamics();
  const std::span<const float> lane = batch.reward_tile(0);
  std::size_t choice = 0;
  for (std::size_t row = 0; row < mdp.reward.size(); ++row) {
    if (!std::isfinite(mdp.reward[row])) continue;
    std::size_t at = choice++;
    if (dynamics.pays == Dynamics::Pays::kState) at = row / static_cast<std::size_t>(mdp.actions);
    if (dynamics.pays == Dynamics::Pays::kEntry) {
      at = static_cast<std::size_t>(mdp.arcs[mdp.first_arc[row]].next);
    }
    mdp.reward[row] = static_cast<double>(lane[at * kTile]);
  }
}

class DrawnEnvironment final : public PlannedFor {
 public:
  DrawnEnvironment(DrawForm form, int period) : form_(form), period_(period) {}

  void begin() override { drawn_at_ = kNever; }
  std::optional<Mdp> environment(const Situation& situation, Rng& rng) override {
    const int step = situation.step();
    const bool due = period_ > 0 && step >= drawn_at_ + period_;
    if (drawn_at_ != kNever && !due) return std::nullopt;
    drawn_at_ = step;
    return form_ == DrawForm::kLanes ? in_lanes(situation.belief(), rng) : in_parts(situation, rng);
  }
  std::unique_ptr<PlannedFor> clone() const override {
    return std::make_unique<DrawnEnvironment>(form_, period_);
  }

 private:
  static constexpr int kNever = -1;

  Mdp in_parts(const Situation& situation, const Rng& rng) {
    if (environment_) {
      environment_->draw_from(situation.belief());
    } else {
      environment_ = situation.belief().environment();
    }
    environment_->draw(rng.split(static_cast<std::uint64_t>(situation.step())));
    return environment_->tabulate();
  }
  Mdp in_lanes(const Belief& belief, Rng& rng) {
    if (const std::span<const double> weights = belief.weights(); !weights.empty()) {
      return belief.environment(categorical(rng, weights));
    }
    belief.draw({rng.next64(), 0, 0, 0}, 1, 0, lanes_);
    Mdp mdp = belief.mean();
    set_rewards(*lanes_.plans, mdp);
    return mdp;
  }

  DrawForm form_;
  int period_;
  int drawn_at_ = kNever;  // in this episode
  std::unique_ptr<Environment> environment_;
  DrawnEnvironments lanes_;
};

}  // namespace

ClockedPlan::ClockedPlan(const Problem& problem, PlanClock clock, double discount)
    : clock_(clock),
      discount_(discount),
      arriving_(problem.traits().collects == Collects::kArriving),
      whole_(static_cast<std::size_t>(problem.horizon()) +
             (arriving_ ? 1 : 0)),  // the present arrival is over
      stays_(problem.outline().endless()) {
  const Traits& traits = problem.traits();
  const bool changes = !traits.certain_moves || traits.collects == Collects::kBoth;
  if (clock_ == PlanClock::kStationary && changes) clock_ = PlanClock::kRemaining;
}

std::size_t ClockedPlan::steps(const Situation& situation) const {
  return clock_ == PlanClock::kStationary ? whole_ : static_cast<std::size_t>(situation.remaining());
}

void ClockedPlan::solve(Mdp environment, const Situation& situation) {
  environment.discount = discount_;
  const int remaining = stays_ ? situation.outline().horizon : situation.remaining();
  ends_ = !stays_ && (clock_ != PlanClock::kAffordable ||
                      std::int64_t{environment.states} * remaining <= kMostClockedValues);
  if (ends_) {
    plan_ = optimal_plan(environment, static_cast<int>(steps(situation)), Ties::kEarliest);
  } else {
    environment.discount = std::min({discount_, kLongestDiscount, 1 - 1.0 / remaining});
    const double largest = value_scale(environment, std::vector<double>{}) / (1 - environment.discount);
    const double tolerance = largest > 0 ? kPlanTolerance * largest : 1;
    endless_ = stationary_plan(environment, tolerance, std::move(endless_.value));
  }
  environment_ = std::move(environment);
}

int ClockedPlan::action(const Situation& situation) const {
  if (clock_ == PlanClock::kStationary && arriving_ && !stays_ &&
      situation.remaining() == 1) {  // nothing more is collected
    int first = 0;
    while (!situation.allowed(first)) ++first;
    return first;
  }
  const auto at = static_cast<std::size_t>(situation.state());
  return ends_ ? plan_.action[steps(situation)][at] : endless_.action[at];
}

double ClockedPlan::value_after(const Situation& situation, int action) const {
  const std::vector<double>& next = ends_ ? plan_.value[steps(situation) - 1] : endless_.value;
  double sum = 0;
  const std::size_t row =
      static_cast<std::size_t>(situation.state()) * static_cast<std::size_t>(environment_.actions) +
      static_cast<std::size_t>(action);
  for (std::uint32_t i = environment_.first_arc[row]; i < environment_.first_arc[row + 1]; ++i) {
    sum += environment_.arcs[i].probability * next[static_cast<std::size_t>(environment_.arcs[i].next)];
  }
  return arriving_ ? sum : environment_.reward[row] + environment_.discount * sum;
}

void Planner::begin(const Situation& /*situation*/) {
  source_->begin();
  plan_.forget();
}

int Planner::act(const Situation& situation, Rng& rng) {
  if (std::optional<Mdp> environment = source_->environment(situation, rng)) {
    plan_.solve(*std::move(environment), situation);
  }
  const int action = plan_.action(situation);
  source_->took(situation, action);
  return action;
}

std::unique_ptr<PlannedFor> expected_environment() { return std::make_unique<ExpectedEnvironment>(); }

std::unique_ptr<PlannedFor> drawn_environment(DrawForm form, int period) {
  return std::make_unique<DrawnEnvironment>(form, period);
}

}  // namespace assay
