#include "families/row_family.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/core/detail/spec.hpp"
#include "assay/core/error.hpp"
#include "assay/core/rng.hpp"

namespace assay {
namespace {

constexpr double kRowSumTolerance = 1e-9;

/// False for NaN.
void check_range(const std::string& what, double given, double least, double most) {
  if (given >= least && given <= most) return;
  throw UsageError(fmt::format("{} is {}; it is at least {} and at most {}", what, given, least, most));
}

void check_law(const std::string& where, const RowLaw& law) {
  check_range(where + ": the concentration", law.alpha, 1e-3, 1e4);
  if (law.kind == RowLaw::Kind::kSparse) check_range(where + ": the sparsity", law.sparsity, 1e-6, 1);
}

void check_unknown(const UnknownReward& reward) {
  constexpr double kMost = 1e9;
  const std::string name = fmt::format("reward '{}': ", printable(reward.name));
  if (reward.law == UnknownReward::Law::kNormal) {
    check_range(name + "its prior's mean", reward.mean, -kMost, kMost);
    check_range(name + "its prior's deviation", reward.deviation, 1e-9, kMost);
    check_range(name + "its noise", reward.noise, 0, kMost);
    return;
  }
  check_range(name + "the a of its prior", reward.a, 0.01, 1e4);
  check_range(name + "the b of its prior", reward.b, 0.01, 1e4);
  check_range(name + "the amount of a success", reward.amount, -kMost, kMost);
  if (reward.amount == 0)
    throw UsageError(name + "the amount of a success is 0, so that nobody could tell one");
}

std::vector<std::string> numbered_names(const char* what, int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back(fmt::format("{} {}", what, i));
  return names;
}

}  // namespace

double RowFamily::likelihood(int x, int a, const Hidden& e, const Outcome& seen) const {
  if (a == kArrive) return 1;
  const std::size_t which = data_->rows->row_of(x, a);
  double chance = 0;
  for (const RowArc& arc : e.row(which)) chance += arc.next == seen.next ? arc.probability : 0;
  if (!row(x, a).pulls || chance == 0) return chance;
  const double value = e.values[data_->rows->paid_cell(which)];
  const double paid = seen.reward - reward(x, a, seen.next);
  return chance * detail::paid_likelihood(data_->rows->paid(which), value, paid);
}

Outcome RowFamily::sample(int x, int a, const Hidden& e, Rng& rng) const {
  if (a == kArrive) return {.next = x, .reward = 0, .observation = {}};
  const std::size_t which = data_->rows->row_of(x, a);
  const std::span<const RowArc> all = e.row(which);
  int next = all.front().next;
  if (all.size() > 1) {
    double left = uniform(rng);
    for (const RowArc& arc : all) {
      if (arc.probability <= 0) continue;
      next = arc.next;  // if rounding leaves a remainder, the last possible one is drawn
      if (left < arc.probability) break;
      left -= arc.probability;
    }
  }
  Outcome drawn{.next = next, .reward = reward(x, a, next), .observation = {}};
  if (!row(x, a).pulls) return drawn;
  const UnknownReward& paid = data_->rows->paid(which);
  const double value = e.values[data_->rows->paid_cell(which)];
  if (paid.law == UnknownReward::Law::kNormal) {
    drawn.reward += normal(rng, value, paid.noise);
  } else if (bernoulli(rng, value)) {
    drawn.reward += paid.amount;
  }
  return drawn;
}

double RowFamily::expected_reward(int x, int a, const Hidden& e) const {
  const RowTable::Row& here = row(x, a);
  const std::size_t which = data_->rows->row_of(x, a);
  double sum = here.reward;
  if (here.lands) {
    sum = 0;
    for (const RowArc& arc : e.row(which)) sum += arc.probability * reward(x, a, arc.next);
  }
  if (here.pulls) sum += data_->rows->paid(which).unit() * e.values[data_->rows->paid_cell(which)];
  return sum;
}

std::optional<RowEnvironment> RowFamily::truth(Rng& rng) const {
  if (data_->truth_law) return RowBelief(data_->truth_law).sample(*this, rng);
  return data_->truth;
}

Interval RowFamily::reward_range() const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Interval all{kInfinity, -kInfinity};
  for (int x = 0; x < states(); ++x) {
    for (int a = 0; a < actions(); ++a) {
      const RowTable::Row& here = row(x, a);
      Interval drawn;
      if (here.pulls)
        drawn = data_->rows->unknowns()->range(data_->rows->paid_cell(data_->rows->row_of(x, a)));
      for (std::size_t slot = 0; slot < here.count; ++slot) {
        const double known = data_->rows->reward(here, slot);
        all = {std::min(all.low, known + drawn.low), std::max(all.high, known + drawn.high)};
      }
    }
  }
  return all;
}

