// via: goes to a given state by a shortest way, then acts like vi_greedy. With the map's cell it is the
// script that a person would write for the treasure map: what a method that has to find the map should reach.
#include <limits>

#include "methods/planner.hpp"

namespace assay {
namespace {

struct ViaSettings {
  int state = 0;
  PlanClock clock = PlanClock::kStationary;
};

/// Moves from every state to `goal`.
std::vector<int> distances_to(int goal, int states, const Places& places) {
  constexpr int kFar = std::numeric_limits<int>::max() - 1;
  std::vector<int> distance(static_cast<std::size_t>(states), kFar);
  distance[static_cast<std::size_t>(goal)] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (int x = 0; x < states; ++x) {
      for (const Places::Option& option : places.options(x)) {
        const int through = distance[static_cast<std::size_t>(option.next)] + 1;
        if (through >= distance[static_cast<std::size_t>(x)]) continue;
        distance[static_cast<std::size_t>(x)] = through;
        changed = true;
      }
    }
  }
  return distance;
}

class ViaPlanner final : public MeanPlanner {
 public:
  ViaPlanner(const std::shared_ptr<const PlannedProblem>& problem, const ViaSettings& settings)
      : MeanPlanner(problem, settings.clock),
        settings_(settings),
        distance_(distances_to(settings.state, problem->prior->states(), *problem->places)) {}

  void begin(const World& world) override {
    MeanPlanner::begin(world);
    been_there_ = false;
  }
  int act(const World& world, Rng& rng) override {
    const int greedy = MeanPlanner::act(world, rng);
    been_there_ = been_there_ || world.state() == settings_.state;
    if (been_there_) return greedy;
    // Of the moves that lead nearer, the one that the plan likes best.
    const Places::Option* best = nullptr;
    for (const Places::Option& option : problem().places->options(world.state())) {
      const bool nearer = distance_[static_cast<std::size_t>(option.next)] <
                          distance_[static_cast<std::size_t>(world.state())];
      if (!nearer) continue;
      if (best == nullptr || plan().value(option.place) > plan().value(best->place)) best = &option;
    }
    return best == nullptr ? greedy : best->action;
  }
  std::unique_ptr<Policy> clone() const override { return std::make_unique<ViaPlanner>(*this); }

 private:
  ViaSettings settings_;
  std::vector<int> distance_;  // [state]
  bool been_there_ = false;
};

class ViaMethod final : public Method {
 public:
  explicit ViaMethod(const ViaSettings& settings) : settings_(settings) {}
  std::string objection(const Problem& problem) const override {
    if (settings_.state >= problem.states()) {
      return "there is no state " + std::to_string(settings_.state) + ", the last is " +
             std::to_string(problem.states() - 1);
    }
    return places_objection(problem);
  }
  std::unique_ptr<Policy> policy(const Problem& problem, std::string_view /*state*/,
                                 const Resources& /*resources*/) const override {
    return std::make_unique<ViaPlanner>(std::make_shared<const PlannedProblem>(problem), settings_);
  }

 private:
  ViaSettings settings_;
};

const RegisterMethod<ViaMethod, ViaSettings> kRegistered(
    "via", "goes to a given state by a shortest way, then acts like vi_greedy",
    Schema<ViaSettings>({
        integer("state", &ViaSettings::state, 0, 1'000'000'000, "the state to go to first"),
        choice("clock", &ViaSettings::clock, {"stationary", "remaining"},
               "then plan for the whole horizon at every step, or for what remains"),
    }));

}  // namespace
}  // namespace assay
