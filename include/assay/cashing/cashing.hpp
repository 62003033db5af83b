// Predictive reward cashing: what knowledge is worth, what more could add, and the reward for gaining it.
//
// Equation names are those of the paper. Every estimate carries its standard error: 0 if it is exact, NaN if
// its draws cannot tell (a single world that all plans share).
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "assay/cashing/cross_samples.hpp"

namespace assay {

/// v^c(x,b) (the paper's value of current information, eq. "avg cross value"), or what the estimator puts in
/// its place.
Estimate current_information(const CrossSamples& samples, int state);

/// E[v^e(x;e)]: the value if the environment were known.
Estimate full_information(const CrossSamples& samples, int state);

/// B(x,b) = E[v^e] - v^c (eq. "bound"): no learning can add more.
Estimate information_bound(const CrossSamples& samples, int state);

/// One step of an agent: where it was, what it got, where it came to.
struct Step {
  int state = 0;
  double reward = 0;
  int next = 0;
};

/// lambda_t = r_t + gamma v^c(x_{t+1}, b_{t+1}) - v^c(x_t, b_t) (eq. "modified reward"). If both samples were
/// drawn with the same key, their common random numbers cancel in the standard error as they do in the
/// estimate.
Estimate cashed_reward(const Step& step, double discount, const CrossSamples& before,
                       const CrossSamples& after);

/// v^c(x_t, b_{t+1}) - v^c(x_t, b_t) (eq. "approximate PCR"): what the information that arrived at x_t is
/// worth.
Estimate approximate_cashed_reward(int state, const CrossSamples& before, const CrossSamples& after);

/// v^m(x,b) = max_pi E_e v^pi(x;e) for every state, by the reference solver. Needs known transitions.
std::vector<double> mean_plan_value(const Knowledge& knowledge, const Ending& ending);

/// How to find the cashed reward that can be expected.
struct Expectation {
  Estimator estimator = Linear{};
  Ending ending = StepsLeft{};
  DrawKey key;
  std::size_t outcomes = 64;  // to draw, where they are too many to sum over
  Kernel kernel = default_kernel();
  int threads = 1;
  std::function<void(double share)> watch = [](double) {};  // called from any thread as the work goes on
};

/// For each of the states, E[lambda] (approximate form) of a step there, before it is known what will be
/// seen: of arriving and of the most informative action, if actions inform.
std::vector<Estimate> expected_cashed_reward(const Knowledge& knowledge, std::span<const int> states,
                                             const Expectation& how);

}  // namespace assay
