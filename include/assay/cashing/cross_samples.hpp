// What an estimator has found out about one belief, for every state: the material of v^c, B and lambda.
#pragma once

#include <cstddef>
#include <vector>

#include "assay/cashing/estimator.hpp"
#include "assay/core/draw_key.hpp"
#include "assay/solver/cross_solver.hpp"
#include "assay/solver/information.hpp"
#include "assay/solver/knowledge.hpp"

namespace assay {

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

/// The machinery that can be reused from belief to belief: nothing is allocated when shapes stay the same.
class CrossSampler {
 public:
  CrossSampler(const Estimator& estimator, const Ending& ending, Kernel kernel = default_kernel(),
               int threads = 1)
      : estimator_(estimator), ending_(ending), solver_(kernel, threads) {}

  void sample(const Knowledge& knowledge, const DrawKey& key, CrossSamples& into);
  [[nodiscard]] CrossSamples sample(const Knowledge& knowledge, const DrawKey& key) {
    CrossSamples samples;
    sample(knowledge, key, samples);
    return samples;
  }

  void set_ending(const Ending& ending) { ending_ = ending; }

 private:
  void with(const Crossed& how, const Knowledge& knowledge, CrossSamples& into);
  void with(const Paired& how, const Knowledge& knowledge, CrossSamples& into);
  void with(const Linear& how, const Knowledge& knowledge, CrossSamples& into);
  void with(const Summed& how, const Knowledge& knowledge, CrossSamples& into);
  void with(const MeanPlan& how, const Knowledge& knowledge, CrossSamples& into);
  void with(const BestPlan& how, const Knowledge& knowledge, CrossSamples& into);
  void keep_full(std::size_t plans, CrossSamples& into) const;

  Estimator estimator_;
  Ending ending_;
  CrossSolver solver_;
  DrawnEnvironments drawn_;
};

}  // namespace assay
