// An episode as it can be watched: what the agent did, what it believed, and its estimates of values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/core/policy.hpp"
#include "assay/problem/problem.hpp"

namespace assay {

/// Values of the next place to collect at, before the choice. NaN where they are unknown.
struct Worth {
  double current = 0;  // v^c, or v^m (Trace::mean_plan)
  double bound = 0;    // B
  double future = 0;   // v^f, as the policy estimates it
  double total = 0;    // the policy's estimate of the whole value
};

/// The moment between arriving and acting.
struct TraceStep {
  int state = 0;
  int action = 0;
  double reward = 0;  // of the arrival and the action together
  Outcome arrival, outcome;
  std::string seen;                                   // what was observed, as text; empty if nothing
  std::string belief, belief_after;                   // as text: before the action, and after it
  std::vector<double> numbers, numbers_after;         // the same beliefs as numbers: Belief::features
  std::vector<double> mean, spread;                   // [state]: the mean and the uncertainty of its reward
  std::vector<double> current, bound, future, total;  // [state]; empty if unknown
  Worth at;                                           // of the place that is chosen
  double cashed = 0;                                  // what the information of this step added to v^c
  std::string why;                                    // the reason for the action; empty if unknown
  SearchView search;                                  // what it searched before; may be empty
};

struct Trace {
  std::string label, method;
  std::uint64_t seed = 0;  // of the training
  double undiscounted = 0, discounted = 0;
  bool mean_plan = false;  // the method's value of current information is v^m, not v^c
  int environment = -1;    // the true one, if there are finitely many
  std::vector<TraceStep> steps;
};

/// One test episode, played by several methods.
struct PlayedEpisode {
  int episode = 0;
  std::uint64_t test_seed = 0;
  std::vector<double> truth;  // [state]: its mean reward in the true environment
  std::vector<Trace> traces;
};

/// How much of a search is recorded.
struct SearchDetail {
  int levels = 2;
  std::size_t successors = 5;  // of every action
};

/// Plays the episode that run_episode plays with this `rng`, and records it.
Trace trace_episode(const Problem& problem, const Policy& policy, const Rng& rng,
                    const SearchDetail& detail = {});

/// [state], the mean rewards in the environment of that episode.
std::vector<double> hidden_rewards(const Problem& problem, const Rng& rng);

}  // namespace assay