bool RowFamily::collects(int x, int a) const {
  if (a == kArrive) return false;
  const RowTable::Row& here = row(x, a);
  bool something = here.pulls;
  for (std::size_t slot = 0; slot < here.count; ++slot)
    something = something || data_->rows->reward(here, slot) != 0;
  return something;
}

RowBuilder::RowBuilder(int states, int actions) : states_(states), actions_(actions) {
  constexpr int kMost = 1'000'000;
  if (states < 1 || actions < 1 || states > kMost / actions) {
    throw UsageError(fmt::format("{} states and {} actions; at least one of each, and at most {} rows",
                                 states, actions, kMost));
  }
  const std::size_t rows = static_cast<std::size_t>(states) * static_cast<std::size_t>(actions);
  rows_.resize(rows);
  truth_rows_.resize(rows);
  data_.state_names = numbered_names("state", states);
  data_.action_names = numbered_names("action", actions);
}

std::size_t RowBuilder::place(int state, int action) const {
  if (state < 0 || state >= states_ || action < 0 || action >= actions_) {
    throw UsageError(fmt::format("action {} at state {}; there are {} actions and {} states, from 0", action,
                                 state, actions_, states_));
  }
  return static_cast<std::size_t>(state) * static_cast<std::size_t>(actions_) +
         static_cast<std::size_t>(action);
}

void RowBuilder::check_state(int state) const {
  if (state < 0 || state >= states_)
    throw UsageError(fmt::format("state {}; there are {}, from 0", state, states_));
}

std::string RowBuilder::where(std::size_t row) const {
  const auto actions = static_cast<std::size_t>(actions_);
  return fmt::format("action {} at state {}", row % actions, row / actions);
}

RowBuilder& RowBuilder::horizon(int steps) {
  if (steps != kEndless) check_range("the horizon", steps, 1, 1e9);
  data_.horizon = steps;
  return *this;
}

RowBuilder& RowBuilder::discount(double factor) {
  check_range("the discount", factor, 0, 1);
  data_.discount = factor;
  return *this;
}

RowBuilder& RowBuilder::planning_discount(double factor) {
  check_range("the planning discount", factor, 0, 1);
  planning_discount_ = factor;
  return *this;
}

RowBuilder& RowBuilder::start(int state, double weight) {
  check_state(state);
  check_range("the weight of a start", weight, 1e-12, 1e12);
  data_.starts.push_back({state, weight});
  return *this;
}

std::vector<RowArc> RowBuilder::checked(std::size_t row, std::vector<RowArc> arcs) const {
  double sum = 0;
  for (const RowArc& arc : arcs) {
    check_state(arc.next);
    check_range(where(row) + ": a probability", arc.probability, 0, 1);
    sum += arc.probability;
  }
  if (std::abs(sum - 1) > kRowSumTolerance)
    throw UsageError(fmt::format("{}: the probabilities sum to {}, not 1", where(row), sum));
  std::ranges::sort(arcs, {}, &RowArc::next);
  std::vector<RowArc> merged;
  for (const RowArc& arc : arcs) {
    if (arc.probability <= 0) continue;
    if (merged.empty() || merged.back().next != arc.next) merged.push_back({arc.next, 0});
    merged.back().probability += arc.probability;
  }
  return merged;
}

RowBuilder& RowBuilder::known(int state, int action, const std::vector<RowArc>& arcs) {
  const std::size_t row = place(state, action);
  rows_[row].successors.clear();
  rows_[row].probabilities.clear();
  for (const RowArc& arc : checked(row, arcs)) {
    rows_[row].successors.push_back(arc.next);
    rows_[row].probabilities.push_back(arc.probability);
  }
  return *this;
}

