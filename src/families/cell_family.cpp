#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <tuple>

#include "assay/core/detail/spec.hpp"
#include "assay/core/error.hpp"
#include "assay/core/rng.hpp"
#include "assay/families/builders.hpp"

namespace assay {
namespace {

constexpr int kMostLooks = 100;

/// From `least` (or above it, if `open`) to `most`. NaN is refused.
void check_number(const UnknownReward& reward, const char* what, double given, double least, double most,
                  bool open = false) {
  if (given <= most && (open ? given > least : given >= least)) return;
  throw UsageError(fmt::format("reward '{}': {} is {}; it is {} {} and at most {}", printable(reward.name),
                               what, given, open ? "above" : "at least", least, most));
}

void check_reward(const UnknownReward& reward) {
  constexpr double kMost = 1e9;
  if (reward.law == UnknownReward::Law::kNormal) {
    check_number(reward, "its prior's mean", reward.mean, -kMost, kMost);
    check_number(reward, "its prior's deviation", reward.deviation, 0, kMost, true);
    check_number(reward, "its noise", reward.noise, 0, kMost);
    return;
  }
  check_number(reward, "the a of its prior", reward.a, 0.01, 1e4);
  check_number(reward, "the b of its prior", reward.b, 0.01, 1e4);
  check_number(reward, "the amount of a success", reward.amount, -kMost, kMost);
  if (reward.amount == 0) {
    throw UsageError(
        fmt::format("reward '{}': the amount of a success is 0, so that nobody could tell a success; give "
                    "another amount",
                    printable(reward.name)));
  }
}

bool same_but_reward(const Outcome& one, const Outcome& other) {
  return one.next == other.next && one.observation == other.observation;
}

/// Does `seen` begin with what the table shows, followed by `looks` numbers?
bool shows(const Outcome& known, const Outcome& seen, std::size_t looks) {
  return known.next == seen.next && known.observation.size() + looks == seen.observation.size() &&
         std::equal(known.observation.begin(), known.observation.end(), seen.observation.begin());
}

std::string step_text(const TableFamily& known, int x, int a) {
  const std::string at = printable(known.state_name(x));
  return a == kArrive ? fmt::format("arriving at '{}'", at)
                      : fmt::format("'{}' at '{}'", printable(known.action_name(a)), at);
}

/// Reads the looks that CellFamily::observation_text writes after its signs, and adds the successes to
/// `seen`.
bool read_looks(std::string_view text, bool first, std::span<const Pull> pulls, Observation& seen) {
  for (const Pull& pull : pulls) {
    if (pull.looks == 0) continue;
    if (!first) {
      if (!text.starts_with(", ")) return false;
      text.remove_prefix(2);
    }
    first = false;
    int successes = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), successes);
    if (error != std::errc{}) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    const std::string of = fmt::format(" of {}", pull.looks);
    if (!text.starts_with(of)) return false;
    text.remove_prefix(of.size());
    seen.push_back(successes);
  }
  return text.empty();
}

}  // namespace

void CellFamily::Data::silence(const Source& source) {
  for (const auto& [x, a] : source.where) {
    std::vector<Pull>& here = pulls[index(x, a)];
    for (Pull& pull : here) pull.looks = 0;
    std::erase_if(here, [](const Pull& pull) { return !pull.rewarded; });
  }
}

CellFamily::CellFamily(Data data) : data_(std::make_shared<Data>(std::move(data))) {
  data_->known_mean.resize(data_->pulls.size());
  for (int x = 0; x < states(); ++x) {
    for (int a = kArrive; a < actions(); ++a) {
      check_evidence(x, a);
      double& mean = data_->known_mean[data_->index(x, a)];
      mean = 0;
      for (const TableFamily::Possibility& p : possibilities(x, a)) mean += p.probability * p.outcome.reward;
    }
  }
  data_->dynamics = std::make_shared<const Dynamics>(common_moves());
}

