// Value iteration on a grid with king moves.
//
// The best of a 3x3 neighbourhood is the best of the bests of three columns: two comparisons down the
// columns and two across instead of eight. The cross-values are selected by the same masks. Two neighbours
// share the comparison between them, which leaves 1.5 + 1.5 comparisons. A sweep goes down the grid two rows
// at a time and from left to right, with the columns' bests in registers. It works in place and keeps only a
// copy of the row above as it was before the sweep.
#if defined(ASSAY_KING_GRID_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ASSAY_KING_GRID_INL
#undef ASSAY_KING_GRID_INL
#else
#define ASSAY_KING_GRID_INL
#endif

#include <algorithm>

#include "solver/kernels/best-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace assay::sweeps::HWY_NAMESPACE {

/// A wide row is processed in pieces of this many columns, so that its second vector of environments finds
/// it in the first-level cache.
constexpr std::size_t kPiece = 24;

/// Two rows of the grid and their surroundings, as offsets into the values.
struct Rows {
  const float* above_plan;  // the row above, as it was before this sweep
  const float* above_world;
  float* keep_plan;  // where to keep the lower row for the rows below
  float* keep_world;
  std::size_t upper, lower, below;
};

/// What a sweep does, decided at compile time.
template <Worlds kWorlds_, bool kFrozen_, bool kCollect_, bool kPieces_>
struct Way {
  static constexpr Worlds kWorlds = kWorlds_;
  static constexpr bool kFrozen = kFrozen_;    // the plan's values do not change
  static constexpr bool kCollect = kCollect_;  // r + discount * best, else the best itself
  static constexpr bool kPieces = kPieces_;    // a row is processed in pieces
};

/// The bests of the column at `at` (an offset within the row) as seen from the upper and from the lower row.
/// It keeps the lower row for the rows below.
template <class W, bool kTwoRows>
HWY_INLINE void best_of_column(const SweepJob& job, const Rows& rows, std::size_t at, Float& upper,
                               Float& upper_world, Float& lower, Float& lower_world) {
  constexpr Worlds kWorlds = W::kWorlds;
  const Floats d;
  Float above = hn::Zero(d), one = above, two = above, below = above;
  Float above_world = above, one_world = above, two_world = above, below_world = above;
  load_pair<kWorlds>(rows.above_plan, rows.above_world, at, above, above_world);
  load_pair<kWorlds>(job.plan_value, job.world_value, rows.upper + at, one, one_world);
  if constexpr (!kTwoRows) {
    take_better<kWorlds>(above, above_world, one, one_world, upper, upper_world);
  } else {
    load_pair<kWorlds>(job.plan_value, job.world_value, rows.lower + at, two, two_world);
    load_pair<kWorlds>(job.plan_value, job.world_value, rows.below + at, below, below_world);
    hn::Store(two, d, rows.keep_plan + at);
    if constexpr (kWorlds != kNoWorlds) hn::Store(two_world, d, rows.keep_world + at);
    take_better<kWorlds>(one, one_world, two, two_world, one, one_world);
    take_better<kWorlds>(above, above_world, one, one_world, upper, upper_world);
    take_better<kWorlds>(one, one_world, below, below_world, lower, lower_world);
  }
}

/// Writes one cell from the best value of its neighbourhood.
template <class W>
HWY_INLINE void finish(const SweepJob& job, Float best, Float best_world, std::size_t at) {
  const Floats d;
  if constexpr (!W::kCollect) {
    hn::Store(best, d, job.plan_value + at);
    if constexpr (W::kWorlds != kNoWorlds) hn::Store(best_world, d, job.world_value + at);
  } else {
    const Float discount = hn::Set(d, job.discount);
    if constexpr (!W::kFrozen) {
      const Float reward = hn::Load(d, job.plan_reward + at);
      hn::Store(hn::Add(reward, hn::Mul(discount, best)), d, job.plan_value + at);
    }
    if constexpr (W::kWorlds != kNoWorlds) {
      const Float reward = load_world<W::kWorlds>(job.world_reward, at);
      hn::Store(hn::Add(reward, hn::Mul(discount, best_world)), d, job.world_value + at);
    }
  }
}