RowBuilder& RowBuilder::unknown(int state, int action, std::vector<int> successors, const RowLaw& law) {
  const std::size_t row = place(state, action);
  check_law(where(row), law);
  if (successors.empty()) throw UsageError(where(row) + ": an unknown row without possible successors");
  for (const int next : successors) check_state(next);
  std::ranges::sort(successors);
  successors.erase(std::unique(successors.begin(), successors.end()), successors.end());
  rows_[row].probabilities.clear();
  if (successors.size() == 1) rows_[row].probabilities = {1.0};
  rows_[row].successors = std::move(successors);
  rows_[row].law = law;
  return *this;
}

RowBuilder& RowBuilder::reward(int state, int action, double amount) {
  check_range("a reward", amount, -1e12, 1e12);
  rows_[place(state, action)].reward += amount;
  return *this;
}

RowBuilder& RowBuilder::landing(int state, int action, int next, double amount) {
  check_range("a reward", amount, -1e12, 1e12);
  check_state(next);
  landings_.push_back({place(state, action), next, amount});
  return *this;
}

int RowBuilder::unknown_reward(const UnknownReward& reward) {
  check_unknown(reward);
  unknowns_.push_back(reward);
  truth_values_.emplace_back();
  return static_cast<int>(unknowns_.size()) - 1;
}

RowBuilder& RowBuilder::pays(int state, int action, int which) {
  Said& row = rows_[place(state, action)];
  check_range("the number of an unknown reward", which, 0, static_cast<double>(unknowns_.size()) - 1);
  if (row.pull >= 0)
    throw UsageError(where(place(state, action)) + " pays two unknown rewards; at most one is right");
  row.pull = which;
  return *this;
}

RowBuilder& RowBuilder::truth(int state, int action, const std::vector<RowArc>& arcs) {
  const std::size_t row = place(state, action);
  truth_rows_[row] = checked(row, arcs);
  has_truth_ = true;
  return *this;
}

RowBuilder& RowBuilder::truth(int which, double value) {
  check_range("the number of an unknown reward", which, 0, static_cast<double>(unknowns_.size()) - 1);
  const bool chance = unknowns_[static_cast<std::size_t>(which)].law == UnknownReward::Law::kBernoulli;
  check_range("the true value of an unknown reward", value, chance ? 0 : -1e12, chance ? 1 : 1e12);
  truth_values_[static_cast<std::size_t>(which)] = value;
  has_truth_ = true;
  return *this;
}

RowBuilder& RowBuilder::truth(const RowFamily& law) {
  data_.truth_law = law.rows();
  return *this;
}

RowBuilder& RowBuilder::names(std::vector<std::string> states, std::vector<std::string> actions) {
  if (states.size() != data_.state_names.size() || actions.size() != data_.action_names.size()) {
    throw UsageError(fmt::format("{} names for {} states and {} for {} actions", states.size(), states_,
                                 actions.size(), actions_));
  }
  data_.state_names = std::move(states);
  data_.action_names = std::move(actions);
  return *this;
}

RowBuilder& RowBuilder::drawing(std::vector<Cell> cells, std::string landmarks, std::string glyphs) {
  const auto states = static_cast<std::size_t>(states_);
  if (cells.size() != states || landmarks.size() != states ||
      glyphs.size() != static_cast<std::size_t>(actions_)) {
    throw UsageError(
        fmt::format("a drawing with {} cells, {} landmarks and {} glyphs; {} states and {} actions",
                    cells.size(), landmarks.size(), glyphs.size(), states_, actions_));
  }
  data_.cells = std::move(cells);
  data_.landmarks = std::move(landmarks);
  data_.glyphs = std::move(glyphs);
  return *this;
}

void RowBuilder::check_possible(std::size_t row, int next) const {
  if (std::ranges::binary_search(rows_[row].successors, next)) return;
  throw UsageError(
      fmt::format("{} leads to {} in truth, which the prior holds impossible; list it", where(row), next));
}

