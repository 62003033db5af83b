// A belief model for problems whose moves are known: beliefs as they are.
//
// Values are linear in the rewards, so that the best plan without further information is the one for the mean
// of what is believed, and v^m is its exact value: the lower bound holds. The upper one, E[v^e], is an
// average over environments drawn at the root, each weighted by how likely it makes what has been seen since.
//
// Where an action has too many ends to list (a map), a few are drawn, each with an environment from the very
// belief. What they are worth varies far more than what one action is worth more than another, so they only
// stand for what being able to change the plan adds: what the plan as it is collects is known.
#pragma once

#include <memory>
#include <vector>

#include "assay/cashing/belief_model.hpp"
#include "assay/cashing/known_moves.hpp"
#include "assay/solver/simulator.hpp"

namespace assay {

struct ConjugateSettings {
  std::size_t environments = 128;
  std::size_t listed = 64;       // ends of an action that are listed; if there are more, so many are drawn:
  std::size_t drawn = 128;       // at the root, where they decide,
  std::size_t drawn_later = 32;  // and below
  double discount = 1;
};

/// Has everything that can be seen so few ways to turn out? A map has not, nor have normal rewards.
bool ends_can_be_listed(const Knowledge& prior, std::size_t most);

class ConjugateModel final : public BeliefModel {
 public:
  ConjugateModel(const Simulator& simulator, const Knowledge& prior, const ConjugateSettings& settings);

  std::uint32_t begin(const World& world, Rng rng) override;
  ValueBounds bounds(std::uint32_t belief, int state, int remaining) override;
  void look_ahead(std::uint32_t belief, int state, int remaining, std::vector<Prospect>& out) override;
  RootBounds root_bounds(int state, int remaining) override;
  bool lower_holds() const override { return true; }
  bool all_listed() const override { return !drew_; }
  const Knowledge& knowledge(std::uint32_t belief) const override { return *beliefs_[belief].knowledge; }
  double discount() const override { return settings_.discount; }
  double resolution() const override { return 0; }

 private:
  struct Pool {
    std::vector<std::unique_ptr<Simulator>> environments;
    std::vector<float> told;  // [level][state][environment], after the arrival
    std::uint64_t draws = 0;  // of ends, on the way to it
  };
  struct Belief {
    std::unique_ptr<Knowledge> knowledge;
    std::size_t pool = 0;
    std::vector<float> weights;  // [environment of the pool], sum 1
  };

  void solve(Pool& pool, int remaining);
  [[nodiscard]] std::uint32_t after(const Belief& belief, int state, int action, const Outcome& seen);
  void list_ends(std::uint32_t belief, int state, int action, int remaining, Prospect& prospect);
  [[nodiscard]] bool listable(const Belief& belief, int state, int action,
                              std::vector<Knowledge::Prediction>& out);
  void draw_ends(std::uint32_t belief, int state, int action, int remaining, Prospect& prospect);
  [[nodiscard]] double known_anyway(const Knowledge& known, const std::vector<Possible>& ends, int remaining);
  [[nodiscard]] double told(const Belief& belief, int state, int remaining) const;
  void value_ends(int remaining, std::vector<Prospect>& out);

  ConjugateSettings settings_;
  std::unique_ptr<Knowledge> prior_;
  KnownMoves moves_;
  KnownMoves pool_moves_;
  std::unique_ptr<Simulator> simulator_;
  std::vector<Pool> pools_;  // the root's, then one for every action whose ends were drawn
  std::vector<Belief> beliefs_;
  std::vector<bool> many_;  // [state * (actions + 1) + action + 1]: too many ends to list
  std::size_t actions_;
  Rng rng_;
  bool drew_ = false;  // ends
};

}  // namespace assay
