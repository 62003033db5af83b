// What holds of every family that was read, whatever it was read from.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <span>
#include <string_view>

#include "assay/families/builders.hpp"

namespace assay::fuzz {

inline void need(bool holds, std::string_view otherwise) {
  if (holds) return;
  std::fprintf(stderr, "fuzzer: %.*s\n", static_cast<int>(otherwise.size()), otherwise.data());
  std::abort();
}

inline std::size_t rows(const TableFamily& family) {
  return static_cast<std::size_t>(family.states()) * (static_cast<std::size_t>(family.actions()) + 1) *
         family.prior().size();
}

/// Calls visit(state, action, environment, row).
template <class Visit>
void for_each_row(const TableFamily& family, const Visit& visit) {
  const auto environments = static_cast<int>(family.prior().size());
  for (int e = 0; e < environments; ++e) {
    for (int x = 0; x < family.states(); ++x) {
      for (int a = kArrive; a < family.actions(); ++a) visit(x, a, e, family.row(x, a, e));
    }
  }
}

inline constexpr double kRounding = 1e-12;

inline void check_row(int states, int x, int a, std::span<const TableFamily::Possibility> row) {
  double sum = 0;
  for (const TableFamily::Possibility& p : row) {
    need(p.probability > 0 && p.probability <= 1 + kRounding, "a probability that is none");
    need(p.outcome.next >= 0 && p.outcome.next < states, "a next state that is none");
    need(a != kArrive || p.outcome.next == x, "an arrival elsewhere");
    need(std::isfinite(p.outcome.reward), "a reward that is none");
    sum += p.probability;
  }
  need(row.empty() || std::abs(sum - 1) < kRounding, "probabilities that do not sum to 1");
}

inline void check_family(const TableFamily& family) {
  need(family.horizon() >= 1 && family.discount() >= 0 && family.discount() <= 1, "episodes of no length");
  double prior = 0;
  for (const double p : family.prior()) prior += p;
  need(std::abs(prior - 1) < kRounding, "a prior that does not sum to 1");
  double starts = 0;
  for (const Start& start : family.starts()) {
    need(start.state >= 0 && start.state < family.states() && start.probability > 0, "a start that is none");
    starts += start.probability;
  }
  need(std::abs(starts - 1) < kRounding, "starts that do not sum to 1");
  for_each_row(family, [&](int x, int a, int, const auto& row) {
    need(row.empty() == (a != kArrive && !family.allowed(x, a)), "allowed in some environments only");
    check_row(family.states(), x, a, row);
  });
}

/// Do the same things happen, with signs perhaps numbered otherwise?
inline bool alike(const TableFamily& one, const TableFamily& other) {
  if (one.states() != other.states() || one.actions() != other.actions() ||
      one.prior().size() != other.prior().size() || one.horizon() != other.horizon() ||
      one.discount() != other.discount()) {
    return false;
  }
  bool same = true;
  std::map<Observation, Observation> signs;
  for_each_row(one, [&](int x, int a, int e, const auto& row) {
    const auto again = other.row(x, a, e);
    if (row.size() != again.size()) {
      same = false;
      return;
    }
    for (std::size_t i = 0; i < row.size(); ++i) {
      const Outcome& l = row[i].outcome;
      const Outcome& r = again[i].outcome;
      same = same && l.next == r.next && l.reward == r.reward &&
             std::abs(row[i].probability - again[i].probability) < 1e-14 &&
             signs.try_emplace(l.observation, r.observation).first->second == r.observation;
    }
  });
  return same;
}

}  // namespace assay::fuzz
