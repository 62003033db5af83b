// Families of unknown rewards for tests: small ones, and copies of the families of Bernoulli cells.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "assay/families/builders.hpp"

namespace assay::test {

/// Certain moves that pay nothing, without an environment to choose: state x, action a leads to next(x, a);
/// -1 if it may not be done.
template <class Next>
TableFamily known_moves(int states, int actions, int horizon, double discount,
                        const std::vector<Start>& starts, const Next& next) {
  std::vector<std::string> state_names;
  std::vector<std::string> action_names;
  for (int x = 0; x < states; ++x) state_names.push_back("s" + std::to_string(x));
  for (int a = 0; a < actions; ++a) action_names.push_back("a" + std::to_string(a));
  TableBuilder table(state_names, action_names);
  table.horizon(horizon).discount(discount);
  table.environment("the only one");
  for (const Start& s : starts) table.start(s.state, s.probability);
  for (int x = 0; x < states; ++x) {
    for (int a = 0; a < actions; ++a) {
      if (next(x, a) >= 0) table.outcome(x, a, {{1, {next(x, a), 0, {}}}});
    }
  }
  return table.build();
}

/// One state; every action stays there.
inline TableFamily one_place(int actions, int horizon) {
  return known_moves(1, actions, horizon, 1, {{0, 1}}, [](int, int) { return 0; });
}

/// An arm for each of the rewards, which pulling it pays.
inline CellFamily written_bandit(std::vector<UnknownReward> arms, int horizon) {
  CellBuilder builder(one_place(static_cast<int>(arms.size()), horizon));
  for (UnknownReward& arm : arms) {
    const int number = builder.unknown(std::move(arm));
    builder.pull(0, number, {number, 0, true});
  }
  return builder.build();
}

/// A family of Bernoulli cells, written out; prior(cell) is an unnamed reward.
template <class F, class Prior>
CellBuilder written_out(const F& family, const Prior& prior) {
  const auto next = [&](int x, int a) { return allowed(family, x, a) ? family.next(x, a) : -1; };
  CellBuilder builder(known_moves(family.states(), family.actions(), family.horizon(), family.discount(),
                                  family.starts(), next));
  for (int c = 0; c < family.cells(); ++c) {
    UnknownReward reward = prior(c);
    reward.name = "cell " + std::to_string(c);
    builder.unknown(reward);
  }
  for (int x = 0; x < family.states(); ++x) {
    for (int a = kArrive; a < family.actions(); ++a) {
      if (a != kArrive && !allowed(family, x, a)) continue;
      for (const Pull& pull : family.pulls(x, a)) builder.pull(x, a, pull);
    }
  }
  return builder;
}

inline UnknownReward bernoulli_reward(std::string name, double a, double b, double amount = 1) {
  UnknownReward reward;
  reward.name = std::move(name);
  reward.amount = amount;
  reward.a = a;
  reward.b = b;
  return reward;
}

inline UnknownReward normal_reward(std::string name, double mean, double deviation, double noise) {
  UnknownReward reward;
  reward.name = std::move(name);
  reward.law = UnknownReward::Law::kNormal;
  reward.mean = mean;
  reward.deviation = deviation;
  reward.noise = noise;
  return reward;
}

}  // namespace assay::test
