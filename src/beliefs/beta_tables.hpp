// The tables from which Beta variables are drawn, and where all users of one prior find them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

#include "assay/core/detail/lanes.hpp"

namespace assay {

/// The strips of one Beta(a,b) law in t = log(x / (1 - x)), where its log-density a t - (a + b) log(1 + e^t)
/// is concave and falls on both sides like a straight line, for all a and b.
class BetaTable {
 public:
  static constexpr unsigned kIndexBits = 10;
  static constexpr std::size_t kStrips = std::size_t{1} << kIndexBits;
  static constexpr unsigned kPlaceBits = 32 - kIndexBits;
  static constexpr unsigned kLimitBits = 12;

  /// A random word consists of the index of a strip and a place. A place below the limit is accepted at once
  /// and becomes t = left + place * step. The fields are packed, because most of the time of a draw is spent
  /// on this lookup: the limit is stored in the last bits of the step, and the width of the strip is chosen
  /// to fit that step exactly.
  struct Strip {
    float left = 0;
    std::uint32_t step_and_limit = 0;

    [[nodiscard]] float step() const;
    [[nodiscard]] std::uint32_t limit() const;
  };

  BetaTable(double a, double b);

  [[nodiscard]] const Strip* strips() const { return strips_.data(); }

  /// The variable for a word whose place is not below the limit of its strip. `words` returns further random
  /// words.
  template <class Words>
  [[nodiscard]] float slow(std::uint32_t word, Words&& words) const;

  /// The share of words that need `slow`.
  [[nodiscard]] double slow_share() const;

 private:
  /// What the rejection step needs of a strip: a rectangle that begins at the end nearer to the peak. The
  /// bounds on the density are floats, rounded to the safe side; what they leave undecided is computed.
  struct Edges {
    double from = 0;
    double width = 0;   // signed, away from the peak; 0: not a rectangle
    float lower = 0;    // the density is at least lower * (1 + share * log_low) times the rectangle's height
    float log_low = 0;  // of the density at the other end, relative to that at `from`
    float upper = 0;    // and at most upper * (1 - share * (1 - low))
    float low = 0;
  };
  static_assert(sizeof(Edges) == 32);  // there are a thousand in a table, and thousands of tables
  /// The last strip of a side: what is left under an exponential.
  struct Tail {
    std::size_t strip = 0;
    double from = 0;        // its inner end
    double log_height = 0;  // of the density there
    double rate = 0;        // positive on the left side, negative on the right
    double keep = 1;        // the share of the strip that the exponential takes up
  };
  /// The end of the rectangles of a side. What is left is a tail under an exponential.
  struct TailEnd {
    std::size_t strips = 0;
    double at = 0;
    double log_height = 0;
    double rate = 0;
  };

  [[nodiscard]] double log_density(double t) const;
  [[nodiscard]] double slope(double t) const;
  [[nodiscard]] bool under_density(const Edges& e, double height, double share) const;
  /// A rectangle as high as the density at its inner end, `from`. `log_low` belongs to the density at the
  /// other end.
  struct Rectangle {
    double from, log_height, height, width, log_low;
  };
  /// Goes through the rectangles of this area on one side, from the peak outwards; `side` is -1 or 1.
  /// visit(rectangle) may make the rectangle narrower.
  template <class Visit>
  TailEnd walk(double area, double side, const Visit& visit) const;
  [[nodiscard]] std::size_t count_strips(double area) const;
  [[nodiscard]] double fitting_area() const;
  /// False if the strips do not suffice for this area.
  bool lay_all(double area);
  Tail lay(double area, double side, std::vector<Edges>& edges, std::vector<Strip>& strips) const;

  double a_, b_, peak_, log_peak_;
  double area_ = 0;
  std::array<Tail, 2> tails_;
  std::vector<Edges> edges_;                         // [kStrips]
  std::vector<Strip, LineAllocator<Strip>> strips_;  // [kStrips]
};

/// The tables of the counts that have occurred, for one prior. Several threads may use it at once.
class BetaTables {
 public:
  /// Larger counts are drawn one by one, fifty times more slowly. This limits the tables to 13,000, or 520
  /// MB, even for an agent that meets all counts. An episode of the treasure map ends at 150.
  static constexpr std::uint64_t kMostDraws = 160;

  BetaTables(double prior_a, double prior_b) : prior_a_(prior_a), prior_b_(prior_b) {}
  /// All users of one prior share the tables, as long as one of them holds them. A table is a function of
  /// its Beta law alone, and making it takes longer than thousands of draws.
  static std::shared_ptr<BetaTables> of(double prior_a, double prior_b);

  std::shared_ptr<const BetaTable> table_for(std::uint64_t counts);

 private:
  double prior_a_, prior_b_;
  std::shared_mutex mutex_;
  std::unordered_map<std::uint64_t, std::shared_ptr<const BetaTable>> tables_;
};

}  // namespace assay