std::vector<RowArc> RowBuilder::true_row(std::size_t row) const {
  const Said& said = rows_[row];
  const std::vector<RowArc>& given = truth_rows_[row];
  if (said.successors.empty()) return {};
  for (const RowArc& arc : given) check_possible(row, arc.next);
  if (said.probabilities.empty()) {
    if (given.empty())
      throw UsageError(where(row) + " has no true row, though others have; give all or none");
    return given;
  }
  std::vector<RowArc> known;
  for (std::size_t i = 0; i < said.successors.size(); ++i)
    known.push_back({said.successors[i], said.probabilities[i]});
  for (const RowArc& arc : given) {
    const auto same = std::ranges::find(known, arc.next, &RowArc::next);
    if (std::abs(arc.probability - same->probability) > kRowSumTolerance)
      throw UsageError(where(row) + " is known and different in truth; make it unknown, or the same");
  }
  return known;
}

RowEnvironment RowBuilder::true_environment() const {
  RowEnvironment e;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const std::vector<RowArc> arcs = true_row(r);
    e.arcs.insert(e.arcs.end(), arcs.begin(), arcs.end());
    e.first.push_back(static_cast<std::uint32_t>(e.arcs.size()));
  }
  for (std::size_t i = 0; i < unknowns_.size(); ++i) {
    if (!truth_values_[i]) {
      throw UsageError(fmt::format("reward '{}' has no true value, though there is a true environment",
                                   printable(unknowns_[i].name)));
    }
    e.values.push_back(*truth_values_[i]);
  }
  return e;
}

void RowBuilder::check_truth_law() const {
  const RowTable& law = *data_.truth_law;
  if (law.states() != states_ || law.actions() != actions_ || law.unknowns()->size() != unknowns_.size()) {
    throw UsageError(
        "true environments of another shape; they have the same states, actions and unknown "
        "rewards");
  }
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (const int next : law.successors(law.row(r))) check_possible(r, next);
    const bool same =
        rows_[r].probabilities.empty() || std::ranges::equal(rows_[r].probabilities, law.known(law.row(r)));
    if (!same) throw UsageError(where(r) + " is known and different in truth; make it unknown, or the same");
  }
}

void RowBuilder::check_whole() const {
  if (data_.starts.empty()) throw UsageError("there is no start");
  const auto actions = static_cast<std::size_t>(actions_);
  for (std::size_t x = 0; x < static_cast<std::size_t>(states_); ++x) {
    const auto first = rows_.begin() + static_cast<std::ptrdiff_t>(x * actions);
    const bool some =
        std::any_of(first, first + actions_, [](const Said& r) { return !r.successors.empty(); });
    if (!some) throw UsageError(fmt::format("no action may be done at state {}; give it a row", x));
  }
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    if (rows_[r].successors.empty() && rows_[r].pull >= 0)
      throw UsageError(where(r) + " pays something but has no row");
  }
}

std::vector<RowTable::Said> RowBuilder::finished_rows() const {
  std::vector<Said> rows = rows_;
  for (const Landing& landing : landings_) {
    Said& row = rows[landing.row];
    const auto found = std::ranges::lower_bound(row.successors, landing.next);
    if (found == row.successors.end() || *found != landing.next) {
      throw UsageError(
          fmt::format("{} pays for landing at {}, where it cannot lead", where(landing.row), landing.next));
    }
    row.landing.resize(row.successors.size());
    row.landing[static_cast<std::size_t>(found - row.successors.begin())] += landing.amount;
  }
  return rows;
}

RowFamily RowBuilder::build() const {
  check_whole();
  RowFamily::Data data = data_;
  double weights = 0;
  for (const Start& start : data.starts) weights += start.probability;
  for (Start& start : data.starts) start.probability /= weights;
  data.planning_discount = planning_discount_.value_or(data.discount);
  if (data_.truth_law) check_truth_law();
  if (has_truth_) data.truth = true_environment();
  data.rows = std::make_shared<const RowTable>(states_, actions_, data.horizon, finished_rows(), unknowns_);
  return RowFamily(std::make_shared<const RowFamily::Data>(std::move(data)));
}

}  // namespace assay
