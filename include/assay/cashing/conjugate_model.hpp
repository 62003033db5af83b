// A belief model for problems whose moves are known: beliefs as they are.
//
// Values are linear in the rewards, so that the best plan without further information is the one for the mean
// of what is believed, and v^m is its exact value: the lower bound holds. The upper one, E[v^e], is an
// average over environments drawn at the root, each weighted by how likely it makes what has been seen since.
#pragma once

#include <memory>
#include <vector>

#include "assay/cashing/belief_model.hpp"
#include "assay/cashing/known_moves.hpp"
#include "assay/solver/simulator.hpp"

namespace assay {

struct ConjugateSettings {
  std::size_t environments = 128;
  std::size_t listed = 64;  // ends of an action that are listed; if there are more, as many are drawn
  std::size_t drawn = 24;
  double discount = 1;
};

class ConjugateModel final : public BeliefModel {
 public:
  ConjugateModel(const Simulator& simulator, const Knowledge& prior, const ConjugateSettings& settings);

  std::uint32_t begin(const World& world, Rng rng) override;
  ValueBounds bounds(std::uint32_t belief, int state, int remaining) override;
  void look_ahead(std::uint32_t belief, int state, int remaining, std::vector<Prospect>& out) override;
  RootBounds root_bounds(int state, int remaining) override;
  /// As long as all ends could be listed.
  bool lower_holds() const override { return !drew_; }
  const Knowledge& knowledge(std::uint32_t belief) const override { return *beliefs_[belief].knowledge; }
  double discount() const override { return settings_.discount; }

 private:
  struct Belief {
    std::unique_ptr<Knowledge> knowledge;
    std::vector<float> weights;  // [environment], sum 1
  };

  [[nodiscard]] std::uint32_t after(const Belief& belief, int state, int action, const Outcome& seen);
  void list_ends(std::uint32_t belief, int state, int action, bool last, Prospect& prospect);
  [[nodiscard]] bool listable(const Belief& belief, int state, int action,
                              std::vector<Knowledge::Prediction>& out);
  void draw_ends(std::uint32_t belief, int state, int action, bool last, Prospect& prospect);
  [[nodiscard]] double told(const Belief& belief, int state, int remaining) const;
  void value_ends(int remaining, std::vector<Prospect>& out);

  ConjugateSettings settings_;
  std::unique_ptr<Knowledge> prior_;
  KnownMoves moves_;
  KnownMoves pool_moves_;
  std::vector<std::unique_ptr<Simulator>> pool_;
  std::vector<float> told_;     // [level][state][environment], after the arrival
  std::vector<float> arrival_;  // [state][environment]
  std::vector<Belief> beliefs_;
  std::vector<bool> many_;  // [state * (actions + 1) + action + 1]: too many ends to list
  std::size_t actions_;
  Rng rng_;
  std::uint64_t draws_ = 0;
  bool drew_ = false;  // ends
};

}  // namespace assay
