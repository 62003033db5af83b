// Draws of whole fields of independent Beta variables, many fields at a time, in single precision.
//
// A draw is a function of (seed, episode, step, cell, draw) and of the cell's Beta alone: not of the other
// cells, the number of draws, the instruction set or the order of calls. Two beliefs that are drawn from with
// the same key use common random numbers: cells that have not changed get the same draws, cells that have get
// draws close to the comonotone ones, because the tables map the random word to the variable in rising order.
//
// The method is exact up to the rounding of floats: a table per Beta covers its log-odds density by strips of
// equal area. Nearly always the random word picks a strip and a place under the density's minimum there,
// which costs a lookup and a logistic function; else a rejection step in double precision decides.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "assay/core/detail/draw_key.hpp"
#include "assay/core/detail/kernel.hpp"
#include "assay/core/detail/lanes.hpp"

namespace assay {

/// The strips of one Beta(a,b) in t = log(x / (1 - x)), where its log-density a t - (a + b) log(1 + e^t) is
/// concave and falls to both sides like a straight line, whatever a and b are.
class BetaTable {
 public:
  static constexpr unsigned kIndexBits = 10;
  static constexpr std::size_t kStrips = std::size_t{1} << kIndexBits;
  static constexpr unsigned kPlaceBits = 32 - kIndexBits;
  static constexpr unsigned kLimitBits = 12;

  /// A random word is a strip's index and a place. Places below the limit are accepted at once and become
  /// t = left + place * step. Packed, because a draw's cost is mostly that of looking this up: the limit is
  /// in the last bits of the step, and the strip's width is made to fit that step exactly.
  struct Strip {
    float left = 0;
    std::uint32_t step_and_limit = 0;

    [[nodiscard]] float step() const;
    [[nodiscard]] std::uint32_t limit() const;
  };

  BetaTable(double a, double b);

  [[nodiscard]] const Strip* strips() const { return strips_.data(); }

  /// The variable for a word whose place is not below its strip's limit. `words` makes further random words.
  template <class Words>
  [[nodiscard]] float slow(std::uint32_t word, Words&& words) const;

  /// The share of words that need `slow`.
  [[nodiscard]] double slow_share() const;

 private:
  /// What the rejection step needs of a strip: a rectangle from the end nearer to the peak. The bounds on the
  /// density are floats, rounded to the safe side; what they leave undecided is computed.
  struct Edges {
    double from = 0;
    double width = 0;   // signed: away from the peak; 0: not a rectangle
    float lower = 0;    // the density is at least lower * (1 + share * log_low) times the rectangle's height
    float log_low = 0;  // of the density at the other end, relative to that at `from`
    float upper = 0;    // and at most upper * (1 - share * (1 - low))
    float low = 0;
  };
  static_assert(sizeof(Edges) == 32);  // a thousand of them per table, thousands of tables
  /// A side's last strip: what is left under an exponential.
  struct Tail {
    std::size_t strip = 0;
    double from = 0;        // its inner end
    double log_height = 0;  // of the density there
    double rate = 0;        // positive on the left side, negative on the right
    double keep = 1;        // the share of the strip that the exponential takes up
  };
  /// The end of a side's rectangles: what is left is a tail under an exponential.
  struct TailEnd {
    std::size_t strips = 0;
    double at = 0;
    double log_height = 0;
    double rate = 0;
  };

  [[nodiscard]] double log_density(double t) const;
  [[nodiscard]] double slope(double t) const;
  [[nodiscard]] bool under_density(const Edges& e, double height, double share) const;
  /// A rectangle as high as the density at its inner end, `from`; `log_low` is the density at the other end.
  struct Rectangle {
    double from, log_height, height, width, log_low;
  };
  /// Walks one side's rectangles of this area from the peak outwards, `side` being -1 or 1. visit(rectangle)
  /// may make it narrower.
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

/// The tables of the counts that have been met, for one prior. May be used by several threads at once.
class BetaTables {
 public:
  /// Counts above are drawn one by one, fifty times more slowly: it keeps the tables to 13,000, or 520 MB,
  /// even for an agent that meets all counts there are. An episode of the treasure map ends at 150.
  static constexpr std::uint64_t kMostDraws = 160;

  BetaTables(double prior_a, double prior_b) : prior_a_(prior_a), prior_b_(prior_b) {}
  /// All who ask for the same prior while somebody holds them share the tables: a table is a function of its
  /// Beta alone, and takes longer to make than thousands of draws.
  static std::shared_ptr<BetaTables> of(double prior_a, double prior_b);

  std::shared_ptr<const BetaTable> table_for(std::uint64_t counts);

 private:
  double prior_a_, prior_b_;
  std::shared_mutex mutex_;
  std::unordered_map<std::uint64_t, std::shared_ptr<const BetaTable>> tables_;
};

/// Draws fields of Beta variables with parameters prior + counts. May be used by several threads
/// at once.
class BetaFieldSampler {
 public:
  BetaFieldSampler(double prior_a, double prior_b, Kernel kernel = default_kernel());

  /// `counts` as BetaBelief packs them: successes, and failures in the upper half. Writes `draws` fields as
  /// [tile][cell][kTile]; lanes after the last draw are drawn too.
  void draw(std::span<const std::uint64_t> counts, const DrawKey& key, std::size_t draws,
            std::span<float> out) const;

  /// Draws the listed cells only, into the places that `draw` would give them.
  void draw_cells(std::span<const std::uint64_t> counts, std::span<const std::uint32_t> cells,
                  const DrawKey& key, std::size_t draws, std::span<float> out) const;

 private:
  struct Request;
  void draw_some(const Request& request, std::span<const std::uint32_t> cells) const;
  void draw_one_by_one(const Request& request, std::uint32_t cell) const;

  double prior_a_, prior_b_;
  Kernel kernel_;
  std::shared_ptr<BetaTables> tables_;
};

}  // namespace assay
