// via: goes to a given state by a shortest path and then acts like vi_greedy. With the cell of the map it is
// the rule that a person would write for the treasure map, which a method that has to find the map by itself
// should equal.
#include <limits>

#include "assay/problem/registry.hpp"
#include "methods/planner.hpp"

namespace assay {
namespace {

struct ViaSettings {
  int state = 0;
  PlanClock clock = PlanClock::kStationary;
};

/// The only state that an action leads to; -1 if the action is not allowed.
int successor(const Mdp& mdp, int state, int action) {
  const auto row = static_cast<std::size_t>(state) * static_cast<std::size_t>(mdp.actions) +
                   static_cast<std::size_t>(action);
  return mdp.first_arc[row] == mdp.first_arc[row + 1] ? -1 : mdp.arcs[mdp.first_arc[row]].next;
}

/// The number of moves from every state to `goal`.
std::vector<int> distances_to(int goal, const Mdp& mdp) {
  constexpr int kFar = std::numeric_limits<int>::max() - 1;
  std::vector<int> distance(static_cast<std::size_t>(mdp.states), kFar);
  distance[static_cast<std::size_t>(goal)] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (int x = 0; x < mdp.states; ++x) {
      for (int a = 0; a < mdp.actions; ++a) {
        const int next = successor(mdp, x, a);
        if (next < 0) continue;
        const int through = distance[static_cast<std::size_t>(next)] + 1;
        if (through >= distance[static_cast<std::size_t>(x)]) continue;
        distance[static_cast<std::size_t>(x)] = through;
        changed = true;
      }
    }
  }
  return distance;
}

class ViaPlanner final : public Planner {
 public:
  ViaPlanner(const Problem& problem, const ViaSettings& settings)
      : Planner(expected_environment(), ClockedPlan(problem, settings.clock, problem.discount())),
        goal_(settings.state),
        moves_(problem.prior()->mean()),
        distance_(distances_to(goal_, moves_)) {}

  void begin(const Situation& situation) override {
    Planner::begin(situation);
    been_there_ = false;
  }
  int act(const Situation& situation, Rng& rng) override {
    const int greedy = Planner::act(situation, rng);
    been_there_ = been_there_ || situation.state() == goal_;
    if (been_there_) return greedy;
    // Of the moves that lead nearer to the goal, the one that the plan prefers.
    int best = greedy;
    double most = -std::numeric_limits<double>::infinity();
    for (int a = 0; a < situation.actions(); ++a) {
      const int next = successor(moves_, situation.state(), a);
      const bool nearer = next >= 0 && distance_[static_cast<std::size_t>(next)] <
                                           distance_[static_cast<std::size_t>(situation.state())];
      if (!nearer || plan().value_after(situation, a) <= most) continue;
      best = a;
      most = plan().value_after(situation, a);
    }
    return best;
  }
  std::unique_ptr<Policy> clone() const override { return std::make_unique<ViaPlanner>(*this); }

 private:
  int goal_;
  Mdp moves_;
  std::vector<int> distance_;  // [state]
  bool been_there_ = false;
};

class ViaMethod final : public Method {
 public:
  explicit ViaMethod(const ViaSettings& settings) : settings_(settings) {}
  std::vector<Need> needs() const override {
    return {Need::kStillHidden, Need::kKnownMoves, Need::kOneCollection, Need::kCertainMoves,
            Need::kFiniteOrCells};
  }
  std::string refusal(const Problem& problem) const override {
    if (settings_.state < problem.states()) return "";
    return "there is no state " + std::to_string(settings_.state) + ", the last is " +
           std::to_string(problem.states() - 1);
  }
  std::unique_ptr<Policy> policy(const Problem& problem, std::string_view /*state*/,
                                 const Resources& /*resources*/) const override {
    return std::make_unique<ViaPlanner>(problem, settings_);
  }

 private:
  ViaSettings settings_;
};

const RegisterMethod<ViaMethod, ViaSettings> kRegistered(
    "via", "goes to a given state by a shortest path, then acts like vi_greedy",
    Schema<ViaSettings>({
        integer("state", &ViaSettings::state, 0, 1'000'000'000, "the state to go to first"),
        choice("clock", &ViaSettings::clock, {"stationary", "remaining"},
               "afterwards, plan for the whole horizon at every step, or for the steps that remain"),
    }));

}  // namespace
}  // namespace assay
