// One drawn environment of unknown rows, whose rows are drawn when they are needed. Planners that search by
// simulation spend most of their time here.
//
// Every row is drawn from a stream of its own, so that it does not depend on the order of visits. Drawn as a
// whole, the environment is the one that RowBelief::sample draws from the same numbers. The successors of a
// row that were never seen share one arc until a step falls into it, because most rows have many such
// successors, which are hardly ever reached. Rows have fixed places in flat arrays and carry the stamp of
// the environment for which they were drawn. A new environment gets a new stamp, so that nothing is cleared
// and nothing allocated.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "assay/core/belief.hpp"
#include "assay/core/rng.hpp"
#include "beliefs/rows.hpp"

namespace assay {

class DrawnRows {
 public:
  template <class M>
  DrawnRows(const M& /*model*/, const RowBelief& belief) : DrawnRows(belief) {}
  explicit DrawnRows(const RowBelief& belief);

  void draw_from(const RowBelief& belief);
  void draw(Rng rng) {
    ++stamp_;
    begin(rng);
  }
  /// Keeps the rows that were drawn, except those about which `draw_from` has brought evidence.
  void renew(Rng rng) { begin(rng); }

  SimulatedStep step(int state, int action, bool /*last*/) {
    const std::size_t which = static_cast<std::size_t>(state) * actions_ + static_cast<std::size_t>(action);
    const Row& row = rows_[which];
    if (row.stamp != stamp_) [[unlikely]]
      draw_row(which);
    const Arc* arc = arcs_.data() + row.first;
    if (row.count > 1) {
      const double u = uniform(luck_);
      arc = find(arc, row.count, u);
      if (arc->next == kUnopened) [[unlikely]] {
        open(which);
        arc = find(arcs_.data() + row.first, row.count, u);
      }
    }
    SimulatedStep taken;
    taken.next = arc->next;
    taken.reward = row.reward;
    if (row.unknown) {
      const std::uint64_t what =
          static_cast<std::uint64_t>(which) << 32U | static_cast<std::uint32_t>(arc->next);
      taken.evidence = detail::spread(what) | 1U;
    }
    if (row.more) [[unlikely]]
      pay(which, arc->slot, taken);
    return taken;
  }

  /// Draws the rows that are missing.
  [[nodiscard]] RowEnvironment whole();

 private:
  struct Arc {
    double upto;  // the cumulative probability up to this one; 2 for the last
    std::int32_t next;
    std::uint32_t slot;
  };
  struct Row {
    std::uint64_t stamp = 0;  // of the environment for which it was drawn
    std::uint32_t first = 0;  // of its arcs
    std::uint32_t count = 0;
    std::uint32_t others = 0;  // how many occur but were never seen; their arc is the last
    double reward = 0;         // for acting
    bool unknown = false;
    bool more = false;  // are there rewards for landing, or unknown ones?
  };

  static constexpr std::int32_t kUnopened = -1;

  static const Arc* find(const Arc* arc, std::uint32_t count, double u) {
    constexpr std::uint32_t kFew = 16;
    if (count > kFew) {
      return std::partition_point(arc, arc + count - 1, [u](const Arc& one) { return one.upto <= u; });
    }
    while (arc->upto <= u) ++arc;
    return arc;
  }

  void begin(const Rng& rng);
  void draw_row(std::size_t which);
  /// Draws which of the unseen successors occur.
  void open(std::size_t which);
  void put(Row& row, std::size_t which, std::uint32_t slot, double upto);
  void close(Row& row);
  void pay(std::size_t which, std::uint32_t slot, SimulatedStep& taken);
  void need_values();
  void note_changed_rewards(const CellBelief& before);

  RowBelief belief_;
  std::size_t actions_;
  std::vector<Row> rows_;
  std::vector<Arc> arcs_;  // each row has room for all its successors
  std::uint64_t stamp_ = 1;
  Rng environment_{0};  // the streams of rows and rewards are split from it
  Rng luck_{0};
  RowSampler sampler_;
  std::vector<double> values_;    // [unknown reward]
  std::vector<char> value_news_;  // [unknown reward]: must it be drawn anew?
  bool any_value_news_ = false;
  std::uint64_t values_stamp_ = 0;
};

}  // namespace assay
