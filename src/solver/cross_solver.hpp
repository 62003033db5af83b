// Cross-values of many environments at once (appendix A of the paper), in single precision.
//
// For each lane: the optimal values of a plan environment e', and the values of its optimal plan in another
// environment e, both for every state:
//
//   v_h(x) = max_a  r'(x,a) + gamma sum_y p'(y|x,a) v_{h-1}(y)
//   u_h(x) = r(x,a_h(x)) + gamma sum_y p(y|x,a_h(x)) u_{h-1}(y)
//
// where a_h(x) is the first action that attains the maximum.
//
// The reference in double precision is mdp.hpp and stationary.hpp. Both give ties to the lowest action
// number; here, actions tie when their values are the same float. In the code, `plan` stands for e' and v,
// `world` for e and u.
#pragma once

#include <span>

#include "assay/core/detail/kernel.hpp"
#include "assay/solver/detail/ending.hpp"
#include "assay/solver/detail/environment_batch.hpp"

namespace assay {

class CrossSolver {
 public:
  explicit CrossSolver(Kernel kernel = default_kernel(), int threads = 1)
      : kernel_(kernel), threads_(threads) {}

  /// The optimal values of every environment.
  void solve(const EnvironmentBatch& plans, const Ending& ending);
  /// The optimal values, and the value of each environment's plan in the other environment of the same lane.
  void solve(const EnvironmentBatch& plans, const EnvironmentBatch& worlds, const Ending& ending);
  /// The optimal values, and the value of each environment's plan in one environment that all lanes share.
  void solve(const EnvironmentBatch& plans, const SharedEnvironment& world, const Ending& ending);

  /// What is valued where entering a state pays: being about to leave the state (as everywhere else), or
  /// being about to enter it.
  enum class Moment { kBeforeMove, kBeforeEntry };
  void set_moment(Moment moment) { moment_ = moment; }

  /// The values of the last solve: [state][kTile] of one tile.
  [[nodiscard]] std::span<const float> plan_tile(std::size_t tile) const {
    return tile_of(plan_value_, tile);
  }
  [[nodiscard]] std::span<const float> world_tile(std::size_t tile) const {
    return tile_of(world_value_, tile);
  }
  [[nodiscard]] float plan_value(std::size_t environment, int state) const;
  [[nodiscard]] float world_value(std::size_t environment, int state) const;
  /// How far the values of the last solve can be from their limit, apart from rounding; 0 for a known number
  /// of steps. A cross-value belongs to a plan that is optimal for its environment to within this.
  [[nodiscard]] double truncation() const { return truncation_; }
  [[nodiscard]] Kernel kernel() const { return kernel_; }

 private:
  struct World;
  void run(const EnvironmentBatch& plans, const World& world, const Ending& ending);
  [[nodiscard]] std::span<const float> tile_of(const Lanes& values, std::size_t tile) const {
    return std::span(values).subspan(tile * stride_, stride_);
  }

  Kernel kernel_;
  int threads_;
  Moment moment_ = Moment::kBeforeMove;
  std::size_t stride_ = 0;
  double truncation_ = 0;
  Lanes plan_value_;   // [tile][state][kTile]
  Lanes world_value_;  // [tile][state][kTile]
  Lanes scratch_;      // [tile or thread-free slice][...]
};

}  // namespace assay
