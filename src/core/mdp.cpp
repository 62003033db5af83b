#include <algorithm>
#include <cmath>
#include <span>

#include "assay/core/belief.hpp"

namespace assay {
namespace {

// For probabilities: far above the rounding of their sums, and far below any difference that matters.
constexpr double kSameProbability = 1e-12;

}  // namespace

void Mdp::end_row() {
  const std::span<Arc> row = std::span(arcs).subspan(first_arc.back());
  bool once = true;
  for (std::size_t i = 0; i < row.size(); ++i) {
    once = once && row[i].probability != 0 && (i == 0 || row[i - 1].next < row[i].next);
  }
  if (!once) {
    std::ranges::stable_sort(row, {}, &Arc::next);
    std::size_t kept = first_arc.back();
    for (const Arc arc : row) {
      if (arc.probability == 0) continue;
      if (kept > first_arc.back() && arcs[kept - 1].next == arc.next) {
        arcs[kept - 1].probability += arc.probability;
      } else {
        arcs[kept++] = arc;
      }
    }
    arcs.resize(kept);
  }
  first_arc.push_back(static_cast<std::uint32_t>(arcs.size()));
}

bool same_transitions(const Mdp& one, const Mdp& other) {
  const auto same_arc = [](const Mdp::Arc& l, const Mdp::Arc& r) {
    return l.next == r.next && std::abs(l.probability - r.probability) <= kSameProbability * l.probability;
  };
  return one.first_arc == other.first_arc && std::ranges::equal(one.arcs, other.arcs, same_arc);
}

}  // namespace assay
