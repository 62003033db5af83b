// Situations and problems for what searches among beliefs.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "assay/core/episode.hpp"
#include "assay/core/rng.hpp"
#include "assay/families/builders.hpp"
#include "assay/problem/registry.hpp"
#include "assay/solver/detail/mdp.hpp"
#include "support/written_cells.hpp"

namespace assay::test {

/// An episode in which so many actions were done at random, arrived.
inline Episode walked_episode(const Problem& problem, std::uint64_t seed, int steps) {
  Episode episode = problem.episode(Rng(seed, 1));
  episode.arrive();
  Rng luck(seed, 2);
  for (int i = 0; i < steps; ++i) {
    int action = -1;
    while (!episode.situation().allowed(action)) {
      action = static_cast<int>(uniform_index(luck, static_cast<std::uint64_t>(problem.actions())));
    }
    episode.act(action);
    episode.arrive();
  }
  return episode;
}

/// What an agent sees then.
inline Situation walked(const Problem& problem, std::uint64_t seed, int steps) {
  return walked_episode(problem, seed, steps).situation();
}

/// What `steps` backups in floats can be off, with rewards up to `reward` and so many terms in each sum.
inline double float_slack(int steps, double reward, int terms) {
  return 0x1p-23 * (terms + 3) * steps * steps * reward;
}

/// Rewards of cells on arrival and of actions, looks, moves by chance, an action that is not allowed
/// everywhere.
inline CellFamily slippery_cells(int horizon, double discount) {
  TableBuilder table({"left", "middle", "right"}, {"go", "stay"});
  table.horizon(horizon).discount(discount).start(1);
  table.environment("the only one");
  for (int x = 0; x < 3; ++x) {
    table.outcome(x, 0, {{0.7, {(x + 1) % 3, 0, {}}}, {0.3, {(x + 2) % 3, 0.125, {}}}});
    if (x != 2) table.outcome(x, 1, {{1, {x, 0.25, {}}}});
  }
  CellBuilder builder(table.build());
  const int here = builder.unknown(bernoulli_reward("here", 1, 2));
  const int there = builder.unknown(bernoulli_reward("there", 0.5, 0.5));
  const int hidden = builder.unknown(bernoulli_reward("hidden", 2, 1, -1));
  builder.pull(0, kArrive, {here, 0, true});
  builder.pull(0, kArrive, {there, 1, false});
  builder.pull(1, 1, {there, 0, true});
  builder.pull(0, 1, {hidden, 0, true});
  builder.pull(2, 0, {hidden, 2, false});
  return builder.build();
}

/// The problems of known moves that the tests go through.
inline std::vector<std::unique_ptr<Problem>> known_moves_problems() {
  std::vector<std::unique_ptr<Problem>> all;
  for (const char* spec : {"treasure_map(size=3,looks=1,horizon=4)", "bandit(arms=3,horizon=5,discount=0.9)",
                           "treasure_map(size=2,looks=2,horizon=4,order=move_then_collect,prior_a=0.5)"}) {
    all.push_back(make_problem(spec));
  }
  all.push_back(cell_problem("slippery", slippery_cells(5, 0.9)));
  return all;
}

struct MeanAndError {
  double mean = 0, error = 0, deviation = 0;
};

inline MeanAndError mean_and_deviation(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  double sum = 0;
  for (const double v : values) sum += v;
  double squares = 0;
  for (const double v : values) squares += (v - sum / n) * (v - sum / n);
  const double deviation = std::sqrt(squares / (n - 1));
  return {sum / n, deviation / std::sqrt(n), deviation};
}

}  // namespace assay::test