/// What finish_rows remembers of the columns at and before the one where it has stopped.
struct Stop {
  static constexpr std::size_t kVectors = 8;
  HWY_ALIGN float vectors[kVectors][kTile];
};

/// One or two rows from column `begin` to before `end`, for one vector of environments. Both are even, or
/// `end` is past the last column. It continues where the last stop was, and records the next one.
template <class W, bool kTwoRows>
HWY_INLINE void finish_rows(const SweepJob& job, const Rows& rows, std::size_t lane, std::size_t begin,
                            std::size_t end, Stop& stop) {
  constexpr Worlds kWorlds = W::kWorlds;
  const Floats d;
  const Float zero = hn::Zero(d);
  const std::size_t last = (static_cast<std::size_t>(job.dynamics->columns) - 1) * kTile + lane;
  const std::size_t stop_at = end * kTile + lane;
  std::size_t at = begin * kTile + lane;
  Float here = zero, here_w = zero, low_here = zero, low_here_w = zero;
  Float left = zero, left_w = zero, low_left = zero, low_left_w = zero;
  if (!W::kPieces || begin == 0) {
    best_of_column<W, kTwoRows>(job, rows, at, here, here_w, low_here, low_here_w);
    // Beyond the edge a cell is its own neighbour: it cannot be better than itself.
    left = here;
    left_w = here_w;
    low_left = low_here;
    low_left_w = low_here_w;
  } else {
    here = hn::Load(d, stop.vectors[0] + lane);
    here_w = hn::Load(d, stop.vectors[1] + lane);
    low_here = hn::Load(d, stop.vectors[2] + lane);
    low_here_w = hn::Load(d, stop.vectors[3] + lane);
    left = hn::Load(d, stop.vectors[4] + lane);
    left_w = hn::Load(d, stop.vectors[5] + lane);
    low_left = hn::Load(d, stop.vectors[6] + lane);
    low_left_w = hn::Load(d, stop.vectors[7] + lane);
  }
  Float right = zero, right_w = zero, low_right = zero, low_right_w = zero;
  Float best = zero, best_w = zero;
  for (; at < last; at += 2 * kTile) {
    if (W::kPieces && at == stop_at) {
      hn::Store(here, d, stop.vectors[0] + lane);
      hn::Store(here_w, d, stop.vectors[1] + lane);
      hn::Store(low_here, d, stop.vectors[2] + lane);
      hn::Store(low_here_w, d, stop.vectors[3] + lane);
      hn::Store(left, d, stop.vectors[4] + lane);
      hn::Store(left_w, d, stop.vectors[5] + lane);
      hn::Store(low_left, d, stop.vectors[6] + lane);
      hn::Store(low_left_w, d, stop.vectors[7] + lane);
      return;
    }
    best_of_column<W, kTwoRows>(job, rows, at + kTile, right, right_w, low_right, low_right_w);
    // From here on `here` is the better of here and right, which both of them need.
    take_better<kWorlds>(here, here_w, right, right_w, here, here_w);
    take_better<kWorlds>(left, left_w, here, here_w, best, best_w);
    finish<W>(job, best, best_w, rows.upper + at);
    if constexpr (kTwoRows) {
      take_better<kWorlds>(low_here, low_here_w, low_right, low_right_w, low_here, low_here_w);
      take_better<kWorlds>(low_left, low_left_w, low_here, low_here_w, best, best_w);
      finish<W>(job, best, best_w, rows.lower + at);
    }
    if (at + kTile == last) {
      finish<W>(job, here, here_w, rows.upper + at + kTile);
      if constexpr (kTwoRows) finish<W>(job, low_here, low_here_w, rows.lower + at + kTile);
      return;
    }
    left = right;
    left_w = right_w;
    low_left = low_right;
    low_left_w = low_right_w;
    best_of_column<W, kTwoRows>(job, rows, at + 2 * kTile, right, right_w, low_right, low_right_w);
    take_better<kWorlds>(here, here_w, right, right_w, best, best_w);
    finish<W>(job, best, best_w, rows.upper + at + kTile);
    here = right;
    here_w = right_w;
    if constexpr (kTwoRows) {
      take_better<kWorlds>(low_here, low_here_w, low_right, low_right_w, best, best_w);
      finish<W>(job, best, best_w, rows.lower + at + kTile);
      low_here = low_right;
      low_here_w = low_right_w;
    }
  }
  take_better<kWorlds>(left, left_w, here, here_w, best, best_w);
  finish<W>(job, best, best_w, rows.upper + at);
  if constexpr (kTwoRows) {
    take_better<kWorlds>(low_left, low_left_w, low_here, low_here_w, best, best_w);
    finish<W>(job, best, best_w, rows.lower + at);
  }
}

