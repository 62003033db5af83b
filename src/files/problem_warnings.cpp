#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <queue>
#include <span>

#include "assay/core/detail/spec.hpp"
#include "assay/solver/detail/mdp.hpp"
#include "files/problem_file.hpp"

namespace assay {
namespace {

/// A state is reachable if something can lead there in some environment; `leads(x, reach)` calls `reach` for
/// the successors of x.
template <class Leads>
std::vector<bool> reached_from(const std::vector<Start>& starts, int states, const Leads& leads) {
  std::vector<bool> reached(static_cast<std::size_t>(states));
  std::queue<int> open;
  const auto reach = [&](int x) {
    if (reached[static_cast<std::size_t>(x)]) return;
    reached[static_cast<std::size_t>(x)] = true;
    open.push(x);
  };
  for (const Start& s : starts) reach(s.state);
  while (!open.empty()) {
    const int x = open.front();
    open.pop();
    leads(x, reach);
  }
  return reached;
}

template <class F>
void warn_of_lost_states(const F& family, const std::vector<bool>& reached,
                         std::vector<std::string>& warnings) {
  std::vector<std::string> lost;
  for (int x = 0; x < family.states(); ++x) {
    if (!reached[static_cast<std::size_t>(x)]) lost.push_back(family.state_name(x));
  }
  if (lost.empty()) return;
  warnings.push_back(fmt::format("{} of {} states cannot be reached from a start, the first of them '{}'",
                                 lost.size(), family.states(), printable(lost.front())));
}

/// Compares up to rounding, in whatever order and in however many parts the outcomes are listed.
bool same_outcomes(std::span<const TableFamily::Possibility> one,
                   std::span<const TableFamily::Possibility> other) {
  constexpr double kRounding = 1e-12;
  const auto probability = [](std::span<const TableFamily::Possibility> row, const Outcome& outcome) {
    double sum = 0;
    for (const TableFamily::Possibility& p : row) sum += p.outcome == outcome ? p.probability : 0;
    return sum;
  };
  const auto same = [&](const TableFamily::Possibility& p) {
    return std::abs(probability(one, p.outcome) - probability(other, p.outcome)) <= kRounding;
  };
  return std::ranges::all_of(one, same) && std::ranges::all_of(other, same);
}

bool same_environments(const TableFamily& family, const std::vector<bool>& reached, int e, int f) {
  for (int x = 0; x < family.states(); ++x) {
    if (!reached[static_cast<std::size_t>(x)]) continue;
    for (int a = kArrive; a < family.actions(); ++a) {
      const auto one = family.row(x, a, e);
      const auto other = family.row(x, a, f);
      if (one.data() == other.data() || std::ranges::equal(one, other)) continue;
      if (!same_outcomes(one, other)) return false;
    }
  }
  return true;
}

void warn_of_twins(const TableFamily& family, const std::vector<bool>& reached,
                   std::vector<std::string>& warnings) {
  constexpr int kMostCompared = 200;
  const int compared = std::min(static_cast<int>(family.prior().size()), kMostCompared);
  for (int e = 0; e < compared; ++e) {
    for (int f = e + 1; f < compared; ++f) {
      if (!same_environments(family, reached, e, f)) continue;
      warnings.push_back(fmt::format("environments '{}' and '{}' are the same: nothing can tell them apart",
                                     printable(family.environment_name(e)),
                                     printable(family.environment_name(f))));
    }
  }
}

/// Is there one plan that is optimal in every environment? Backward induction: with h steps to go, there is
/// such a plan from a state on if some action is among the best in all environments and leads only to states
/// from which there is one with h - 1 steps to go.
class CommonPlan {
 public:
  explicit CommonPlan(const TableFamily& family) {
    for (int e = 0; e < static_cast<int>(family.prior().size()); ++e) mdps_.push_back(tabulate(family, e));
    values_.assign(mdps_.size(), std::vector<double>(static_cast<std::size_t>(family.states())));
    exists_.assign(static_cast<std::size_t>(family.states()), true);
    for (int h = 1; h <= episode_steps(family); ++h) step();
  }

  [[nodiscard]] bool exists_at(int state) const { return exists_[static_cast<std::size_t>(state)]; }

