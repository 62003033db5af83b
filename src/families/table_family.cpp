#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <unordered_set>

#include "assay/core/detail/spec.hpp"
#include "assay/core/error.hpp"
#include "assay/families/builders.hpp"

namespace assay {
namespace {

void check_names(const std::vector<std::string>& names, const char* kind) {
  if (names.empty()) throw UsageError(fmt::format("there are no {}s; name at least one", kind));
  std::unordered_set<std::string_view> seen;
  seen.reserve(names.size());
  for (const std::string& name : names) {
    if (name.empty()) throw UsageError(fmt::format("a {} without a name", kind));
    if (!seen.insert(name).second) {
      throw UsageError(fmt::format("two {}s are called '{}'; names must differ", kind, printable(name)));
    }
  }
}

int index_of(const std::vector<std::string>& names, std::string_view name, const char* kind) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) throw UsageError(unknown_name_message(kind, name, names));
  return static_cast<int>(found - names.begin());
}

using Possibilities = std::vector<TableFamily::Possibility>;

/// Makes a distribution of the possibilities from `first` on: equal outcomes are merged, impossible ones
/// removed, and the probabilities sum to 1 up to rounding.
void merge_from(Possibilities& all, std::size_t first) {
  constexpr std::size_t kFew = 16;  // more outcomes are looked up instead of compared with each other
  const bool few = all.size() - first <= kFew;
  const auto before = [&](std::size_t i, std::size_t j) {
    const Outcome& l = all[i].outcome;
    const Outcome& r = all[j].outcome;
    return std::tie(l.next, l.reward, l.observation) < std::tie(r.next, r.reward, r.observation);
  };
  std::set<std::size_t, decltype(before)> seen(before);
  std::size_t end = first;
  double sum = 0;
  for (std::size_t i = first; i < all.size(); ++i) {
    if (all[i].probability == 0) continue;
    sum += all[i].probability;
    if (i != end) all[end] = std::move(all[i]);
    std::size_t same = few ? first : *seen.insert(end).first;
    while (few && !(all[same].outcome == all[end].outcome)) ++same;
    if (same == end) {
      ++end;
    } else {
      all[same].probability += all[end].probability;
    }
  }
  all.resize(end);
  if (sum == 1) return;
  for (std::size_t i = first; i < end; ++i) all[i].probability /= sum;
}

}  // namespace

TableFamily::Range TableFamily::merged_range(std::vector<Possibility>& all, std::size_t first) {
  merge_from(all, first);
  const std::size_t count = all.size() - first;
  return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count)};
}

std::string TableFamily::sign_name(int sign) const {
  const std::vector<std::string>& names = data_->signs;
  const bool named =
      sign >= 0 && sign < static_cast<int>(names.size()) && !names[static_cast<std::size_t>(sign)].empty();
  return named ? names[static_cast<std::size_t>(sign)] : fmt::format("sign {}", sign);
}

std::vector<std::pair<std::string, std::vector<std::pair<int, int>>>> TableFamily::source_places() const {
  std::vector<std::pair<std::string, std::vector<std::pair<int, int>>>> all;
  for (const Source& source : data_->sources) all.emplace_back(source.name, source.where);
  return all;
}

std::string TableFamily::observation_text(int /*x*/, int /*a*/, const Observation& seen) const {
  std::string text;
  for (const int sign : seen) text += (text.empty() ? "" : ", ") + sign_name(sign);
  return text;
}

std::vector<std::pair<std::string, TableFamily>> TableFamily::sources() const {
  std::vector<std::pair<std::string, TableFamily>> all;
  for (const Source& source : data_->sources) {
    Data silent = *data_;
    for (const auto& [x, a] : source.where) {
      for (int e = 0; e < static_cast<int>(silent.environments.size()); ++e) {
        const std::size_t first = silent.possibilities.size();
        for (const Possibility& p : row(x, a, e)) {
          silent.possibilities.push_back({p.probability, {p.outcome.next, p.outcome.reward, {}}});
        }
        silent.rows[silent.index(x, a, e)] = merged_range(silent.possibilities, first);
      }
    }
    all.emplace_back(source.name, TableFamily(std::move(silent)));
  }
  return all;
}

