// Rewards that are sums of independent cells: how a batch of environments is filled from drawn fields.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "assay/solver/detail/environment_batch.hpp"
#include "assay/solver/detail/mdp.hpp"

namespace assay {

/// How rewards are made of cells; this does not change when something is learned.
class FieldRewards {
 public:
  template <class M>
  explicit FieldRewards(const M& model) {
    // Rewards are sums of cells. A field without coincidences shows which cells belong to states and which
    // to choices.
    std::vector<double> field(static_cast<std::size_t>(model.cells()));
    for (std::size_t c = 0; c < field.size(); ++c) field[c] = 1 / (3 + static_cast<double>(c));
    const Mdp probe = tabulate(model, field);
    dynamics_ = std::make_shared<const Dynamics>(common_dynamics(std::span(&probe, 1)));
    cells_ = field.size();
    const auto note = [&](std::size_t reward, int x, int a) {
      std::vector<std::size_t>& parts = parts_.at(reward);
      parts.clear();
      model.paid_probability(x, a, [&](int cell) {
        parts.push_back(static_cast<std::size_t>(cell));
        return 0.0;
      });
    };
    parts_.resize(dynamics_->rewards());
    for_each_reward(note);
    direct_ = parts_.size() == cells_;
    for (std::size_t i = 0; i < parts_.size(); ++i)
      direct_ = direct_ && parts_[i] == std::vector<std::size_t>{i};
  }

  [[nodiscard]] const std::shared_ptr<const Dynamics>& dynamics() const { return dynamics_; }

  /// Draws the rewards of the batch; `draw(out)` draws fields as [tile][cell][kTile].
  template <class Draw>
  void fill(EnvironmentBatch& batch, const Draw& draw) const {
    if (direct_) return draw(batch.rewards());
    Lanes field(batch.tiles() * cells_ * kTile);
    draw(std::span<float>(field));
    sum_parts(field, batch);
  }

 private:
  /// Calls note(reward, x, a) with one choice for each reward.
  template <class Note>
  void for_each_reward(const Note& note) const;
  void sum_parts(const Lanes& field, EnvironmentBatch& batch) const;

  std::shared_ptr<const Dynamics> dynamics_;
  std::size_t cells_ = 0;
  std::vector<std::vector<std::size_t>> parts_;  // [reward]: the cells that it is the sum of
  bool direct_ = false;                          // reward i is cell i
};

template <class Note>
void FieldRewards::for_each_reward(const Note& note) const {
  constexpr int kStay = 4;  // on a king grid, staying collects here and enters here
  for (int x = 0; x < dynamics_->states; ++x) {
    const auto at = static_cast<std::size_t>(x);
    if (dynamics_->form == Dynamics::Form::kKingGrid) {
      note(at, x, kStay);
      continue;
    }
    for (std::size_t c = dynamics_->first_choice[at]; c < dynamics_->first_choice[at + 1]; ++c) {
      note(dynamics_->pays == Dynamics::Pays::kState ? at : c, x, dynamics_->action[c]);
    }
  }
}

}  // namespace assay
