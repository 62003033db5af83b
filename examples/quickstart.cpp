#include <assay/assay.hpp>
#include <iostream>

int main() {
  // A T-maze: a reward in one arm, a punishment in the other, and a cue that shows which is which.
  const auto maze = assay::make_problem("t_maze(distance=3,arm=3)");

  // What is present knowledge worth, and what could more of it add at most?
  const auto solved = maze->exact({});
  const auto knowledge = maze->information({});
  std::cout << "v* = " << solved->value() << ", v^c = " << knowledge.current.value
            << ", B = " << knowledge.bound.value << "\n";

  // The optimal agent goes to the cue first.
  const auto agent = assay::make_method("exact")->solve(*maze, {}).policy;
  assay::Episode episode = maze->episode(assay::Rng(0));
  const auto print = [&](const assay::Situation&, const assay::StepRecord& step) {
    std::cout << maze->state_name(step.state) << " -> " << maze->action_name(step.action) << "\n";
  };
  assay::run_episode(episode, *agent, assay::Rng(2), {.acted = print});
}