/// Finishes row `row` and the one below it, if there is one. It reads rows up to `row + 2` as the previous
/// sweep has left them. `kept` is the row above as it was, and becomes the one for the rows below.
template <class W>
HWY_INLINE void sweep_two_rows(const SweepJob& job, std::size_t row, float* kept) {
  const auto row_count = static_cast<std::size_t>(job.dynamics->rows);
  const auto columns = static_cast<std::size_t>(job.dynamics->columns);
  const std::size_t width = columns * kTile;
  // As along the rows, the edge is repeated beyond the edge.
  const Rows rows = {row == 0 ? job.plan_value : kept,
                     row == 0 ? job.world_value : kept + width,
                     kept,
                     kept + width,
                     row * width,
                     (row + 1) * width,
                     std::min(row + 2, row_count - 1) * width};
  const std::size_t piece = W::kPieces ? kPiece : columns;
  Stop stop;
  // A last piece of one column would be the neighbour that the previous piece has already finished.
  for (std::size_t begin = 0; begin == 0 || begin + 1 < columns; begin += piece) {
    for (std::size_t lane = 0; lane < kTile; lane += hn::Lanes(Floats())) {
      if (row + 1 < row_count) {
        finish_rows<W, true>(job, rows, lane, begin, begin + piece, stop);
      } else {
        finish_rows<W, false>(job, rows, lane, begin, begin + piece, stop);
      }
    }
  }
}

/// A large grid does not fit into the cache. Several sweeps therefore go down it together, each two rows
/// behind the previous one, and a row is fetched once for all of them.
template <class W>
HWY_NOINLINE void sweep_king_grid(const SweepJob& job, int sweeps) {
  const auto rows = static_cast<std::size_t>(job.dynamics->rows);
  const std::size_t kept_size = 2 * static_cast<std::size_t>(job.dynamics->columns) * kTile;
  for (int done = 0; done < sweeps;) {
    const auto together = static_cast<std::size_t>(std::min(sweeps - done, sweeps_together(*job.dynamics)));
    for (std::size_t front = 0; front < rows + 2 * (together - 1); front += 2) {
      for (std::size_t behind = 0; behind < together && 2 * behind <= front; ++behind) {
        const std::size_t row = front - 2 * behind;
        if (row < rows) sweep_two_rows<W>(job, row, job.scratch + behind * kept_size);
      }
    }
    done += static_cast<int>(together);
  }
}

/// Pieces work for every width. A sweep without pieces is 15 % faster where it is possible. Only the common
/// sweep is compiled for both.
template <Worlds kWorlds>
HWY_INLINE void sweep_king_grid(const SweepJob& job) {
  if (job.frozen) {
    if constexpr (kWorlds != kNoWorlds) sweep_king_grid<Way<kWorlds, true, true, true>>(job, job.sweeps);
  } else if (job.dynamics->columns > static_cast<int>(kPiece)) {
    sweep_king_grid<Way<kWorlds, false, true, true>>(job, job.sweeps);
  } else {
    sweep_king_grid<Way<kWorlds, false, true, false>>(job, job.sweeps);
  }
}

HWY_INLINE void spread(const SweepJob& job) {
  if (job.worlds == kNoWorlds) {
    sweep_king_grid<Way<kNoWorlds, false, false, true>>(job, 1);
  } else {
    sweep_king_grid<Way<kOwnWorlds, false, false, true>>(job, 1);
  }
}

}  // namespace assay::sweeps::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