 private:
  void step() {
    std::vector<double> scales;
    for (std::size_t e = 0; e < mdps_.size(); ++e) scales.push_back(value_scale(mdps_[e], values_[e]));
    std::vector<std::vector<double>> values = values_;
    std::vector<bool> exists = exists_;
    const Mdp& first = mdps_.front();
    std::vector<bool> common(static_cast<std::size_t>(first.actions));
    for (int x = 0; x < first.states; ++x) {
      common.assign(common.size(), true);
      for (std::size_t e = 0; e < mdps_.size(); ++e) {
        std::vector<double> worth;
        for (int a = 0; a < first.actions; ++a) worth.push_back(worth_of(e, x, a));
        const double best = *std::ranges::max_element(worth);
        for (std::size_t a = 0; a < worth.size(); ++a)
          common[a] = common[a] && worth[a] >= best - 1e-10 * scales[e];
        values[e][static_cast<std::size_t>(x)] = best;
      }
      bool any = false;
      for (int a = 0; a < first.actions && !any; ++a)
        any = common[static_cast<std::size_t>(a)] && goes_on(x, a);
      exists[static_cast<std::size_t>(x)] = any;
    }
    values_ = std::move(values);
    exists_ = std::move(exists);
  }

  [[nodiscard]] double worth_of(std::size_t e, int x, int a) const {
    const Mdp& mdp = mdps_[e];
    const double reward = mdp.reward[pair(x, a)];
    return std::isinf(reward) ? reward : action_value(mdp, x, a, values_[e]);
  }

  [[nodiscard]] std::size_t pair(int x, int a) const {
    return static_cast<std::size_t>(x) * static_cast<std::size_t>(mdps_.front().actions) +
           static_cast<std::size_t>(a);
  }

  [[nodiscard]] bool goes_on(int x, int a) const {
    for (const Mdp& mdp : mdps_) {
      const std::size_t row = pair(x, a);
      for (std::uint32_t i = mdp.first_arc[row]; i < mdp.first_arc[row + 1]; ++i) {
        if (mdp.arcs[i].probability > 0 && !exists_[static_cast<std::size_t>(mdp.arcs[i].next)]) return false;
      }
    }
    return true;
  }

  std::vector<Mdp> mdps_;                    // [environment]
  std::vector<std::vector<double>> values_;  // [environment][state], for the present number of steps to go
  std::vector<bool> exists_;                 // [state]
};

void warn_of_useless_information(const TableFamily& family, std::vector<std::string>& warnings) {
  constexpr double kMostWork = 5e7;
  const auto environments = static_cast<double>(family.prior().size());
  const double work = environments * family.states() * family.actions() * episode_steps(family);
  if (environments < 2 || work > kMostWork) return;
  const CommonPlan plan(family);
  if (std::ranges::all_of(family.starts(), [&](const Start& s) { return plan.exists_at(s.state); }))
    warnings.emplace_back("information can never pay: one plan is the best in every environment");
}

std::vector<std::string> warnings_of(const TableFamily& family) {
  const auto environments = static_cast<int>(family.prior().size());
  const auto leads = [&](int x, const auto& reach) {
    for (int a = 0; a < family.actions(); ++a) {
      for (int e = 0; e < environments; ++e) {
        for (const TableFamily::Possibility& p : family.row(x, a, e)) reach(p.outcome.next);
      }
    }
  };
  const std::vector<bool> reached = reached_from(family.starts(), family.states(), leads);
  std::vector<std::string> warnings;
  warn_of_lost_states(family, reached, warnings);
  warn_of_twins(family, reached, warnings);
  warn_of_useless_information(family, warnings);
  return warnings;
}

std::vector<std::string> warnings_of(const CellFamily& family) {
  const auto leads = [&](int x, const auto& reach) {
    for (int a = 0; a < family.actions(); ++a) {
      for (const TableFamily::Possibility& p : family.possibilities(x, a)) reach(p.outcome.next);
    }
  };
  const std::vector<bool> reached = reached_from(family.starts(), family.states(), leads);
  std::vector<std::string> warnings;
  warn_of_lost_states(family, reached, warnings);
  std::vector<bool> paid(family.unknowns()->size());
  for (int x = 0; x < family.states(); ++x) {
    for (int a = kArrive; reached[static_cast<std::size_t>(x)] && a < family.actions(); ++a) {
      for (const Pull& pull : family.pulls(x, a)) {
        if (pull.rewarded) paid[static_cast<std::size_t>(pull.cell)] = true;
      }
    }
  }
  for (std::size_t i = 0; i < paid.size(); ++i) {
    if (paid[i]) continue;
    warnings.push_back(fmt::format("the unknown reward '{}' can never be had",
                                   printable(family.unknown(static_cast<int>(i)).name)));
  }
  return warnings;
}

}  // namespace

std::vector<std::string> problem_warnings(const WrittenFamily& family) {
  return std::visit([](const auto& written) { return warnings_of(written); }, family);
}

}  // namespace assay
