// Transition rows: where each action can lead from each state, the prior of the probabilities, and the
// rewards.
//
// An unknown row lists its possible successors. Its law is a Dirichlet over all of them, or a sparse one
// (Friedman and Singer 1999): only k of the L listed successors occur, P(k) falls geometrically, every set
// of k is equally likely, and within the set the law is a Dirichlet. A plain Dirichlet is the case k = L, so
// that the same code handles both.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "assay/beliefs/detail/cells.hpp"
#include "assay/core/rng.hpp"

namespace assay {

/// The prior of an unknown row.
struct RowLaw {
  enum class Kind { kDirichlet, kSparse };
  Kind kind = Kind::kDirichlet;
  double alpha = 1;       // concentration of each successor
  double sparsity = 0.5;  // sparse: P(k successors occur) is proportional to sparsity^k

  bool operator==(const RowLaw&) const = default;
};

struct RowArc {
  int next = 0;
  double probability = 1;

  bool operator==(const RowArc&) const = default;
};

/// An environment: every row as a list of outcomes, and the value of each unknown reward.
struct RowEnvironment {
  std::vector<std::uint32_t> first = {0};  // [row + 1], of arcs
  /// The successors of an unknown row: all that occur, even if a probability is too small for its type.
  std::vector<RowArc> arcs;
  std::vector<double> values;  // [unknown reward]: its chance, or its mean

  [[nodiscard]] std::span<const RowArc> row(std::size_t which) const {
    return std::span(arcs).subspan(first[which], first[which + 1] - first[which]);
  }
  bool operator==(const RowEnvironment&) const = default;
};

/// The posterior of the number k of successors that occur in a row, after `total` steps that led to `seen`
/// different ones of the `listed` successors. With counts N_i, the data have probability
///
///   P(k) C(L-k0, k-k0)/C(L, k) Gamma(k alpha)/Gamma(k alpha + N) prod_i Gamma(alpha + N_i)/Gamma(alpha)
///
/// for k >= k0 = seen, with N = total and L = listed. The factor in the middle is the probability that a
/// uniform set of k contains the seen ones; it is k!/(k-k0)! times a constant. So only (k0, N) matter.
class SupportSize {
 public:
  SupportSize(const RowLaw& law, std::size_t listed, std::size_t seen, std::uint64_t total);

  /// P(k | data) for k = least(), least() + 1, ...; the terms left out sum to less than 1e-17.
  [[nodiscard]] std::span<const double> weights() const { return weights_; }
  [[nodiscard]] std::size_t least() const { return least_; }
  /// E[1/(k alpha + N)]. Times alpha + N_i it is the probability that a seen successor comes next.
  [[nodiscard]] double seen_share() const { return seen_share_; }
  /// The probability that each of the unseen successors comes next; 0 if there are none.
  [[nodiscard]] double unseen_share() const { return unseen_share_; }
  /// log P(exactly these k occur, which include all seen ones | data); -infinity if k is impossible.
  [[nodiscard]] double log_support(std::size_t k) const;
  [[nodiscard]] std::size_t draw(Rng& rng) const;

 private:
  std::size_t listed_, seen_, least_;
  std::vector<double> weights_;
  double seen_share_ = 0;
  double unseen_share_ = 0;
};

/// All rows of a model, shared by its beliefs. Row (x, a) has the number x * actions + a. A pair is a row
/// and one of its successors; pairs are numbered through all rows.
class RowTable {
 public:
  static constexpr std::uint32_t kKnown = ~std::uint32_t{0};

  struct Row {
    std::uint32_t pair = 0;   // of its first successor
    std::uint32_t list = 0;   // the place of its list of successors among all lists
    std::uint32_t count = 0;  // of successors; 0 if the action is not allowed
    std::uint32_t law = kKnown;
    double reward = 0;   // for acting
    bool lands = false;  // are there rewards for landing?
    bool pulls = false;  // is an unknown reward paid?

    [[nodiscard]] bool unknown() const { return law != kKnown; }
  };
  /// The law of rows with a certain number of successors.
  struct ListedLaw {
    RowLaw law;
    std::size_t listed = 0;
  };
  /// What a builder specifies for a row.
  struct Said {
    std::vector<int> successors;        // ascending
    std::vector<double> probabilities;  // of a known row
    RowLaw law;                         // of an unknown one
    double reward = 0;
    std::vector<double> landing;  // [successor], or empty
    int pull = -1;                // the unknown reward that is paid
  };

