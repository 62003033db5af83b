#include "solver/bamcp.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "assay/core/rng.hpp"
#include "assay/families/builders.hpp"
#include "assay/problem/registry.hpp"
#include "support/forwarding_belief.hpp"
#include "support/random_problem.hpp"

namespace assay::test {
namespace {

struct LoggedStep {
  int state = 0, action = 0;
  bool last = false;
  SimulatedStep taken;
};
using SearchLog = std::vector<std::vector<LoggedStep>>;  // [simulation][step]

/// Passes everything on, and writes it down for whoever shares the log. If `blind`, nothing is learned, so
/// that only states tell histories apart.
class LoggingEnvironment final : public Environment {
 public:
  LoggingEnvironment(std::unique_ptr<Environment> real, std::shared_ptr<SearchLog> log, bool blind)
      : real_(std::move(real)), log_(std::move(log)), blind_(blind) {}
  std::unique_ptr<Environment> clone() const override {
    return std::make_unique<LoggingEnvironment>(real_->clone(), log_, blind_);
  }
  void draw_from(const Belief& belief) override { real_->draw_from(belief); }
  void draw(Rng rng) override {
    log_->emplace_back();
    real_->draw(rng);
  }
  void renew(Rng rng) override { real_->renew(rng); }
  SimulatedStep step(int state, int action, bool last) override {
    SimulatedStep taken = real_->step(state, action, last);
    if (blind_) taken.evidence = 0;
    log_->back().push_back({state, action, last, taken});
    return taken;
  }
  Outcome outcome(int state, int action, Rng& rng) override { return real_->outcome(state, action, rng); }
  std::vector<Belief::Prediction> outcomes(int state, int action) override {
    return real_->outcomes(state, action);
  }
  double log_density(const Belief& belief) override { return real_->log_density(belief); }
  double likelihood(int state, int action, const Outcome& seen) override {
    return real_->likelihood(state, action, seen);
  }
  double expected_reward(int state, int action) override { return real_->expected_reward(state, action); }
  double expected_arrival(int state) override { return real_->expected_arrival(state); }
  Mdp tabulate() override { return real_->tabulate(); }
  int number() override { return real_->number(); }

 private:
  std::unique_ptr<Environment> real_;
  std::shared_ptr<SearchLog> log_;
  bool blind_;
};

/// Draws environments that write their steps down.
class LoggingBelief final : public ForwardingBelief {
 public:
  LoggingBelief(std::unique_ptr<Belief> real, std::shared_ptr<SearchLog> log, bool blind)
      : ForwardingBelief(std::move(real)), log_(std::move(log)), blind_(blind) {}
  using ForwardingBelief::environment;
  std::unique_ptr<Environment> environment() const override {
    return std::make_unique<LoggingEnvironment>(real().environment(), log_, blind_);
  }

 private:
  std::shared_ptr<SearchLog> log_;
  bool blind_;
};

/// A search in one tree, and all that happened in it.
struct Searched {
  Searched(const Problem& problem, BamcpSettings settings, std::uint64_t simulations, int steps_before = 0,
           bool blind = false)
      : discount(settings.discount), knowledge(problem.prior()) {
    settings.trees = 1;
    Episode episode = problem.episode(Rng(5, simulations));
    const Situation& now = episode.situation();
    episode.arrive();
    Rng walk(17, simulations);
    for (int i = 0; i < steps_before; ++i) {
      int action = 0;
      do {
        action = static_cast<int>(uniform_index(walk, static_cast<std::size_t>(problem.actions())));
      } while (!now.allowed(action));
      episode.act(action);
      episode.arrive();
      lived.emplace_back(*now.last(), now.state());
    }
    planner = std::make_unique<Bamcp>(LoggingBelief(problem.prior(), log, blind), settings);
    for (const auto& [step, next] : lived) planner->learn(step, next);
    planner->run(now, Rng(11), {.simulations = simulations});
  }

