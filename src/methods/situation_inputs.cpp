#include "methods/situation_inputs.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace assay {

SituationInputs::SituationInputs(const Problem& problem)
    : horizon_(problem.horizon()),
      each_(problem.horizon() / problem.outline().repeats),
      states_(static_cast<std::size_t>(problem.states())),
      hashed_states_(std::min(states_, kMostStates)),
      rewards_(static_cast<std::size_t>(problem.actions())),
      belief_(*problem.prior()) {
  clock_at_ = hashed_states_;
  if (!problem.drawable()) return;

  if (problem.prior()->feature_cells() == states_) cell_features_ = belief_.features() / states_;
  channels_ = 2 + cell_features_;
  clock_at_ += 2;
  std::map<std::pair<int, int>, int> at;
  double rows = 1;
  double columns = 1;
  for (int x = 0; x < problem.states(); ++x) {
    const Cell cell = problem.cell(x);
    at[{cell.row, cell.column}] = x;
    rows = std::max(rows, static_cast<double>(cell.row));
    columns = std::max(columns, static_cast<double>(cell.column));
  }
  for (int x = 0; x < problem.states(); ++x) {
    const Cell cell = problem.cell(x);
    places_.push_back(static_cast<float>(cell.row / rows));
    places_.push_back(static_cast<float>(cell.column / columns));
    for (int row = -kRadius; row <= kRadius; ++row) {
      for (int column = -kRadius; column <= kRadius; ++column) {
        const auto found = at.find({cell.row + row, cell.column + column});
        windows_.push_back(found == at.end() ? -1 : found->second);
      }
    }
  }
}

void SituationInputs::know(const Belief& belief, int state, Scratch& scratch, std::span<float> known) const {
  std::ranges::fill(known, 0.0F);
  scratch.features.resize(belief_.features());
  belief.features(scratch.features);
  float* out = known.data();
  for (std::size_t w = 0; w < window_count() / std::max<std::size_t>(channels_, 1); ++w) {
    const int near = windows_[static_cast<std::size_t>(state) * kWindow + w];
    if (near >= 0) {
      out[0] = 1;
      out[1] = BeliefInputs::on_log_scale(belief.expected_arrival(near));
      for (std::size_t f = 0; f < cell_features_; ++f) {
        out[2 + f] =
            BeliefInputs::on_log_scale(scratch.features[f * states_ + static_cast<std::size_t>(near)]);
      }
    }
    out += channels_;
  }
  for (std::size_t a = 0; a < rewards_; ++a) {
    const int action = static_cast<int>(a);
    if (belief.allowed(state, action))
      out[a] = BeliefInputs::on_log_scale(belief.expected_reward(state, action));
  }
  out += rewards_;
  belief_.show(scratch.features, std::span(out, belief_.count()));
}

void SituationInputs::show(int state, int remaining, std::span<const float> known,
                           std::span<float> inputs) const {
  const auto x = static_cast<std::size_t>(state);
  std::fill_n(inputs.begin(), hashed_states_, 0.0F);
  inputs[states_ <= kMostStates ? x : BeliefInputs::hash_of(x) % kMostStates] = 1;
  if (!places_.empty()) std::copy_n(places_.data() + 2 * x, 2, inputs.data() + hashed_states_);
  const int left = (remaining - 1) % each_ + 1;  // of this episode
  float* clock = inputs.data() + clock_at_;
  clock[0] = static_cast<float>(remaining) / static_cast<float>(horizon_);
  clock[1] = static_cast<float>(left) / static_cast<float>(each_);
  clock[2] = 1 / static_cast<float>(left);  // the last steps differ most
  std::ranges::copy(known, clock + kClocks);
}

}  // namespace assay