/// The reward must determine what was drawn. A known reward that is random, too, would be confused with it,
/// unless something else that is seen shows which known reward it was.
void CellFamily::check_evidence(int x, int a) const {
  const Pull* paid = detail::rewarded_pull(pulls(x, a));
  if (paid == nullptr) return;
  const UnknownReward& reward = unknown(paid->cell);
  const std::span<const TableFamily::Possibility> all = possibilities(x, a);
  for (auto one = all.begin(); one != all.end(); ++one) {
    for (auto other = one + 1; other != all.end(); ++other) {
      if (!same_but_reward(one->outcome, other->outcome)) continue;
      throw UsageError(
          fmt::format("{} pays '{}' besides {} or {}: what is seen does not tell them apart; let what is "
                      "certain lead elsewhere, show different things or pay the same",
                      where(x, a), printable(reward.name), one->outcome.reward, other->outcome.reward));
    }
    const double known = one->outcome.reward;
    if (reward.law == UnknownReward::Law::kBernoulli && known + reward.amount == known) {
      throw UsageError(fmt::format("{} pays {} besides '{}', whose {} is too little to be seen beside it",
                                   where(x, a), known, printable(reward.name), reward.amount));
    }
  }
}

/// An environment without coincidences shows which rewards belong to states and which to choices. Drawn
/// environments have coincidences: a chance of Beta(.01, .01) is often exactly 1.
Dynamics CellFamily::common_moves() const {
  Rng rng(0);
  Hidden odd(data_->unknowns->size());
  for (double& value : odd) value = uniform_open(rng);
  Mdp probe = tabulate(*this, odd);
  Dynamics found = common_dynamics(std::span(&probe, 1));
  bool acting_collects = false;
  for (int x = 0; x < states(); ++x) {
    for (int a = 0; a < actions(); ++a) acting_collects = acting_collects || collects(x, a);
  }
  if (found.pays != Dynamics::Pays::kState || !acting_collects) return found;
  // All choices of a state happen to pay the same, but the reward belongs to the choices.
  double different = 0;
  for (double& reward : probe.reward) {
    if (std::isfinite(reward)) reward = ++different;
  }
  return common_dynamics(std::span(&probe, 1));
}

std::string CellFamily::where(int x, int a) const { return step_text(data_->known, x, a); }

void CellFamily::throw_infinite(int x, int a) const {
  throw UsageError(
      fmt::format("{} pays a normal reward: it has infinitely many outcomes, so there is no exact solution; "
                  "`assay solve` gives bounds",
                  where(x, a)));
}

double CellFamily::likelihood(int x, int a, const Hidden& e, const Outcome& seen) const {
  const std::span<const Pull> drawn = pulls(x, a);
  std::size_t looked = seen.observation.size() - detail::looked_at(drawn);
  double product = 1;
  for (const Pull& pull : drawn) {
    const double value = e[static_cast<std::size_t>(pull.cell)];
    if (pull.rewarded) {
      product *= detail::paid_likelihood(unknown(pull.cell), value, seen.reward - known_reward(x, a, seen));
    }
    if (pull.looks == 0) continue;
    const int successes = seen.observation[looked++];
    for (int i = 0; i < pull.looks; ++i) product *= i < successes ? value : 1 - value;
  }
  return product;
}

Outcome CellFamily::sample(int x, int a, const Hidden& e, Rng& rng) const {
  const std::span<const TableFamily::Possibility> all = possibilities(x, a);
  std::size_t which = 0;
  if (all.size() > 1) {
    for (double left = uniform(rng); which + 1 < all.size() && left >= all[which].probability; ++which) {
      left -= all[which].probability;
    }
  }
  Outcome drawn = all[which].outcome;
  for (const Pull& pull : pulls(x, a)) {
    const UnknownReward& reward = unknown(pull.cell);
    const double value = e[static_cast<std::size_t>(pull.cell)];
    if (reward.law == UnknownReward::Law::kNormal) {
      drawn.reward += normal(rng, value, reward.noise);
      continue;
    }
    if (pull.rewarded && bernoulli(rng, value)) drawn.reward += reward.amount;
    if (pull.looks > 0) drawn.observation.push_back(binomial(rng, pull.looks, value));
  }
  return drawn;
}

