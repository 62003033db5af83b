// An upper bound for problems in which every outcome only rules environments out: a search for something
// hidden, say.
//
// The full-information value is a poor bound there: it is that of going straight to the goal, though places
// can be looked at only one by one. This bound forgets which environments are left and remembers how many of
// each group: a tally. With W_h(x,m) the most that can be collected from tally m, each environment counted
// with the weight of its group,
//
//   W_h(x,m) = max_a max_{sum of m_B = m} sum_B sum_{o in B} p_o [ |m_B| r_o + gamma W_{h-1}(x_o, m_B) ],
//
// where what a shows is in which block B of environments one is, and m_B holds no more of a group than B has
// (with chance between several such splits, the mean over them). What shows more or less than that is taken
// to tell all environments apart that differ there: more than it does, so the bound holds. Any set of
// environments with tally m could be split as the true one is, so nothing is missed. Rewards are shifted to
// be >= 0: then W grows with the weights, and a belief whose weights are at most c times those of its groups
// is worth at most c W. More groups: a better bound, in the limit the exact solution; there are as many as
// memory and time allow.
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

  /// Nothing if it is hardly better than full information (signs that make environments more or less likely
  /// do that), or if even one group takes more than `bytes` or `work` (additions). The tables must be
  /// complete.
  static std::optional<TallyBound> make(const FiniteModel& model, const PlanTables& tables, std::size_t bytes,
                                        double work, const Resources& resources);

  [[nodiscard]] Tally tally(std::span<const BeliefTable::Share> belief) const;
  /// Arrived at x, h steps to go; infinity where no episode from the start leads.
  [[nodiscard]] double upper(int h, int x, const Tally& tally) const;

  [[nodiscard]] int groups() const { return static_cast<int>(members_.size()); }
  [[nodiscard]] std::size_t bytes() const { return values_.capacity() * sizeof(double); }

 private:
  struct Likely {
    std::uint32_t result;  // of the row
    double probability;
    auto operator<=>(const Likely&) const = default;
  };
  /// Environments that an arrival or an action does not tell apart. Where chance decides which blocks there
  /// are (into which state one slips, say), each choice is a part, and its blocks hold all environments.
  struct Block {
    int part = 0;
    std::vector<int> environments;
    std::vector<Likely> results;
    std::uint64_t most = 0;  // packed: how many of each group it has
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
  std::vector<Blocks> blocks_;                     // [state][action + 1], by part; none if it teaches nothing
  std::vector<std::uint32_t> rank_;                // [h][state], of the pairs that episodes lead to
  std::vector<std::vector<int>> reached_;          // [h]: the states of these pairs
  std::vector<std::uint32_t> first_rank_;          // [h]
  double lowest_arrival_ = 0, lowest_action_ = 0;  // rewards
  std::vector<double> shift_;                      // [h], what the shifts add up to

  std::vector<int> possible_;              // environments
  std::vector<int> order_;                 // the same, like ones together
  std::vector<int> group_of_;              // [environment]; -1 if it is impossible
  std::vector<std::vector<int>> members_;  // [group]
  std::vector<double> weights_;            // [group], the largest of its environments; any would do
  std::vector<std::size_t> strides_;       // [group], of tally numbers
  std::size_t solved_groups_ = 0;          // how many the values are for
  std::size_t tallies_ = 0;                // how many there are
  unsigned bits_ = 0;                      // of a group in a packed tally, with one guard
  std::uint64_t guards_ = 0;               // packed: the guard bits
  std::vector<std::uint64_t> packed_;      // [tally]
  std::vector<double> mass_;               // [tally]

  std::vector<double> values_;                    // [rank][tally], arrived
  std::vector<double> arriving_, next_arriving_;  // [rank in h][tally], about to arrive, for h - 1 and h
};

}  // namespace assay
