// Predictive reward cashing: what knowledge is worth, what more could add, and the reward for gaining it.
//
// v^c(x,b) is the mean of the cross-value v^{e'}(x;e) over independent e, e' from b (the paper's "value of
// current information"). An estimator says how to average over the environments of a belief; a sampler
// applies it to one belief, for every state; and v^c, E[v^e], B and lambda are read from its samples.
//
// Equation names are those of the paper. Every estimate carries its standard error: 0 if it is exact, NaN if
// its draws cannot tell (a single world that all plans share).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "assay/core/belief.hpp"
#include "assay/core/detail/bounds.hpp"
#include "assay/core/detail/draw_key.hpp"
#include "assay/core/detail/kernel.hpp"
#include "assay/solver/detail/ending.hpp"

namespace assay {

/// The paper's estimator: N plans e'_n, each valued in the same M worlds e_m. M = 1 is what it suggests; then
/// the spread of the worlds is unknown, and the standard error with it.
struct Crossed {
  std::size_t plans = 80;
  std::size_t worlds = 1;
};

/// N pairs, each plan in a world of its own. As cheap as Crossed with M = 1 and far less noisy.
struct Paired {
  std::size_t pairs = 80;
};

/// Exact over e, drawn over e': N plans, each valued in the posterior-mean environment. Values are linear in
/// the rewards, so this is the expectation over e when the transitions are known.
struct Linear {
  std::size_t plans = 80;
};

/// Sums over all pairs of a finite belief, in double precision: exact.
struct Summed {};

/// v^m: the value of the plan that is optimal for the mean environment, the best that does not count on
/// learning. At least v^c, and convex in the belief, so that what is cashed is never negative in expectation.
/// The draws serve the full-information value only.
struct MeanPlan {
  std::size_t draws = 80;
};

/// The best of N drawn plans. With known transitions each is valued exactly in the mean environment. Else it
/// is chosen in the first half of M worlds and valued in the second, so that its value is not flattered.
struct BestPlan {
  std::size_t plans = 80;
  std::size_t worlds = 80;
};

using Estimator = std::variant<Crossed, Paired, Linear, Summed, MeanPlan, BestPlan>;

/// "crossed", "paired", "linear", "summed", "mean", "best".
std::string estimator_name(const Estimator& estimator);
std::vector<std::string> estimator_names();
/// With this many draws. Throws UsageError for an unknown name.
Estimator estimator_named(std::string_view name, std::size_t draws);

/// One quantity: either exact, or draws to average. Draws form a table of worlds by plans; with one world, or
/// with one for each plan, they are just independent.
struct Draws {
  std::size_t states = 0;
  std::size_t worlds = 0;  // 0: exact
  std::size_t plans = 0;
  bool crossed = false;       // the worlds are shared by the plans: their draws are not independent
  std::vector<float> drawn;   // [world][state][plan]
  std::vector<double> exact;  // [state]

  [[nodiscard]] bool is_exact() const { return worlds == 0; }
  [[nodiscard]] std::size_t size() const { return worlds * plans; }
  [[nodiscard]] double at(std::size_t world, int state, std::size_t plan) const {
    return static_cast<double>(drawn[(world * states + static_cast<std::size_t>(state)) * plans + plan]);
  }
};

struct CrossSamples {
  DrawKey key;
  Draws current;        // v^{e'}(x;e)
  Draws full;           // v^{e'}(x;e')
  bool paired = false;  // draw i of both comes from the same plan
};

/// What is needed for that can be used again from belief to belief: nothing is allocated while shapes stay
/// the same.
class CrossSampler {
 public:
  CrossSampler(const Estimator& estimator, const Ending& ending, Kernel kernel = default_kernel(),
               int threads = 1);
  ~CrossSampler();
  CrossSampler(CrossSampler&&) noexcept;
  CrossSampler& operator=(CrossSampler&&) noexcept;

  void sample(const Belief& belief, const DrawKey& key, CrossSamples& into);
  [[nodiscard]] CrossSamples sample(const Belief& belief, const DrawKey& key);

 private:
  class Machine;
  std::unique_ptr<Machine> machine_;
};

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
std::vector<double> mean_plan_value(const Belief& knowledge, const Ending& ending);

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
std::vector<Estimate> expected_cashed_reward(const Belief& knowledge, std::span<const int> states,
                                             const Expectation& how);

}  // namespace assay
