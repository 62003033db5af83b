// A belief that passes every question on to another one, for tests that look at what is asked or change an
// answer.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assay/core/belief.hpp"

namespace assay::test {

class ForwardingBelief : public Belief {
 public:
  explicit ForwardingBelief(std::unique_ptr<Belief> real)
      : Belief(std::make_shared<const Outline>(real->outline())), real_(std::move(real)) {}

  std::unique_ptr<Belief> clone() const override { return real_->clone(); }
  void assign(const Belief& other) override { real_->assign(other); }
  std::string text() const override { return real_->text(); }
  void key(std::vector<std::uint64_t>& out) const override { real_->key(out); }
  void key_after(int state, int action, const Outcome& outcome,
                 std::vector<std::uint64_t>& out) const override {
    real_->key_after(state, action, outcome, out);
  }
  void restore(std::span<const std::uint64_t> key) override { real_->restore(key); }
  void observe(int state, int action, const Outcome& outcome) override {
    real_->observe(state, action, outcome);
  }
  bool learns(int state, int action) const override { return real_->learns(state, action); }
  bool collects(int state, int action) const override { return real_->collects(state, action); }
  double expected_reward(int state, int action) const override {
    return real_->expected_reward(state, action);
  }
  void expected_rewards(std::span<const StateAction> of, float* out, std::size_t stride) const override {
    real_->expected_rewards(of, out, stride);
  }
  double expected_arrival(int state) const override { return real_->expected_arrival(state); }
  double reward_spread(int state, int action) const override { return real_->reward_spread(state, action); }
  Outcome draw_outcome(int state, int action, Rng& rng) const override {
    return real_->draw_outcome(state, action, rng);
  }
  std::vector<Prediction> predict(int state, int action, std::size_t most) const override {
    return real_->predict(state, action, most);
  }
  bool finite() const override { return real_->finite(); }
  std::vector<Possibility> environments() const override { return real_->environments(); }
  std::span<const double> weights() const override { return real_->weights(); }
  Mdp environment(std::size_t which) const override { return real_->environment(which); }
  std::unique_ptr<Environment> environment() const override { return real_->environment(); }
  Mdp sample_table(Rng& rng) const override { return real_->sample_table(rng); }
  bool known_transitions() const override { return real_->known_transitions(); }
  bool expects_transitions() const override { return real_->expects_transitions(); }
  Mdp mean() const override { return real_->mean(); }
  Mdp expected() const override { return real_->expected(); }
  std::vector<Mdp::Arc> expected_arcs(int state, int action) const override {
    return real_->expected_arcs(state, action);
  }
  std::optional<InformationValues> closed_form(int remaining) const override {
    return real_->closed_form(remaining);
  }
  std::size_t feature_count() const override { return real_->feature_count(); }
  std::size_t feature_cells() const override { return real_->feature_cells(); }
  void features(std::span<double> out) const override { real_->features(out); }
  void draw(const DrawKey& key, std::size_t plans, std::size_t worlds,
            DrawnEnvironments& into) const override {
    real_->draw(key, plans, worlds, into);
  }

 protected:
  [[nodiscard]] const Belief& real() const { return *real_; }

 private:
  std::unique_ptr<Belief> real_;
};

}  // namespace assay::test