  RowTable(int states, int actions, int horizon, const std::vector<Said>& rows,
           std::vector<UnknownReward> unknowns);

  [[nodiscard]] int states() const { return states_; }
  [[nodiscard]] int actions() const { return actions_; }
  [[nodiscard]] std::size_t rows() const { return rows_.size(); }
  [[nodiscard]] std::size_t pairs() const { return pairs_; }
  [[nodiscard]] std::size_t row_of(int x, int a) const {
    return static_cast<std::size_t>(x) * static_cast<std::size_t>(actions_) + static_cast<std::size_t>(a);
  }
  [[nodiscard]] const Row& row(std::size_t which) const { return rows_[which]; }
  [[nodiscard]] std::span<const int> successors(const Row& row) const {
    return std::span(lists_).subspan(row.list, row.count);
  }
  [[nodiscard]] std::span<const double> known(const Row& row) const {
    return std::span(probabilities_).subspan(row.list, row.count);
  }
  [[nodiscard]] std::size_t row_of_pair(std::uint32_t pair) const;
  /// The place of `next` among the row's successors, or their number if `next` is none of them.
  [[nodiscard]] std::size_t slot(const Row& row, int next) const;
  /// The known reward of acting and landing there.
  [[nodiscard]] double reward(const Row& row, std::size_t slot) const {
    return row.lands ? row.reward + landing_[row.pair + slot] : row.reward;
  }
  [[nodiscard]] const ListedLaw& law(std::uint32_t which) const { return laws_[which]; }
  [[nodiscard]] const ListedLaw& law(const Row& row) const { return laws_[row.law]; }
  /// The number of different transitions that an episode can show, for which a belief's key has room.
  [[nodiscard]] std::size_t most_seen() const { return most_seen_; }
  [[nodiscard]] std::size_t unknown_rows() const { return unknown_rows_; }
  [[nodiscard]] std::size_t unknown_pairs() const { return unknown_pairs_; }

  // What a belief about unknown rewards asks (PullingFamily).
  [[nodiscard]] const std::shared_ptr<const UnknownRewards>& unknowns() const { return unknowns_; }
  [[nodiscard]] std::span<const Pull> pulls(int x, int a) const {
    if (a == kArrive || !row(row_of(x, a)).pulls) return {};
    return std::span(&pulls_[row_of(x, a)], 1);
  }
  [[nodiscard]] double known_reward(int x, int a, const Outcome& seen) const;
  /// The outcomes with the unknown reward. Throws UsageError if it is normal, because there are infinitely
  /// many outcomes.
  [[nodiscard]] const UnknownReward& enumerable_reward(std::size_t row) const;
  [[nodiscard]] const UnknownReward& paid(std::size_t row) const { return (*unknowns_)[paid_cell(row)]; }
  [[nodiscard]] std::size_t paid_cell(std::size_t row) const {
    return static_cast<std::size_t>(pulls_[row].cell);
  }

 private:
  std::uint32_t list_of(const Said& said, std::vector<std::pair<const Said*, std::uint32_t>>& known);
  std::uint32_t law_of(const RowLaw& law, std::size_t listed);

  int states_, actions_;
  std::vector<Row> rows_;
  std::vector<int> lists_;             // shared by rows with the same successors
  std::vector<double> probabilities_;  // beside lists_; of known rows
  std::vector<double> landing_;        // [pair]; empty if nothing is paid for landing
  std::vector<ListedLaw> laws_;
  std::vector<Pull> pulls_;  // [row]
  std::shared_ptr<const UnknownRewards> unknowns_;
  std::size_t pairs_ = 0;
  std::size_t most_seen_ = 0;
  std::size_t unknown_rows_ = 0;
  std::size_t unknown_pairs_ = 0;
};

namespace detail {
/// log Gamma(x) for x > 0, with a relative error of about 1e-15 and the same bits everywhere.
double log_gamma_function(double x);
}  // namespace detail

}  // namespace assay