bool CellFamily::collects(int x, int a) const {
  return !pulls(x, a).empty() ||
         std::ranges::any_of(possibilities(x, a), [](const TableFamily::Possibility& p) {
           return p.outcome.reward != 0 || !p.outcome.observation.empty();
         });
}

double CellFamily::known_reward(int x, int a, const Outcome& seen) const {
  const bool pays = detail::rewarded_pull(pulls(x, a)) != nullptr;
  const std::size_t looks = detail::looked_at(pulls(x, a));
  for (const TableFamily::Possibility& p : possibilities(x, a)) {
    if (shows(p.outcome, seen, looks) && (pays || p.outcome.reward == seen.reward)) return p.outcome.reward;
  }
  throw ImpossibleEvidence(fmt::format("{}: next state {}, a reward of {} and [{}] cannot be seen there",
                                       where(x, a), seen.next, seen.reward,
                                       fmt::join(seen.observation, ", ")));
}

Interval CellFamily::reward_range() const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto phase = [&](int x, int a) {
    Interval range{kInfinity, -kInfinity};
    for (const TableFamily::Possibility& p : possibilities(x, a)) {
      range = {std::min(range.low, p.outcome.reward), std::max(range.high, p.outcome.reward)};
    }
    if (const Pull* paid = detail::rewarded_pull(pulls(x, a))) {
      const Interval drawn = data_->unknowns->range(static_cast<std::size_t>(paid->cell));
      range = {range.low + drawn.low, range.high + drawn.high};
    }
    return range;
  };
  Interval all{kInfinity, -kInfinity};
  for (int x = 0; x < states(); ++x) {
    const Interval arrival = phase(x, kArrive);
    for (int a = 0; a < actions(); ++a) {
      if (!allowed(x, a)) continue;
      const Interval action = phase(x, a);
      all = {std::min(all.low, arrival.low + action.low), std::max(all.high, arrival.high + action.high)};
    }
  }
  return all;
}

std::vector<std::pair<std::string, CellFamily>> CellFamily::sources() const {
  std::vector<std::pair<std::string, CellFamily>> all;
  const auto put = [&](const std::string& name, const TableFamily& known) {
    Data silent = *data_;
    silent.known = known;
    for (const Source& source : data_->sources) {
      if (source.name == name) silent.silence(source);
    }
    all.emplace_back(name, CellFamily(std::move(silent)));
  };
  for (const auto& [name, known] : data_->known.sources()) put(name, known);
  for (const Source& source : data_->sources) {
    const bool done = std::ranges::any_of(all, [&](const auto& one) { return one.first == source.name; });
    if (!done) put(source.name, data_->known);
  }
  return all;
}

std::vector<std::pair<std::string, std::vector<std::pair<int, int>>>> CellFamily::source_places() const {
  auto all = data_->known.source_places();
  for (const Source& source : data_->sources) {
    auto one = std::ranges::find_if(all, [&](const auto& s) { return s.first == source.name; });
    if (one == all.end()) one = all.insert(all.end(), {source.name, {}});
    for (const std::pair<int, int>& place : source.where) {
      if (std::ranges::find(one->second, place) == one->second.end()) one->second.push_back(place);
    }
  }
  return all;
}

std::string CellFamily::observation_text(int x, int a, const Observation& seen) const {
  std::vector<const Pull*> looked;
  for (const Pull& pull : pulls(x, a)) {
    if (pull.looks > 0) looked.push_back(&pull);
  }
  const std::size_t signs = seen.size() - std::min(seen.size(), looked.size());
  std::string text =
      data_->known.observation_text(x, a, {seen.begin(), seen.begin() + static_cast<std::ptrdiff_t>(signs)});
  for (std::size_t i = signs; i < seen.size(); ++i) {
    text += fmt::format("{}{} of {}", text.empty() ? "" : ", ", seen[i], looked[i - signs]->looks);
  }
  return text;
}

