#include <assay/assay.hpp>
#include <iostream>

int main() {
  // A T-maze: reward in one arm, punishment in the other, and a cue that tells which.
  const auto maze = assay::make_problem("t_maze(distance=3,arm=3)");

  // What is present knowledge worth, what could more of it add, and how much of that can be had?
  const auto solved = maze->exact({});
  const auto knowledge = maze->information({});
  std::cout << "v* = " << solved->bayes_optimal() << ", v^c = " << knowledge.current.value
            << ", bound = " << knowledge.bound.value << "\n";

  // Watch the optimal agent fetch the information first.
  const auto agent = assay::make_method("exact")->solve(*maze, assay::Rng(1), 0);
  const auto world = maze->world();
  assay::run_episode(*world, *agent, assay::Rng(2), [&](const assay::World&, const assay::StepRecord& step) {
    std::cout << maze->state_name(step.state) << " -> " << maze->action_name(step.action) << "\n";
  });
}
