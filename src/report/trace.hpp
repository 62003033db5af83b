// An episode as it can be watched: what the agent did, what it knew, and what it took that to be worth.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/core/policy.hpp"
#include "assay/problem/problem.hpp"

namespace assay {

/// Values of the next place to collect at, before the choice. NaN where they are not known.
struct Worth {
  double current = 0;  // v^c, or v^m (Trace::mean_plan)
  double bound = 0;    // B
  double future = 0;   // v^f, as the policy sees it
  double total = 0;    // what the policy thinks it is worth in all
};

/// The moment between arriving and acting.
struct TraceStep {
  int state = 0;
  int action = 0;
  double reward = 0;  // of the arrival and the action together
  Outcome arrival, outcome;
  std::string seen;                            // what was observed, as text; empty if nothing
  std::string belief, belief_after;            // as text: what the action was chosen with, and what it led to
  std::vector<double> numbers, numbers_after;  // the same beliefs as numbers: World::features
  std::vector<double> mean, spread;  // [state]: what a step there is believed to pay, and how unsure that is
  std::vector<double> current, bound, future, total;  // [state]; empty if not known
  Worth at;                                           // of the place that is chosen
  double cashed = 0;                                  // what the information of this step added to v^c
  std::string why;                                    // why it acts so, for people; empty if not known
  SearchView search;                                  // what it looked at before; empty: nothing
};

struct Trace {
  std::string label, method;
  std::uint64_t seed = 0;  // of the training
  double undiscounted = 0, discounted = 0;
  bool mean_plan = false;  // the method's value of current information is v^m, not v^c
  int environment = -1;    // the hidden one, where there are finitely many
  std::vector<TraceStep> steps;
};

/// One test episode, played by several methods.
struct PlayedEpisode {
  int episode = 0;
  std::uint64_t test_seed = 0;
  std::vector<double> truth;  // [state]: what a step there pays on average in the hidden environment
  std::vector<Trace> traces;
};

/// How much of a search is written down.
struct SearchDetail {
  int levels = 2;
  std::size_t successors = 5;  // of every action
};

/// Plays the episode that run_episode plays with this `rng`, and writes down what there is to see.
Trace trace_episode(const Problem& problem, const Policy& policy, const Rng& rng,
                    const SearchDetail& detail = {});

/// [state], of that episode's environment.
std::vector<double> hidden_rewards(const Problem& problem, const Rng& rng);

}  // namespace assay