std::optional<Observation> CellFamily::observation_named(int x, int a, std::string_view text) const {
  for (const TableFamily::Possibility& known : possibilities(x, a)) {
    Observation seen = known.outcome.observation;
    const std::string signs = data_->known.observation_text(x, a, seen);
    if (!text.starts_with(signs)) continue;
    if (read_looks(text.substr(signs.size()), signs.empty(), pulls(x, a), seen)) return seen;
  }
  return std::nullopt;
}

CellBuilder::CellBuilder(TableFamily known)
    : data_{.known = std::move(known),
            .unknowns = nullptr,
            .pulls = {},
            .sources = {},
            .known_mean = {},
            .dynamics = nullptr} {
  if (data_.known.prior().size() != 1) {
    throw UsageError(
        fmt::format("{} environments and unknown rewards: moves must be known, so give one environment",
                    data_.known.prior().size()));
  }
  data_.pulls.resize(static_cast<std::size_t>(data_.known.actions() + 1) *
                     static_cast<std::size_t>(data_.known.states()));
}

int CellBuilder::unknown(UnknownReward reward) {
  if (reward.name.empty()) throw UsageError("an unknown reward without a name");
  if (std::ranges::find(unknowns_, reward.name, &UnknownReward::name) != unknowns_.end()) {
    throw UsageError(
        fmt::format("two unknown rewards are called '{}'; names must differ", printable(reward.name)));
  }
  check_reward(reward);
  unknowns_.push_back(std::move(reward));
  return static_cast<int>(unknowns_.size()) - 1;
}

void CellBuilder::check_where(int state, int action) const {
  if (state < 0 || state >= data_.known.states() || action < kArrive || action >= data_.known.actions()) {
    throw UsageError(fmt::format("no state {} or no action {}", state, action));
  }
}

CellBuilder& CellBuilder::pull(int state, int action, Pull pull) {
  check_where(state, action);
  if (pull.cell < 0 || pull.cell >= static_cast<int>(unknowns_.size())) {
    throw UsageError(fmt::format("no unknown reward {}: there are {}", pull.cell, unknowns_.size()));
  }
  const UnknownReward& reward = unknowns_[static_cast<std::size_t>(pull.cell)];
  const std::string name = printable(reward.name);
  const std::string place = step_text(data_.known, state, action);
  if (data_.known.row(state, action, 0).empty()) {
    throw UsageError(fmt::format("{} draws '{}' but may not be done there; give it an outcome", place, name));
  }
  if (pull.looks < 0 || pull.looks > kMostLooks) {
    throw UsageError(fmt::format("{}: {} looks at '{}'; from 0 to {}", place, pull.looks, name, kMostLooks));
  }
  if (pull.looks > 0 && reward.law == UnknownReward::Law::kNormal) {
    throw UsageError(fmt::format(
        "{}: {} looks at '{}', which is normal; only successes can be looked at, so make it Bernoulli or "
        "pay it",
        place, pull.looks, name));
  }
  std::vector<Pull>& here = data_.pulls[data_.index(state, action)];
  for (const Pull& other : here) {
    if (other.cell == pull.cell)
      throw UsageError(fmt::format("{} draws '{}' twice; once is right", place, name));
    if (other.rewarded && pull.rewarded) {
      throw UsageError(fmt::format("{} pays '{}' and '{}'; at most one unknown reward is paid in a step",
                                   place, printable(unknowns_[static_cast<std::size_t>(other.cell)].name),
                                   name));
    }
  }
  if (pull.looks > 0 || pull.rewarded) here.push_back(pull);
  return *this;
}

CellBuilder& CellBuilder::source(std::string name, std::vector<std::pair<int, int>> where) {
  if (name.empty()) throw UsageError("a source of information without a name");
  for (const auto& [x, a] : where) check_where(x, a);
  data_.sources.push_back({std::move(name), std::move(where)});
  return *this;
}

CellFamily CellBuilder::build() const {
  if (unknowns_.empty()) throw UsageError("there are no unknown rewards; without any, the table says it all");
  CellFamily::Data data = data_;
  data.unknowns = std::make_shared<const UnknownRewards>(unknowns_);
  CellFamily family(std::move(data));
  std::ignore = family.sources();  // checks that they can be made, too
  return family;
}

}  // namespace assay
