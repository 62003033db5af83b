// Draws of fields of independent Beta variables, many fields at a time, in single precision.
//
// A draw is a function of (seed, episode, step, cell, draw) and of the cell's Beta law alone. It does not
// depend on the other cells, the number of draws, the instruction set or the order of calls. Two beliefs
// that are drawn from with the same key use common random numbers: cells that have not changed get the same
// draws, and cells that have changed get draws that are close to comonotone, because the tables map the
// random word to the variable in rising order.
//
// The method is exact up to the rounding of floats: a table for each Beta law covers its log-odds density by
// strips of equal area. Nearly always the random word selects a strip and a place under the minimum of the
// density there, which costs a lookup and a logistic function; otherwise a rejection step in double
// precision decides.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "assay/core/detail/draw_key.hpp"
#include "assay/core/detail/kernel.hpp"

namespace assay {

class BetaTables;

/// Draws fields of Beta variables with parameters prior + counts. Several threads may use it at once.
class BetaFieldSampler {
 public:
  BetaFieldSampler(double prior_a, double prior_b, Kernel kernel = default_kernel());

  /// `counts` are packed as in BetaBelief: successes, and failures in the upper half. Writes `draws` fields
  /// as [tile][cell][kTile]. The lanes after the last draw are filled, too.
  void draw(std::span<const std::uint64_t> counts, const DrawKey& key, std::size_t draws,
            std::span<float> out) const;

  /// Draws only the listed cells, into the places where `draw` would write them.
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
