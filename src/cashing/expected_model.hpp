// A belief model for problems whose transitions are unknown.
//
// The lower value is v^m, of the best plan in the expected environment, whose every transition probability is
// the posterior mean. This is not quite a bound, because the value of a plan there is not its mean value over
// the environments, but it has no noise; the bound that is reported of the root is what its plan collects on
// average in drawn environments (a cross-value). The upper value is E[v^e], the mean over environments drawn
// at the root, each weighted by its likelihood of what has been seen since.
//
// One observation changes one row of the expected environment, so that the values of a successor start from
// those of the belief before it, and a few sweeps are enough.
#pragma once

#include <memory>
#include <vector>

#include "cashing/belief_model.hpp"
#include "cashing/environment_pool.hpp"

namespace assay {

struct ExpectedSettings {
  PoolSettings pool;
  std::size_t listed = 12;  // successors of an action; of more than these, those that are likely, and
  std::size_t drawn = 8;    // so many that stand for the others
};

class ExpectedModel final : public BeliefModel {
 public:
  ExpectedModel(const Belief& prior, const ExpectedSettings& settings, int horizon);

  void forget() override;
  std::uint32_t begin(const Situation& situation, Rng rng) override;
  Bounds bounds(std::uint32_t belief, int state, int remaining) override;
  void look_ahead(std::uint32_t belief, int state, int remaining, std::vector<Choice>& out) override;
  EstimatedBounds root_bounds(int state, int remaining) override;
  bool lower_holds() const override { return false; }
  bool all_listed() const override { return false; }
  const Belief& knowledge(std::uint32_t belief) const override { return *beliefs_[belief].knowledge; }
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
  struct Held {
    std::unique_ptr<Belief> knowledge;
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
  [[nodiscard]] float shorten(const std::vector<Mdp::Arc>& arcs, std::vector<Arc>& out) const;
  void note_row(Held& belief, int state, int action);
  void use(const Held& belief);
  void solve(Held& belief, int remaining);
  [[nodiscard]] float value_of(const Row& row, const float* values, float sum) const;
  [[nodiscard]] float best_of(std::size_t state, const float* values, float sum) const;
  [[nodiscard]] std::vector<int> root_plan();
  [[nodiscard]] double lower(const Held& belief, int state, int remaining) const;
  [[nodiscard]] double upper(const Held& belief, int state, int remaining) const;
  void list_successors(std::uint32_t belief, int state, int action, int remaining, Choice& choice);
  void draw_successors(std::uint32_t belief, int state, int action, int remaining, Choice& choice);
  void add_successor(std::uint32_t belief, int state, int action, const Outcome& seen, double probability,
                     int remaining, Choice& choice);

  ExpectedSettings settings_;
  std::unique_ptr<Belief> prior_;
  EnvironmentPool pool_;
  std::size_t states_, actions_;
  std::vector<std::vector<int>> allowed_;
  std::vector<Change> root_rows_;  // [row]
  std::vector<Arc> root_arcs_;
  std::vector<Arc> changed_arcs_;
  std::vector<Row> rows_;
  std::vector<Held> beliefs_;
  std::vector<float> last_values_;
  int remaining_ = 0;
  Rng rng_;
  std::uint64_t draws_ = 0;
  double enough_ = 1e-3;
  double resolution_ = 0;
};

}  // namespace assay
