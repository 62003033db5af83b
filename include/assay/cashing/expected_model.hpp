// A belief model for problems whose moves are unknown.
//
// Lower: v^m, the value of the best plan in the expected environment, in which every transition probability
// is as the belief expects it. With moves unknown this is not quite a bound (a plan is not worth there what
// it is worth on average), but it has no noise; the bound that is reported of the root is what its plan
// collects on average in drawn environments (a cross-value). Upper: the mean of v^e over environments drawn
// at the root, each weighted by how likely it makes what has been seen since.
//
// One observation changes one row of the expected environment, so that a node's values start from its
// parent's and a few sweeps are enough.
#pragma once

#include <memory>
#include <vector>

#include "assay/cashing/belief_model.hpp"
#include "assay/cashing/environment_pool.hpp"

namespace assay {

struct ExpectedSettings {
  PoolSettings pool;
  std::size_t listed = 12;  // ends of an action; of more than these, those that are likely, and
  std::size_t drawn = 8;    // so many that stand for the others
};

class ExpectedModel final : public BeliefModel {
 public:
  ExpectedModel(const Simulator& simulator, const Knowledge& prior, const ExpectedSettings& settings,
                int horizon);

  void forget() override;
  std::uint32_t begin(const World& world, Rng rng) override;
  ValueBounds bounds(std::uint32_t belief, int state, int remaining) override;
  void look_ahead(std::uint32_t belief, int state, int remaining, std::vector<Prospect>& out) override;
  RootBounds root_bounds(int state, int remaining) override;
  bool lower_holds() const override { return false; }
  bool all_listed() const override { return false; }
  const Knowledge& knowledge(std::uint32_t belief) const override { return *beliefs_[belief].knowledge; }
  double discount() const override { return pool_.discount(); }
  double resolution() const override { return resolution_; }

 private:
  struct Arc {
    int next;
    float probability;
  };
  struct Change {
    std::uint32_t row;
    std::uint32_t first, end;  // of changed_arcs_
    float reward, base;
  };
  struct Belief {
    std::unique_ptr<Knowledge> knowledge;
    std::vector<Change> changes;  // of the root's table
    std::vector<float> values;    // [level][state]; one level if there is no end
    std::vector<float> weights;   // [environment], sum 1
  };
  struct Row {
    const Arc* first;
    const Arc* end;
    float reward;
    float base;  // the chance that every state has besides what its arc adds
  };

  [[nodiscard]] std::uint32_t after(std::uint32_t belief, int state, int action, const Outcome& seen);
  [[nodiscard]] float shorten(const std::vector<TabularMdp::Arc>& arcs, std::vector<Arc>& out) const;
  void note_row(Belief& belief, int state, int action);
  void use(const Belief& belief);
  void solve(Belief& belief, int remaining);
  [[nodiscard]] float value_of(const Row& row, const float* values, float sum) const;
  [[nodiscard]] float best_of(std::size_t state, const float* values, float sum) const;
  [[nodiscard]] std::vector<int> root_plan();
  [[nodiscard]] double lower(const Belief& belief, int state, int remaining) const;
  [[nodiscard]] double upper(const Belief& belief, int state, int remaining) const;
  void list_ends(std::uint32_t belief, int state, int action, int remaining, Prospect& prospect);
  void draw_ends(std::uint32_t belief, int state, int action, int remaining, Prospect& prospect);
  void add_end(std::uint32_t belief, int state, int action, const Outcome& seen, double probability,
               int remaining, Prospect& prospect);

  ExpectedSettings settings_;
  std::unique_ptr<Knowledge> prior_;
  EnvironmentPool pool_;
  std::size_t states_, actions_;
  std::vector<std::vector<int>> allowed_;
  std::vector<Change> root_rows_;  // [row]
  std::vector<Arc> root_arcs_;
  std::vector<Arc> changed_arcs_;
  std::vector<Row> rows_;
  std::vector<Belief> beliefs_;
  std::vector<float> last_values_;
  int remaining_ = 0;
  Rng rng_;
  std::uint64_t draws_ = 0;
  double enough_ = 1e-3;
  double resolution_ = 0;
};

}  // namespace assay
