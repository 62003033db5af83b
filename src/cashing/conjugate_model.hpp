// A belief model for problems whose transitions are known: it keeps the beliefs themselves.
//
// Values are linear in the rewards, so that the best plan without further information is the plan for the
// mean environment, and v^m is its exact value: the lower bound holds. The upper bound, the full-information
// value E[v^e], is an average over environments drawn at the root, each weighted by its likelihood of what
// has been seen since.
//
// Where an action has too many successors to list (a map), a few are drawn, each with an environment from the
// same belief. Their values vary far more than the values of the actions differ, so that they only stand for
// what changing the plan adds: what the unchanged plan collects is known.
#pragma once

#include <memory>
#include <vector>

#include "assay/core/belief.hpp"
#include "cashing/belief_model.hpp"
#include "cashing/known_moves.hpp"

namespace assay {

struct ConjugateSettings {
  std::size_t environments = 128;
  std::size_t listed = 64;       // successors of an action; if there are more, so many are drawn:
  std::size_t drawn = 128;       // at the root, where they decide,
  std::size_t drawn_later = 32;  // and below
  double discount = 1;
};

class ConjugateModel final : public BeliefModel {
 public:
  ConjugateModel(const Belief& prior, const ConjugateSettings& settings);

  std::uint32_t begin(const Situation& situation, Rng rng) override;
  Bounds bounds(std::uint32_t belief, int state, int remaining) override;
  void look_ahead(std::uint32_t belief, int state, int remaining, std::vector<Choice>& out) override;
  EstimatedBounds root_bounds(int state, int remaining) override;
  bool lower_holds() const override { return true; }
  bool all_listed() const override { return !drew_; }
  const Belief& knowledge(std::uint32_t belief) const override { return *beliefs_[belief].knowledge; }
  double discount() const override { return settings_.discount; }
  double resolution() const override { return 0; }

 private:
  struct Pool {
    std::vector<std::unique_ptr<Environment>> environments;
    std::vector<float> full_values;  // v^e after the arrival, [level][state][environment]
    std::uint64_t draws = 0;         // how often successors were drawn on the way to it
  };
  struct Held {
    std::unique_ptr<Belief> knowledge;
    std::size_t pool = 0;
    std::vector<float> weights;  // [environment of the pool], sum 1
  };

  void solve(Pool& pool, int remaining);
  [[nodiscard]] std::uint32_t after(const Held& belief, int state, int action, const Outcome& seen);
  void list_successors(std::uint32_t belief, int state, int action, int remaining, Choice& choice);
  [[nodiscard]] bool listable(const Held& belief, int state, int action,
                              std::vector<Belief::Prediction>& out);
  void draw_successors(std::uint32_t belief, int state, int action, int remaining, Choice& choice);
  [[nodiscard]] double known_anyway(const Belief& known, const std::vector<Successor>& drawn, int remaining);
  [[nodiscard]] double full_value(const Held& belief, int state, int remaining) const;
  void value_successors(int remaining, std::vector<Choice>& out);

  ConjugateSettings settings_;
  std::unique_ptr<Belief> prior_;
  KnownMoves moves_;
  KnownMoves pool_moves_;
  std::vector<Pool> pools_;  // the root's, then one for every action whose successors were drawn
  std::vector<Held> beliefs_;
  std::vector<bool> many_;  // [state * (actions + 1) + action + 1]: too many successors to list
  std::size_t actions_;
  Rng rng_;
  bool drew_ = false;  // successors, since `begin`
};

}  // namespace assay
