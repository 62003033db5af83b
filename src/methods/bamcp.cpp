// bamcp: searches by simulation at every step (src/solver/bamcp.hpp). It can be used on problems of any
// size.
#include "solver/bamcp.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "assay/problem/registry.hpp"

namespace assay {
namespace {

struct BamcpParameters {
  int simulations = 1000;
  double ms = 0;
  double exploration = BamcpSettings{}.exploration;
  double epsilon = BamcpSettings{}.epsilon;
  double rate = BamcpSettings{}.rate;
  double precision = BamcpSettings{}.precision;
  int trees = BamcpSettings{}.trees;
  double discount = 0;
};

class BamcpPolicy final : public Policy {
 public:
  BamcpPolicy(std::unique_ptr<Bamcp> planner, const BamcpBudget& budget, Resources resources)
      : planner_(std::move(planner)), budget_(budget), resources_(std::move(resources)) {}

  void begin(const Situation& /*situation*/) override {
    planner_->forget();
    acted_ = false;
  }
  int act(const Situation& situation, Rng& rng) override {
    if (acted_ && situation.last()) planner_->learn(*situation.last(), situation.state());
    acted_ = true;
    planner_->run(situation, rng.split(static_cast<std::uint64_t>(situation.step())), budget_, resources_);
    return planner_->best_action();
  }
  /// The values are averages; there are no bounds.
  SearchView searched(int levels, std::size_t successors) const override {
    SearchView view;
    view.simulations = planner_->simulations();
    view.timed = budget_.seconds > 0;
    view.actions = planner_->view(levels, successors);
    return view;
  }
  /// The search uses one thread, because each copy of the policy has a thread of its own.
  std::unique_ptr<Policy> clone() const override {
    return std::make_unique<BamcpPolicy>(planner_->fresh(), budget_, Resources(1, resources_.stop));
  }

 private:
  std::unique_ptr<Bamcp> planner_;
  BamcpBudget budget_;
  Resources resources_;
  bool acted_ = false;  // in this episode
};

class BamcpMethod final : public Method {
 public:
  explicit BamcpMethod(const BamcpParameters& settings) : settings_(settings) {}
  std::vector<Need> needs() const override { return {Need::kStillHidden}; }
  double cost(const Problem& problem) const override {
    if (settings_.ms > 0) return settings_.ms / 1000;
    return std::max(Method::cost(problem), kSecondsPerSimulation * settings_.simulations);
  }

  std::unique_ptr<Policy> policy(const Problem& problem, std::string_view /*state*/,
                                 const Resources& resources) const override {
    const BamcpParameters& s = settings_;
    auto planner = std::make_unique<Bamcp>(
        *problem.prior(), BamcpSettings{.discount = s.discount > 0 ? s.discount : problem.planning_discount(),
                                        .exploration = s.exploration,
                                        .epsilon = s.epsilon,
                                        .rate = s.rate,
                                        .precision = s.precision,
                                        .trees = s.trees});
    const BamcpBudget budget{.simulations = static_cast<std::uint64_t>(s.simulations),
                             .seconds = s.ms / 1000};
    return std::make_unique<BamcpPolicy>(std::move(planner), budget, resources);
  }

 private:
  BamcpParameters settings_;
};

const RegisterMethod<BamcpMethod, BamcpParameters> kRegistered(
    "bamcp", "searches at every step by simulations of environments drawn from its belief (BAMCP)",
    Schema<BamcpParameters>({
        integer("simulations", &BamcpParameters::simulations, 1, 2'000'000'000,
                "simulated episodes per decision"),
        real("ms", &BamcpParameters::ms, 0, 1e9,
             "if not 0, milliseconds per decision in place of a number; then no run can be repeated exactly"),
        real("exploration", &BamcpParameters::exploration, 0, 1e6,
             "constant of UCB1, in units of the range of the returns seen"),
        real("epsilon", &BamcpParameters::epsilon, 0, 1,
             "probability with which a rollout takes a random action"),
        real("rate", &BamcpParameters::rate, 0, 1,
             "learning rate of the values that rollouts follow otherwise; they are learned from the steps "
             "taken"),
        real("precision", &BamcpParameters::precision, 1e-12, 1,
             "steps whose discount is below this are not simulated"),
        integer("trees", &BamcpParameters::trees, 1, 1024, "independent searches that share the simulations"),
        real("discount", &BamcpParameters::discount, 0, 1, "discount of the search; 0: that of the problem"),
    }));

}  // namespace
}  // namespace assay
