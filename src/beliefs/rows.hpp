// Beliefs about unknown transition rows: Dirichlet or sparse Dirichlet laws, which counting updates.
//
// A belief holds the list of the different transitions that were seen, each with its number, in the order of
// their pairs. This list is canonical, so it is its own key. Its length depends on what was seen and not on
// what could be seen (a maze of 264 states has 280 000 pairs, of which a few thousand occur), so that
// copying is cheap. No episode can show more different transitions than it has steps, so that keys have a
// fixed size, which is small where pairs are few or episodes are short: those are the problems that can be
// enumerated.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "assay/beliefs/detail/cells.hpp"
#include "assay/core/belief.hpp"
#include "beliefs/row_table.hpp"

namespace assay {

class DrawnRows;

/// A model whose hidden part is the unknown rows of a table, and the unknown rewards paid there.
template <class M>
concept RowLikeFamily = requires(const M& f) {
  { f.rows() } -> std::convertible_to<std::shared_ptr<const RowTable>>;
};

class RowBelief {
 public:
  /// Draws rows only when they are needed (drawn_rows.hpp).
  template <class M>
  using LazyEnvironment = DrawnRows;

  template <RowLikeFamily M>
  explicit RowBelief(const M& model) : RowBelief(model.rows()) {}
  explicit RowBelief(std::shared_ptr<const RowTable> rows) : rows_(std::move(rows)), rewards_(*rows_) {}

  [[nodiscard]] const RowTable& table() const { return *rows_; }
  [[nodiscard]] const std::shared_ptr<const RowTable>& shared_table() const { return rows_; }
  [[nodiscard]] const CellBelief& rewards() const { return rewards_; }

  /// A transition that was seen and how often: the pair is in the upper half, the number in the lower.
  using Seen = std::uint64_t;
  static std::uint32_t pair_of(Seen seen) { return static_cast<std::uint32_t>(seen >> 32U); }
  static std::uint32_t times_of(Seen seen) { return static_cast<std::uint32_t>(seen); }
  [[nodiscard]] std::span<const Seen> seen() const { return seen_; }
  [[nodiscard]] std::span<const Seen> seen_in(std::size_t row) const;
  [[nodiscard]] SupportSize support(std::size_t row) const;

  template <class M>
  RowEnvironment sample(const M& /*model*/, Rng& rng) const {
    return draw(rng);
  }
  /// The density with respect to the counting measure over sets of successors and, for each set, the uniform
  /// measure.
  template <class M>
  double log_density(const M& /*model*/, const RowEnvironment& e) const {
    return log_density_at(e);
  }

  template <class M>
  double expected_reward(const M& /*model*/, int x, int action) const {
    return expected_reward_at(rows_->row_of(x, action));
  }
  template <class M>
  double reward_variance(const M& /*model*/, int x, int action) const {
    return landing_variance(rows_->row_of(x, action)) + rewards_.reward_variance(*rows_, x, action);
  }

  /// Calls visit(probability, place of the successor in the row's list) for every successor that can come
  /// next.
  template <class Visit>
  void predict_row(std::size_t row, Visit&& visit) const {
    const RowTable::Row& here = rows_->row(row);
    if (!here.unknown()) {
      for (std::size_t slot = 0; slot < here.count; ++slot) visit(rows_->known(here)[slot], slot);
      return;
    }
    const SupportSize size = support(row);
    const double alpha = rows_->law(here).law.alpha;
    std::span<const Seen> counts = seen_in(row);
    for (std::size_t slot = 0; slot < here.count; ++slot) {
      double p = size.unseen_share();
      if (!counts.empty() && pair_of(counts.front()) == here.pair + slot) {
        p = size.seen_share() * (alpha + times_of(counts.front()));
        counts = counts.subspan(1);
      }
      if (p > 0) visit(p, slot);
    }
  }

  template <class M, class Visit>
  void expected_arcs(const M& /*model*/, int x, int action, Visit&& visit) const {
    const std::size_t row = rows_->row_of(x, action);
    const std::span<const int> next = rows_->successors(rows_->row(row));
    predict_row(row, [&](double p, std::size_t slot) { visit(p, next[slot]); });
  }

  template <class M, class Visit>
  void predict(const M& /*model*/, int x, int action, Visit&& visit) const {
    Outcome outcome{.next = x, .reward = 0, .observation = {}};
    if (action == kArrive) return visit(1.0, std::as_const(outcome));
    const std::size_t row = rows_->row_of(x, action);
    const RowTable::Row& here = rows_->row(row);
    const std::span<const int> next = rows_->successors(here);
    const UnknownReward* paid = here.pulls ? &rows_->enumerable_reward(row) : nullptr;
    const double success = paid == nullptr ? 0 : rewards_.mean(rows_->paid_cell(row));
    predict_row(row, [&](double p, std::size_t slot) {
      outcome.next = next[slot];
      outcome.reward = rows_->reward(here, slot);
      visit((1 - success) * p, std::as_const(outcome));
      if (paid == nullptr) return;
      outcome.reward += paid->amount;
      visit(success * p, std::as_const(outcome));
    });
  }