  double discount;
  std::unique_ptr<Belief> knowledge;
  std::vector<std::pair<LastStep, int>> lived;  // each step before the search, and where it led
  std::shared_ptr<SearchLog> log = std::make_shared<SearchLog>();
  std::unique_ptr<Bamcp> planner;
};

/// The tree again, by maps and from the log alone.
struct PlainNode {
  int state = 0;
  std::uint64_t visits = 0;
  std::map<int, std::vector<double>> returns;  // [action]
  std::map<std::pair<int, std::pair<int, std::uint64_t>>, std::unique_ptr<PlainNode>> children;
};

double reward_of(const LoggedStep& step, double discount) {
  return step.taken.reward + (step.last ? 0 : discount * step.taken.arrival);
}

/// Of the steps from `first` on.
double return_of(const std::vector<LoggedStep>& steps, std::size_t first, double discount) {
  double sum = 0;
  for (std::size_t i = steps.size(); i-- > first;) sum = reward_of(steps[i], discount) + discount * sum;
  return sum;
}

/// Adds a simulation; look(node, depth, step) sees every decision that was made in the tree, before it
/// counts.
template <class Look>
void replay(PlainNode& root, const std::vector<LoggedStep>& steps, double discount, const Look& look) {
  PlainNode* node = &root;
  for (std::size_t depth = 0; depth < steps.size(); ++depth) {
    const LoggedStep& step = steps[depth];
    node->state = step.state;
    look(*node, depth, step);
    const bool met_first = node->visits++ == 0;
    node->returns[step.action].push_back(return_of(steps, depth, discount));
    if (met_first || depth + 1 == steps.size()) return;
    auto& child = node->children[{step.action, {step.taken.next, step.taken.evidence}}];
    if (!child) child = std::make_unique<PlainNode>();
    node = child.get();
  }
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

/// The children after an action: the most visited first, of equals the one with the lower state and evidence.
std::vector<const PlainNode*> children_after(const PlainNode& node, int action) {
  std::vector<const PlainNode*> all;
  for (const auto& [key, child] : node.children) {
    if (key.first == action) all.push_back(child.get());
  }
  std::ranges::stable_sort(all, std::ranges::greater{}, &PlainNode::visits);
  return all;
}

void expect_same_tree(const std::vector<ViewedAction>& seen, const PlainNode& node, std::uint64_t& nodes) {
  ++nodes;
  std::uint64_t visits = 0;
  for (const ViewedAction& one : seen) {
    const auto found = node.returns.find(one.action);
    const std::vector<double> returns = found == node.returns.end() ? std::vector<double>{} : found->second;
    EXPECT_EQ(one.visits, returns.size());
    EXPECT_EQ(std::isnan(one.value), returns.empty());
    if (!returns.empty()) {
      EXPECT_NEAR(one.value, mean_of(returns), 1e-9);
    }
    visits += one.visits;
    const std::vector<const PlainNode*> children = children_after(node, one.action);
    double of_children = 0;
    for (const PlainNode* child : children) of_children += static_cast<double>(child->visits);
    ASSERT_EQ(one.successors.size(), children.size());
    for (std::size_t c = 0; c < children.size(); ++c) {
      const ViewedSuccessor& successor = one.successors[c];
      EXPECT_EQ(successor.state, children[c]->state);
      EXPECT_EQ(successor.visits, children[c]->visits);
      EXPECT_EQ(successor.probability, static_cast<double>(successor.visits) / of_children);
      expect_same_tree(successor.actions, *children[c], nodes);
    }
  }
  EXPECT_EQ(visits, node.visits);
}

/// Bandits, maps, signs, both times of payment, problems of all kinds.
std::vector<std::unique_ptr<Problem>> problems_to_search() {
  std::vector<std::unique_ptr<Problem>> all;
  for (const char* spec : {"bandit(arms=3,horizon=12,discount=0.9)", "t_maze", "treasure_map(size=2,looks=1)",
                           "treasure_map(size=3,order=move_then_collect,discount=0.8)"}) {
    all.push_back(make_problem(spec));
  }
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    all.push_back(table_problem("random", support::random_problem(Rng(seed, 77))));
  }
  return all;
}

void expect_the_tree_of_its_log(const Searched& searched) {
  PlainNode root;
  for (const auto& steps : *searched.log) {
    replay(root, steps, searched.discount, [](const PlainNode&, std::size_t, const LoggedStep&) {});
  }
  std::uint64_t nodes = 0;
  expect_same_tree(searched.planner->view(1000, 1000), root, nodes);
  EXPECT_EQ(searched.planner->nodes(), nodes);
}

TEST(Bamcp, ItsTreeHoldsWhatTheSimulationsPaid) {
  for (const auto& problem : problems_to_search()) {
    SCOPED_TRACE(problem->name());
    for (const bool blind : {false, true}) {
      expect_the_tree_of_its_log(Searched(*problem, {.discount = problem->discount()}, 400, 0, blind));
    }
  }
}

/// UCB1 from scratch, with the range of the returns from `depth` on before this simulation.
void expect_upper_bound(const PlainNode& node, const Belief& knowledge, const LoggedStep& step,
                        double exploration, double range) {
  std::vector<int> untried;
  for (int a = 0; a < knowledge.actions(); ++a) {
    if (knowledge.allowed(step.state, a) && !node.returns.contains(a)) untried.push_back(a);
  }
  if (!untried.empty()) {
    EXPECT_TRUE(std::ranges::find(untried, step.action) != untried.end());
    return;
  }
  const auto bound = [&](int action) {
    const std::vector<double>& returns = node.returns.at(action);
    const double wide =
        std::sqrt(std::log(static_cast<double>(node.visits)) / static_cast<double>(returns.size()));
    return mean_of(returns) + exploration * (range > 0 ? range : 1) * wide;
  };
  for (const auto& [action, returns] : node.returns) {
    EXPECT_LE(bound(action), bound(step.action) + 1e-9) << "action " << action << " of " << step.state;
  }
}

TEST(Bamcp, DescendsByUpperConfidenceBounds) {
  for (const auto& problem : problems_to_search()) {
    SCOPED_TRACE(problem->name());
    const double exploration = 0.7;
    const Searched searched(*problem, {.discount = problem->discount(), .exploration = exploration}, 300);
    PlainNode root;
    std::map<std::size_t, std::pair<double, double>> ranges;  // [depth], of what was in the tree
    for (const auto& steps : *searched.log) {
      std::size_t inside = 0;
      replay(root, steps, searched.discount,
             [&](const PlainNode& node, std::size_t depth, const LoggedStep& step) {
               ++inside;
               if (node.visits == 0) return;
               const auto known = ranges.find(depth);
               const double range = known == ranges.end() ? 0 : known->second.second - known->second.first;
               expect_upper_bound(node, *searched.knowledge, step, exploration, range);
             });
      for (std::size_t depth = 0; depth < inside; ++depth) {
        const double value = return_of(steps, depth, searched.discount);
        auto& [low, high] = ranges.try_emplace(depth, value, value).first->second;
        low = std::min(low, value);
        high = std::max(high, value);
      }
    }
  }
}

TEST(Bamcp, RolloutsFollowWhatTheAgentLivedThroughAndNothingElse) {
  for (const auto& problem : problems_to_search()) {
    SCOPED_TRACE(problem->name());
    const double rate = 0.3;
    const int before = problem->horizon() - 2;
    const Searched searched(*problem, {.discount = problem->discount(), .epsilon = 0, .rate = rate}, 100,
                            std::max(1, before));
    std::map<std::pair<int, int>, double> q;
    const auto best = [&](int state) {
      double highest = -HUGE_VAL;
      for (int a = 0; a < problem->actions(); ++a) {
        if (searched.knowledge->allowed(state, a)) highest = std::max(highest, q[{state, a}]);
      }
      return highest;
    };
    for (const auto& [step, next] : searched.lived) {
      const double target = step.reward + problem->discount() * (step.arrival + best(next));
      double& value = q[{step.state, step.action}];
      value += rate * (target - value);
    }
    PlainNode root;
    for (const auto& steps : *searched.log) {
      std::size_t chosen_by_bounds = 0;
      replay(root, steps, searched.discount, [&](const PlainNode& node, std::size_t, const LoggedStep&) {
        chosen_by_bounds += node.visits > 0 ? 1 : 0;
      });
      for (std::size_t i = chosen_by_bounds; i < steps.size(); ++i) {
        EXPECT_EQ((q[{steps[i].state, steps[i].action}]), best(steps[i].state));
      }
    }
  }
}

TEST(Bamcp, LooksAsFarAsTheEpisodeAndThePrecision) {
  const auto problem = make_problem("bandit(arms=2,horizon=20)");
  const auto expect_depth = [&](double discount, double precision, int before, std::size_t depth, bool ends) {
    const Searched searched(*problem, {.discount = discount, .precision = precision}, 30, before);
    EXPECT_EQ(searched.planner->steps(), 30 * depth);
    for (const auto& steps : *searched.log) {
      EXPECT_EQ(steps.size(), depth);
      for (const LoggedStep& s : steps) EXPECT_EQ(s.last, ends && &s == &steps.back());
    }
  };
  expect_depth(1, 0.01, 0, 20, true);
  expect_depth(1, 0.01, 13, 7, true);
  expect_depth(0.5, 0.25, 0, 3, false);  // weights 1, 1/2, 1/4
  expect_depth(0.5, 0.26, 0, 2, false);
  expect_depth(0.5, 0.25, 18, 2, true);
  expect_depth(0, 0.01, 0, 1, false);
}

TEST(Bamcp, RandomRolloutsUseAllActions) {
  const auto problem = make_problem("bandit(arms=4,horizon=50)");
  const Searched searched(*problem, {.epsilon = 1}, 200);
  std::map<int, int> counts;
  for (const auto& steps : *searched.log) {
    for (std::size_t i = 20; i < steps.size(); ++i) ++counts[steps[i].action];
  }
  // 6000 draws at 1/4: a standard deviation of 34.
  for (int a = 0; a < 4; ++a) EXPECT_NEAR(counts[a], 1500, 6 * 34) << a;
}

/// Everything that a search found, in one line.
std::string as_text(const std::vector<ViewedAction>& actions) {
  std::string text;
  for (const ViewedAction& one : actions) {
    text += std::to_string(one.action) + ":" + std::to_string(one.visits) + "/" + std::to_string(one.value);
    for (const ViewedSuccessor& to : one.successors) text += " (" + as_text(to.actions) + ")";
    text += "; ";
  }
  return text;
}

std::string search_text(const Problem& problem, int trees, int threads, std::uint64_t seed) {
  Bamcp planner(*problem.prior(), {.discount = problem.discount(), .trees = trees});
  Episode episode = problem.episode(Rng(1));
  episode.arrive();
  std::string text;
  for (std::uint64_t run = 0; run < 3; ++run) {  // what was learned goes on to the next
    planner.run(episode.situation(), Rng(seed, run), {.simulations = 201}, threads);
    text += as_text(planner.view(4, 5)) + std::to_string(planner.steps()) + "\n";
  }
  return text;
}

TEST(BamcpThreads, NeverChangeAResult) {
  for (const char* spec : {"treasure_map(size=3)", "t_maze", "bandit(arms=5)"}) {
    const auto problem = make_problem(spec);
    for (const int trees : {1, 2, 5}) {
      const std::string alone = search_text(*problem, trees, 1, 3);
      EXPECT_EQ(search_text(*problem, trees, 2, 3), alone) << spec << " " << trees;
      EXPECT_EQ(search_text(*problem, trees, 0, 3), alone) << spec << " " << trees;
    }
  }
}

TEST(Bamcp, DependsOnItsSeedOnly) {
  const auto problem = make_problem("treasure_map(size=3)");
  EXPECT_EQ(search_text(*problem, 2, 1, 3), search_text(*problem, 2, 1, 3));
  EXPECT_NE(search_text(*problem, 2, 1, 3), search_text(*problem, 2, 1, 4));
}

}  // namespace
}  // namespace assay::test