TableFamily TableFamily::without_impossible() const {
  if (std::ranges::none_of(data_->prior, [](double p) { return p == 0; })) return *this;
  Data possible = *data_;
  possible.environments.clear();
  possible.prior.clear();
  possible.rows.clear();
  for (std::size_t e = 0; e < data_->prior.size(); ++e) {
    if (data_->prior[e] == 0) continue;
    possible.environments.push_back(data_->environments[e]);
    possible.prior.push_back(data_->prior[e]);
    const auto first = data_->rows.begin() + static_cast<std::ptrdiff_t>(e * data_->pairs());
    possible.rows.insert(possible.rows.end(), first, first + static_cast<std::ptrdiff_t>(data_->pairs()));
  }
  return TableFamily(std::move(possible));
}

TableBuilder::TableBuilder(std::vector<std::string> states, std::vector<std::string> actions) {
  check_names(states, "state");
  check_names(actions, "action");
  data_.states = std::move(states);
  data_.actions = std::move(actions);
}

TableBuilder& TableBuilder::horizon(int steps) {
  if (steps < 1) throw UsageError(fmt::format("a horizon of {}: an episode has at least 1 step", steps));
  data_.horizon = steps;
  return *this;
}

TableBuilder& TableBuilder::tolerance(double weight) {
  data_.tolerance = weight;
  return *this;
}

TableBuilder& TableBuilder::repeats(int episodes) {
  if (data_.horizon == kEndless && episodes > 1)
    throw UsageError(fmt::format("{} episodes of a problem that has no end: give it a horizon", episodes));
  if (episodes < 1 || (data_.horizon != kEndless && data_.horizon % episodes != 0)) {
    throw UsageError(fmt::format("{} steps are not {} episodes of the same length", data_.horizon, episodes));
  }
  data_.repeats = episodes;
  return *this;
}

TableBuilder& TableBuilder::discount(double factor) {
  if (!(factor >= 0 && factor <= 1)) throw UsageError(fmt::format("a discount of {}: from 0 to 1", factor));
  data_.discount = factor;
  return *this;
}

TableBuilder& TableBuilder::start(int state, double weight) {
  check_place(state, kArrive);
  if (!(weight > 0) || !std::isfinite(weight)) {
    throw UsageError(fmt::format("a start of weight {}: weights are positive", weight));
  }
  data_.starts.push_back({state, weight});
  return *this;
}

int TableBuilder::environment(std::string name, double weight) {
  if (!(weight >= 0) || !std::isfinite(weight)) {
    throw UsageError(
        fmt::format("environment '{}' has weight {}: weights are not negative", printable(name), weight));
  }
  data_.environments.push_back(std::move(name));
  weights_.push_back(weight);
  const int number = static_cast<int>(data_.environments.size()) - 1;
  std::erase_if(said_early_, [&](const SaidEarly& said) {
    if (said.environment != number) return false;
    place(said.state, said.action, number, said.range);
    return true;
  });
  return number;
}

TableBuilder& TableBuilder::outcome(int state, int action, std::vector<Possibility> possibilities,
                                    int environment) {
  check_place(state, action);
  double sum = 0;
  for (const Possibility& p : possibilities) {
    check_possibility(state, action, p.probability, p.outcome.reward, p.outcome.next);
    sum += p.probability;
  }
  check_sum(state, action, sum);
  const std::size_t first = data_.possibilities.size();
  for (Possibility& p : possibilities) data_.possibilities.push_back(std::move(p));
  put(state, action, environment, first);
  return *this;
}

