// What does a belief state cost? The exact solver on the two-armed bandit, beside what a user would write
// instead and beside the least that the machine could do, in one run:
//
//   assay      the generic solver, one thread and all cores
//   memo       a recursion with a std::unordered_map, as one writes it in an afternoon
//   dense      a hand-written array over the four counts, possible for this one problem only: the floor
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "assay/problem/detail/problem_of.hpp"
#include "families/bandit.hpp"
#include "timing.hpp"

namespace {

using assay::bench::best_seconds;

/// The memoised recursion: a state is four counts.
class Memo {
 public:
  explicit Memo(int horizon) : horizon_(horizon) {}
  double value() { return value({0, 0, 0, 0}); }
  [[nodiscard]] std::size_t states() const { return known_.size(); }

 private:
  using Counts = std::array<std::uint16_t, 4>;
  struct Hash {
    std::size_t operator()(const Counts& c) const {
      std::size_t h = 0;
      for (const std::uint16_t count : c) h = h * 0x9e3779b97f4a7c15U + count;
      return h;
    }
  };

  double value(Counts c) {
    const int pulls = c[0] + c[1] + c[2] + c[3];
    if (pulls == horizon_) return 0;
    if (const auto found = known_.find(c); found != known_.end()) return found->second;
    double best = 0;
    for (std::size_t arm = 0; arm < 2; ++arm) {
      const double p = (c[2 * arm] + 1.0) / (c[2 * arm] + c[2 * arm + 1] + 2.0);
      Counts won = c;
      Counts lost = c;
      ++won[2 * arm];
      ++lost[2 * arm + 1];
      best = std::max(best, p * (1 + value(won)) + (1 - p) * value(lost));
    }
    known_.emplace(c, best);
    return best;
  }

  int horizon_;
  std::unordered_map<Counts, double, Hash> known_;
};

/// Backward over pulls made; [wins of arm 0][losses of arm 0][wins of arm 1], the fourth count is what is
/// left.
double dense_value(int horizon) {
  const auto n = static_cast<std::size_t>(horizon);
  std::vector<double> after((n + 2) * (n + 2) * (n + 2), 0.0);
  std::vector<double> now(after.size(), 0.0);
  const auto at = [n](std::size_t i, std::size_t j, std::size_t k) {
    return (i * (n + 2) + j) * (n + 2) + k;
  };
  for (std::size_t pulls = n; pulls-- > 0;) {
    for (std::size_t i = 0; i <= pulls; ++i) {
      for (std::size_t j = 0; i + j <= pulls; ++j) {
        const double p = (static_cast<double>(i) + 1) / (static_cast<double>(i + j) + 2);
        for (std::size_t k = 0; i + j + k <= pulls; ++k) {
          const double q = (static_cast<double>(k) + 1) / (static_cast<double>(pulls - i - j) + 2);
          const double first = p * (1 + after[at(i + 1, j, k)]) + (1 - p) * after[at(i, j + 1, k)];
          const double second = q * (1 + after[at(i, j, k + 1)]) + (1 - q) * after[at(i, j, k)];
          now[at(i, j, k)] = std::max(first, second);
        }
      }
    }
    std::swap(now, after);
  }
  return after[0];
}

struct Row {
  int horizon = 0;
  std::uint64_t states = 0;
  double assay_ns = 0, assay_all_cores_ns = 0, memo_ns = 0, dense_ns = 0;
};

void check_same(double a, double b) {
  if (std::abs(a - b) > 1e-9) {
    fmt::print(stderr, "bench: two solvers disagree: {} and {}\n", a, b);
    std::exit(1);
  }
}

Row measure(int horizon) {
  const int runs = horizon <= 25 ? 101 : horizon <= 50 ? 21 : 7;
  const assay::ProblemOf<assay::Bandit, assay::BetaBelief> problem(
      "bandit", assay::Bandit({.arms = 2, .horizon = horizon, .prior_a = 1, .prior_b = 1, .discount = 1}));
  Row row;
  row.horizon = horizon;
  double ours = 0;
  const auto solve = [&](int threads) {
    return best_seconds(runs, [&] {
      const auto solution = problem.exact({.max_states = 10'000'000, .threads = threads, .watch = {}});
      row.states = solution->states();
      ours = solution->value();
    });
  };
  const double one = solve(1);
  const double all = solve(0);
  double memo_value = 0;
  double dense = 0;
  const double memo = best_seconds(horizon < 100 ? 3 : 1, [&] { memo_value = Memo(horizon).value(); });
  const double floor = best_seconds(runs, [&] { dense = dense_value(horizon); });
  check_same(ours, memo_value);
  check_same(ours, dense);
  const double to_ns = 1e9 / static_cast<double>(row.states);
  row.assay_ns = one * to_ns;
  row.assay_all_cores_ns = all * to_ns;
  row.memo_ns = memo * to_ns;
  row.dense_ns = floor * to_ns;
  return row;
}

}  // namespace

int main(int argc, char** argv) {
  const bool to_file = argc == 3 && std::string(argv[1]) == "--json";
  fmt::print(
      "Exact solver, two-armed Bernoulli bandit, nanoseconds per belief state (best of several runs)\n\n");
  fmt::print("{:>8} {:>10} {:>14} {:>10} {:>8} {:>8} {:>12} {:>13}\n", "horizon", "states", "assay 1 core",
             "all cores", "memo", "dense", "memo/assay", "assay/dense");
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const int horizon : {25, 50, 100}) {
    const Row r = measure(horizon);
    fmt::print("{:>8} {:>10} {:>14.1f} {:>10.1f} {:>8.1f} {:>8.1f} {:>11.1f}x {:>12.1f}x\n", r.horizon,
               r.states, r.assay_ns, r.assay_all_cores_ns, r.memo_ns, r.dense_ns, r.memo_ns / r.assay_ns,
               r.assay_ns / r.dense_ns);
    rows.push_back({{"horizon", r.horizon},
                    {"states", r.states},
                    {"assay_ns_per_state", r.assay_ns},
                    {"assay_all_cores_ns_per_state", r.assay_all_cores_ns},
                    {"memo_ns_per_state", r.memo_ns},
                    {"dense_ns_per_state", r.dense_ns}});
  }
  if (to_file) std::ofstream(argv[2]) << nlohmann::ordered_json{{"exact", rows}}.dump(2) << "\n";
}