  /// Can any outcome change the belief?
  template <class M>
  bool learns(const M& /*model*/, int x, int action) const {
    if (action == kArrive) return false;
    return rows_->row(rows_->row_of(x, action)).unknown() || rewards_.learns(*rows_, x, action);
  }

  template <class M>
  void observe(const M& /*model*/, int x, int action, const Outcome& seen) {
    rewards_.observe(*rows_, x, action, seen);  // throws if it is impossible
    if (action != kArrive) count(rows_->row_of(x, action), seen.next);
  }

  /// The key of the belief after an outcome that `predict` named, which saves the exact solver a copy for
  /// each arc.
  template <class M>
  void pack_after(const M& /*model*/, int x, int action, const Outcome& seen,
                  std::span<std::uint64_t> key) const {
    rewards_.pack_after(*rows_, x, action, seen, key.last(rewards_.words()));
    pack_rows_after(x, action, seen, key.first(key.size() - rewards_.words()));
  }

  /// With few unknown pairs, how likely each is to come next; with many, how well each unknown row is known.
  /// Then the features of the unknown rewards.
  [[nodiscard]] std::size_t feature_count() const { return row_features() + rewards_.feature_count(); }
  void features(std::span<double> out) const;

  /// As many as an episode can need. There are more only after more steps than an episode has.
  [[nodiscard]] std::size_t words() const {
    return std::max(rows_->most_seen(), seen_.size()) + rewards_.words();
  }
  void pack(std::span<std::uint64_t> key) const;
  void unpack(std::span<const std::uint64_t> key);

  /// A text like "forward at 0: 1 x3, 0 x1; back at 2: 0 x1", shortened if it is long.
  template <class M>
  std::string text(const M& model) const {
    return as_text([&](int x) { return model.state_name(x); }, [&](int a) { return model.action_name(a); });
  }

 private:
  using Name = std::function<std::string(int)>;
  static constexpr std::size_t kFewPairs = 1024;

  void count(std::size_t row, int next);
  void pack_rows_after(int x, int action, const Outcome& seen, std::span<std::uint64_t> key) const;
  [[nodiscard]] RowEnvironment draw(Rng& rng) const;
  [[nodiscard]] double log_density_at(const RowEnvironment& e) const;
  [[nodiscard]] double row_log_density(std::size_t row, std::span<const RowArc> arcs) const;
  [[nodiscard]] double expected_reward_at(std::size_t row) const;
  [[nodiscard]] double landing_variance(std::size_t row) const;
  [[nodiscard]] std::size_t row_features() const;
  [[nodiscard]] std::string as_text(const Name& state, const Name& action) const;

  std::shared_ptr<const RowTable> rows_;
  std::vector<Seen> seen_;  // ascending
  CellBelief rewards_;
};

/// Draws rows, one at a time and in two parts: first the seen successors, with what all others have
/// together; then the others. Given the number of others, the parts are independent, and the second is
/// rarely needed. Intermediate results that depend on few numbers are remembered, so that no row is computed
/// twice. Each thread has its own object.
class RowSampler {
 public:
  explicit RowSampler(std::shared_ptr<const RowTable> table) : table_(std::move(table)) {}

  /// The probabilities of the seen successors and, if there are others, the sum of theirs. Returns how many
  /// others occur.
  std::size_t draw_seen(std::size_t row, std::span<const RowBelief::Seen> seen, Rng& rng);
  /// Which others occur, as places in the row's list, and the share of each. None is left out, however small
  /// its share is.
  void draw_others(std::size_t row, std::span<const RowBelief::Seen> seen, std::size_t count, Rng& rng);
  /// The last draw.
  [[nodiscard]] std::span<const std::uint32_t> slots() const { return slots_; }
  [[nodiscard]] std::span<const double> probabilities() const { return probabilities_; }

 private:
  const SupportSize& support(std::uint32_t law, std::span<const RowBelief::Seen> seen);
  /// `wanted` of the successors that were not seen, every set with the same probability.
  void choose(std::size_t wanted, const RowTable::Row& row, std::span<const RowBelief::Seen> seen, Rng& rng);
  /// Converts logarithms of Gamma variates to shares.
  void normalise();

  std::shared_ptr<const RowTable> table_;
  std::vector<std::uint32_t> slots_;
  std::vector<double> probabilities_;
  std::vector<std::unordered_map<std::uint64_t, SupportSize>> supports_;  // [law], by what it depends on
};

namespace detail {
/// All draws of an environment come from splits of this stream: both parts of each row, and the rewards.
Rng environment_stream(Rng& rng);
inline Rng row_stream(const Rng& environment, std::size_t row) { return environment.split(2 * row); }
inline Rng others_stream(const Rng& environment, std::size_t row) { return environment.split(2 * row + 1); }
inline Rng reward_stream(const Rng& environment, const RowTable& table) {
  return environment.split(2 * table.rows());
}
}  // namespace detail

}  // namespace assay

#include "beliefs/drawn_rows.hpp"