TableBuilder& TableBuilder::outcome(int state, int action, std::span<const PlainPossibility> possibilities,
                                    int environment) {
  check_place(state, action);
  double sum = 0;
  for (const PlainPossibility& p : possibilities) {
    check_possibility(state, action, p.probability, p.reward, p.next);
    sum += p.probability;
  }
  check_sum(state, action, sum);
  const std::size_t first = data_.possibilities.size();
  for (const PlainPossibility& p : possibilities) {
    Possibility& full = data_.possibilities.emplace_back(Possibility{p.probability, {p.next, p.reward, {}}});
    if (p.sign != kNoSign) full.outcome.observation = {p.sign};
  }
  put(state, action, environment, first);
  return *this;
}

TableBuilder& TableBuilder::reserve(std::size_t possibilities) {
  // Arriving may be left undefined.
  data_.possibilities.reserve(data_.possibilities.size() + possibilities + data_.states.size());
  return *this;
}

void TableBuilder::put(int state, int action, int environment, std::size_t first) {
  TableFamily::Range range = TableFamily::merged_range(data_.possibilities, first);
  // The next entry is often the same for another environment: it is stored once.
  const auto begin = data_.possibilities.cbegin();
  const bool same = std::equal(begin + last_.first, begin + last_.first + last_.count, begin + range.first,
                               data_.possibilities.cend());
  if (same) {
    data_.possibilities.resize(first);
    range = last_;
  }
  last_ = range;
  if (environment < kEvery || environment >= static_cast<int>(data_.environments.size())) {
    said_early_.push_back({state, action, environment, range});
  } else {
    place(state, action, environment, range);
  }
}

void TableBuilder::place(int state, int action, int environment, TableFamily::Range range) {
  std::vector<TableFamily::Range>& rows = environment == kEvery ? common_ : data_.rows;
  const std::size_t at = data_.index(state, action, std::max(environment, 0));
  const std::size_t environments = environment == kEvery ? 1 : data_.environments.size();
  if (at >= rows.size()) rows.resize(environments * data_.pairs());
  rows[at] = range;
}

TableBuilder& TableBuilder::signs(std::vector<std::string> names) {
  data_.signs = std::move(names);
  return *this;
}

TableBuilder& TableBuilder::source(std::string name, std::vector<std::pair<int, int>> where) {
  for (const auto& [x, a] : where) check_place(x, a);
  data_.sources.push_back({std::move(name), std::move(where)});
  return *this;
}

TableBuilder& TableBuilder::drawing(std::vector<Cell> cells, std::string landmarks, std::string glyphs) {
  if (cells.size() != data_.states.size() || landmarks.size() != data_.states.size() ||
      glyphs.size() != data_.actions.size()) {
    throw UsageError(
        "a drawing needs a cell and a character for each state, and a character for each action");
  }
  data_.cells = std::move(cells);
  data_.landmarks = std::move(landmarks);
  data_.glyphs = std::move(glyphs);
  return *this;
}

int TableBuilder::state(std::string_view name) const { return index_of(data_.states, name, "state"); }
int TableBuilder::action(std::string_view name) const { return index_of(data_.actions, name, "action"); }

std::string TableBuilder::where(int state, int action) const {
  const std::string& at = data_.states[static_cast<std::size_t>(state)];
  return action == kArrive
             ? fmt::format("arriving at '{}'", printable(at))
             : fmt::format("'{}' at '{}'", printable(data_.actions[static_cast<std::size_t>(action)]),
                           printable(at));
}

void TableBuilder::check_place(int state, int action) const {
  if (state < 0 || state >= static_cast<int>(data_.states.size()) || action < kArrive ||
      action >= static_cast<int>(data_.actions.size())) {
    throw UsageError(fmt::format("no state {} or no action {}", state, action));
  }
}

