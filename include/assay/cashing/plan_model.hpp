// A belief model for problems whose moves are unknown: beliefs as weights of drawn environments.
//
// The environments are an EnvironmentPool, drawn at the root. A belief further on is how likely each of them
// makes what has been seen since. Upper: the mean of v^e. Lower: what the best of the pool's plans collects on
// average. A plan that is chosen by the environments that it is then valued in looks better than it is, the
// more so the fewer are left; so each half of the pool chooses for the other one.
#pragma once

#include <memory>
#include <vector>

#include "assay/cashing/belief_model.hpp"
#include "assay/cashing/environment_pool.hpp"

namespace assay {

class PlanModel final : public BeliefModel {
 public:
  PlanModel(std::unique_ptr<Simulator> simulator, std::unique_ptr<Knowledge> knowledge,
            const PoolSettings& settings, int horizon);

  std::uint32_t begin(const World& world, Rng rng) override;
  ValueBounds bounds(std::uint32_t belief, int state, int remaining) override;
  void look_ahead(std::uint32_t belief, int state, int remaining, std::vector<Prospect>& out) override;
  double discount() const override { return pool_.discount(); }

 private:
  struct Share {
    std::uint32_t environment;
    float weight;
  };
  struct Belief {
    std::uint32_t first, count;  // of shares_
    double weight;               // of all
    std::uint32_t plan;          // the best for all
  };

  [[nodiscard]] ValueBounds value(std::uint32_t belief, int state, int remaining);

  EnvironmentPool pool_;
  std::vector<std::vector<int>> allowed_;  // [state]
  std::vector<bool> learns_;               // [state][action]
  std::size_t actions_;
  std::vector<Belief> beliefs_;
  std::vector<Share> shares_;
  std::vector<double> mass_;      // [state]
  std::vector<int> met_;          // states with mass
  std::vector<float> even_, odd_;  // [plan]
};

}  // namespace assay
