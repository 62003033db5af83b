// An upper bound for problems in which every outcome only rules environments out, such as a search for
// something hidden.
//
// The full-information value is a poor bound for such problems: it is the value of going straight to the
// goal, although places can be looked at only one by one. The bound of this file forgets which environments
// are left and remembers how many of each group are left: a tally. Let W_h(x,m) be the most that can be
// collected from tally m, where each environment counts with the weight of its group. Then
//
//   W_h(x,m) = max_a max_{sum of m_B = m} sum_B sum_{o in B} p_o [ |m_B| r_o + gamma W_{h-1}(x_o, m_B) ],
//
// where the outcome of a shows in which block B of environments the true one is, and m_B holds no more of a
// group than B has (with several such splits and their probabilities, the mean over them). An action that
// shows more or less than that is treated as if it distinguished all environments that differ there; that is
// more than it does, so the bound holds. Any set of environments with tally m could be split as the true one
// is, so nothing is missed. Rewards are shifted to be >= 0. Then W grows with the weights, and a belief
// whose weights are at most c times those of its groups is worth at most c W. More groups give a better
// bound, in the limit the exact solution. There are as many groups as memory and time allow.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "assay/solver/detail/finite_model.hpp"
#include "solver/belief_table.hpp"
#include "solver/plan_tables.hpp"

namespace assay {

class TallyBound {
 public:
  struct Tally {
    std::uint32_t number;
    double factor;  // the belief's weights are at most this times those of their groups
  };

  /// None if the bound is hardly better than full information (as with signs that make environments more or
  /// less likely), or if even one group takes more than `bytes` or `work` (additions). The tables must be
  /// complete.
  static std::optional<TallyBound> make(const FiniteModel& model, const PlanTables& tables, std::size_t bytes,
                                        double work, const Resources& resources);

  [[nodiscard]] Tally tally(std::span<const BeliefTable::Share> belief) const;
  /// The bound after arriving at x with h steps to go; infinity where no episode from the start leads.
  [[nodiscard]] double upper(int h, int x, const Tally& tally) const;

  [[nodiscard]] int groups() const { return static_cast<int>(members_.size()); }
  [[nodiscard]] std::size_t bytes() const { return values_.capacity() * sizeof(double); }

 private:
  struct Likely {
    std::uint32_t result;  // of the row
    double probability;
    auto operator<=>(const Likely&) const = default;
  };
  /// Environments that an arrival or an action does not distinguish. Where chance decides which blocks there
  /// are (into which state one slips, say), each possibility is a part, and its blocks contain all
  /// environments.
  struct Block {
    int part = 0;
    std::vector<int> environments;
    std::vector<Likely> results;
    std::uint64_t most = 0;  // packed: how many of each group the block has
  };
  using Blocks = std::vector<Block>;
  struct Scratch;

  TallyBound(const FiniteModel& model, const PlanTables& tables);
  void find_blocks();
  [[nodiscard]] bool find_blocks(int x, int a);
  void tell_all(int x, int a);
  [[nodiscard]] bool find_part(int x, int a, std::span<const std::uint32_t> results, int part);
  [[nodiscard]] bool find_reached(double most_work);
  void shift_rewards();
  void order_environments();
  [[nodiscard]] std::size_t most_groups(std::size_t bytes, double work);
  bool group(std::size_t groups);
  [[nodiscard]] double count_within(std::uint64_t most) const;
  [[nodiscard]] double work() const;
  [[nodiscard]] std::size_t table_bytes() const;
  void number_tallies();
  [[nodiscard]] double gain() const;

  void solve(const Resources& resources);
  void choose(int h, int x, Scratch& scratch);
  void arrive(int h, int x, Scratch& scratch);
  void cap(int h, int x, std::span<double> values) const;
  void split(int h, int x, int a, Scratch& scratch) const;
  void split_part(std::span<const Block> blocks, int h, int x, int a, Scratch& scratch) const;
  void block_values(const Block& block, int h, int x, int a, std::span<double> into) const;
  void combine(std::uint64_t one, std::uint64_t other, Scratch& scratch) const;
  void list_within(std::uint64_t most, std::vector<std::uint32_t>& into) const;

  [[nodiscard]] std::size_t pair(int h, int x) const {
    return static_cast<std::size_t>(h) * static_cast<std::size_t>(model_->states()) +
           static_cast<std::size_t>(x);
  }
  [[nodiscard]] std::size_t row(int x, int a) const {
    return static_cast<std::size_t>(x) * static_cast<std::size_t>(model_->actions() + 1) +
           static_cast<std::size_t>(a + 1);
  }
  /// Packed tallies: is no group of `part` larger than that of `whole`?
  [[nodiscard]] bool fits(std::uint64_t part, std::uint64_t whole) const {
    return (((whole | guards_) - part) & guards_) == guards_;
  }
  [[nodiscard]] std::span<double> values_at(int h, int x) {
    return {values_.data() + rank_[pair(h, x)] * tallies_, tallies_};
  }

  static constexpr std::uint32_t kUnreached = 0xffffffffU;

  const FiniteModel* model_;
  const PlanTables* tables_;
  std::vector<Blocks> blocks_;                     // [state][action + 1], by part; none if nothing is learned
  std::vector<std::uint32_t> rank_;                // [h][state], of the pairs that episodes lead to
  std::vector<std::vector<int>> reached_;          // [h]: the states of these pairs
  std::vector<std::uint32_t> first_rank_;          // [h]
  double lowest_arrival_ = 0, lowest_action_ = 0;  // rewards
  std::vector<double> shift_;                      // [h], the sum of the shifts

  std::vector<int> possible_;              // environments
  std::vector<int> order_;                 // the same, with similar ones together
  std::vector<int> group_of_;              // [environment]; -1 if it is impossible
  std::vector<std::vector<int>> members_;  // [group]
  std::vector<double> weights_;            // [group], the largest of its environments; any would be valid
  std::vector<std::size_t> strides_;       // [group], of tally numbers
  std::size_t solved_groups_ = 0;          // the number of groups that the values belong to
  std::size_t tallies_ = 0;                // the number of tallies
  unsigned bits_ = 0;                      // of a group in a packed tally, with one guard bit
  std::uint64_t guards_ = 0;               // packed: the guard bits
  std::vector<std::uint64_t> packed_;      // [tally]
  std::vector<double> mass_;               // [tally]

  std::vector<double> values_;                    // [rank][tally], after the arrival
  std::vector<double> arriving_, next_arriving_;  // [rank in h][tally], about to arrive, for h - 1 and h
};

}  // namespace assay