void TableBuilder::check_possibility(int state, int action, double probability, double reward,
                                     int next) const {
  if (!(probability >= 0 && probability <= 1 + kSumTolerance)) {
    throw UsageError(
        fmt::format("{}: a probability of {}; it is from 0 to 1", where(state, action), probability));
  }
  constexpr double kMostReward = 1e12;
  if (!(std::abs(reward) <= kMostReward)) {
    throw UsageError(fmt::format("{}: a reward of {}; it is a number of at most 1e12 in size",
                                 where(state, action), reward));
  }
  if (next < 0 || next >= static_cast<int>(data_.states.size())) {
    throw UsageError(fmt::format("{} leads to no state: {}", where(state, action), next));
  }
  if (action == kArrive && next != state) {
    throw UsageError(
        fmt::format("{} leads elsewhere; only actions lead to other states", where(state, action)));
  }
}

void TableBuilder::check_sum(int state, int action, double sum) const {
  if (std::abs(sum - 1) <= kSumTolerance) return;
  throw UsageError(fmt::format("{}: the probabilities sum to {}, not to 1", where(state, action), sum));
}

TableFamily TableBuilder::build_once() {
  if (data_.starts.empty()) throw UsageError("no state is a start; an episode must begin somewhere");
  if (data_.environments.empty()) {
    throw UsageError("there are no environments; one is enough if nothing is hidden");
  }
  check_names(data_.environments, "environment");
  if (data_.horizon == kEndless) (void)cut_steps(data_.discount, data_.tolerance);
  double weight = 0;
  for (const Start& s : data_.starts) weight += s.probability;
  for (Start& s : data_.starts) s.probability /= weight;
  double total = 0;
  for (const double w : weights_) total += w;
  if (!(total > 0)) throw UsageError("every environment has weight 0: one of them must be possible");
  for (const double w : weights_) data_.prior.push_back(w / total);
  place_common();
  check_actions();
  return TableFamily(std::move(data_));
}

/// What is said of one environment takes precedence over what is said of all.
void TableBuilder::place_common() {
  if (!said_early_.empty()) {
    throw UsageError(fmt::format("no environment {}", said_early_.front().environment));
  }
  data_.rows.resize(data_.environments.size() * data_.pairs());
  for (std::size_t i = 0; !common_.empty() && i < data_.rows.size(); i += common_.size()) {
    for (std::size_t pair = 0; pair < common_.size(); ++pair) {
      if (data_.rows[i + pair].count == 0) data_.rows[i + pair] = common_[pair];
    }
  }
}

/// An action is allowed in all environments or in none, and every state has an allowed action. Arriving does
/// nothing where nothing is said of it.
void TableBuilder::check_actions() {
  const std::size_t states = data_.states.size();
  const std::size_t pairs = data_.pairs();
  const auto environments = static_cast<int>(data_.environments.size());
  std::vector<int> said(pairs);  // the number of environments: [action + 1][state]
  for (std::size_t e = 0; e < data_.environments.size(); ++e) {
    for (std::size_t i = 0; i < pairs; ++i) said[i] += data_.rows[e * pairs + i].count > 0 ? 1 : 0;
  }
  for (std::size_t x = 0; x < states; ++x) {
    bool any = false;
    for (std::size_t a = 1; a * states < pairs; ++a) {
      const int known = said[a * states + x];
      if (known > 0 && known < environments) {
        throw UsageError(
            fmt::format("{} is known in {} of {} environments: an action may be done in all or in none",
                        where(static_cast<int>(x), static_cast<int>(a) - 1), known, environments));
      }
      any = any || known > 0;
    }
    if (!any) {
      throw UsageError(
          fmt::format("nothing can be done at '{}': give at least one action an outcome, or make it terminal",
                      printable(data_.states[x])));
    }
    if (said[x] == environments) continue;
    const std::size_t first = data_.possibilities.size();
    data_.possibilities.push_back({1.0, {static_cast<int>(x), 0, {}}});
    for (int e = 0; e < environments; ++e) {
      TableFamily::Range& arrival = data_.rows[data_.index(static_cast<int>(x), kArrive, e)];
      if (arrival.count == 0) arrival = {static_cast<std::uint32_t>(first), 1};
    }
  }
}

}  // namespace assay
