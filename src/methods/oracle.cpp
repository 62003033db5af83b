// oracle: is shown the hidden environment. What full information earns: the line that nobody can beat.
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

struct OracleSettings {};

class OracleMethod final : public Method {
 public:
  explicit OracleMethod(const OracleSettings& /*settings*/) {}
  std::string objection(const Problem& problem) const override { return places_objection(problem); }
  std::unique_ptr<Policy> policy(const Problem& problem, std::string_view /*state*/,
                                 int /*threads*/) const override {
    return std::make_unique<OraclePolicy>(std::make_shared<const PlannedProblem>(problem));
  }
};

const RegisterMethod<OracleMethod, OracleSettings> kRegistered(
    "oracle", "is shown the hidden environment: full information, which no agent can beat",
    Schema<OracleSettings>({}));

}  // namespace
}  // namespace assay
