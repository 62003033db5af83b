// bamcp: searches by simulation at every step (solver/bamcp.hpp). For problems of any size.
#include "assay/solver/bamcp.hpp"

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

std::vector<ViewedAction> viewed(const std::vector<TreeAction>& tree) {
  std::vector<ViewedAction> all;
  for (const TreeAction& one : tree) {
    ViewedAction& action = all.emplace_back();
    action.action = one.action;
    action.visits = one.visits;
    if (one.visits > 0) action.value = one.value;
    action.more_ends = one.more_children;
    for (const TreeChild& child : one.children) {
      ViewedEnd& end = action.ends.emplace_back();
      end.probability = static_cast<double>(child.visits) / static_cast<double>(one.went_on);
      end.state = child.state;
      end.visits = child.visits;
      end.actions = viewed(child.actions);
    }
  }
  return all;
}

class BamcpPolicy final : public Policy {
 public:
  BamcpPolicy(std::unique_ptr<Bamcp> planner, const BamcpBudget& budget, Resources resources)
      : planner_(std::move(planner)), budget_(budget), resources_(std::move(resources)) {}

  void begin(const World& /*world*/) override {
    planner_->forget();
    acted_ = false;
  }
  int act(const World& world, Rng& rng) override {
    if (acted_ && world.last()) planner_->learn(*world.last(), world.state());
    acted_ = true;
    planner_->run(world, rng.split(static_cast<std::uint64_t>(world.step())), budget_, resources_);
    return planner_->best_action();
  }
  /// Averages, no bounds. What was seen on the way is only a number to it.
  SearchView searched(int levels, std::size_t ends) const override {
    SearchView view;
    view.simulations = planner_->simulations();
    view.timed = budget_.seconds > 0;
    view.actions = viewed(planner_->view(levels, ends));
    return view;
  }
  /// On one thread: whoever wants copies has a thread for each.
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

  std::unique_ptr<Policy> policy(const Problem& problem, std::string_view /*state*/,
                                 const Resources& resources) const override {
    const BamcpParameters& s = settings_;
    auto allowed = std::make_shared<const AllowedActions>(*problem.knowledge(default_kernel()));
    auto planner = std::make_unique<Bamcp>(
        problem.simulator(), std::move(allowed),
        BamcpSettings{.discount = s.discount > 0 ? s.discount : problem.planning_discount(),
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
             "milliseconds per decision instead, if not 0; then no run can be repeated exactly"),
        real("exploration", &BamcpParameters::exploration, 0, 1e6,
             "constant of UCB1, in units of the range of the returns seen"),
        real("epsilon", &BamcpParameters::epsilon, 0, 1, "how often rollouts act at random"),
        real("rate", &BamcpParameters::rate, 0, 1,
             "at which the values that rollouts follow otherwise are learned from the steps taken"),
        real("precision", &BamcpParameters::precision, 1e-12, 1,
             "nothing is simulated beyond where the discount comes to less"),
        integer("trees", &BamcpParameters::trees, 1, 1024, "independent searches that share the simulations"),
        real("discount", &BamcpParameters::discount, 0, 1, "of the search; 0: the problem's own"),
    }));

}  // namespace
}  // namespace assay
