// oracle: is shown the hidden environment. What full information earns: the line that nobody can beat.
#include <algorithm>
#include <optional>

#include "assay/solver/long_plan.hpp"
#include "methods/planner.hpp"

namespace assay {
namespace {

class OraclePolicy final : public Oracle {
 public:
  explicit OraclePolicy(std::shared_ptr<const PlannedProblem> problem)
      : problem_(std::move(problem)), plan_(problem_->places, problem_->discount) {}

  void reveal(World& world) override {
    rewards_.clear();
    for (int p = 0; p < problem_->places->count(); ++p) {
      const Places::Choice& c = problem_->places->choice(p);
      rewards_.push_back(world.true_reward(c.state, c.action));
    }
  }
  int act(const World& world, Rng& /*rng*/) override {
    const int left = problem_->places->collections_left(world.remaining());
    if (left == 0) return problem_->places->options(world.state()).front().action;
    plan_.solve(rewards_, left);
    return plan_.best(world.state()).action;
  }
  std::unique_ptr<Policy> clone() const override { return std::make_unique<OraclePolicy>(problem_); }

 private:
  std::shared_ptr<const PlannedProblem> problem_;
  PlacePlan plan_;
  std::vector<double> rewards_;  // [place]
};

bool same_mdp(const TabularMdp& one, const TabularMdp& other) {
  const auto same_arc = [](const TabularMdp::Arc& l, const TabularMdp::Arc& r) {
    return l.next == r.next && l.probability == r.probability;
  };
  return one.reward == other.reward && one.first_arc == other.first_arc &&
         std::ranges::equal(one.arcs, other.arcs, same_arc);
}

/// For problems without places, where moves are unknown or a matter of chance: plans in the true MDP.
class MdpOraclePolicy final : public Oracle {
 public:
  void reveal(World& world) override {
    TabularMdp mdp = true_environment(world);
    // A benchmark with one true environment is planned once.
    if (!plan_ || !same_mdp(plan_->mdp(), mdp)) plan_.emplace(std::move(mdp), world.horizon());
  }
  int act(const World& world, Rng& /*rng*/) override { return plan_->best(world.state(), world.remaining()); }
  std::unique_ptr<Policy> clone() const override { return std::make_unique<MdpOraclePolicy>(); }

 private:
  std::optional<LongPlan> plan_;
};

struct OracleSettings {};

class OracleMethod final : public Method {
 public:
  explicit OracleMethod(const OracleSettings& /*settings*/) {}
  std::string objection(const Problem& /*problem*/) const override { return ""; }
  std::unique_ptr<Policy> policy(const Problem& problem, std::string_view /*state*/,
                                 const Resources& /*resources*/) const override {
    if (!places_objection(problem).empty()) return std::make_unique<MdpOraclePolicy>();
    return std::make_unique<OraclePolicy>(std::make_shared<const PlannedProblem>(problem));
  }
};

const RegisterMethod<OracleMethod, OracleSettings> kRegistered(
    "oracle", "is shown the hidden environment: full information, which no agent can beat",
    Schema<OracleSettings>({}));

}  // namespace
}  // namespace assay
