#include "assay/families/table_family.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "assay/core/error.hpp"
#include "assay/core/spec.hpp"

namespace assay {
namespace {

constexpr double kSumTolerance = 1e-6;  // of probabilities, as people write them: 0.333333

void check_names(const std::vector<std::string>& names, const char* kind) {
  if (names.empty()) throw UsageError(fmt::format("there are no {}s; name at least one", kind));
  std::set<std::string_view> seen;
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

/// Equal outcomes once; probabilities that sum to exactly 1 as far as rounding goes.
std::vector<TableFamily::Possibility> merged(std::vector<TableFamily::Possibility> all) {
  std::vector<TableFamily::Possibility> once;
  double sum = 0;
  for (TableFamily::Possibility& p : all) {
    if (p.probability == 0) continue;
    sum += p.probability;
    const auto same = std::ranges::find_if(
        once, [&](const TableFamily::Possibility& other) { return other.outcome == p.outcome; });
    if (same != once.end()) {
      same->probability += p.probability;
    } else {
      once.push_back(std::move(p));
    }
  }
  if (sum != 1) {
    for (TableFamily::Possibility& p : once) p.probability /= sum;
  }
  return once;
}

}  // namespace

std::vector<std::pair<std::string, TableFamily>> TableFamily::sources() const {
  std::vector<std::pair<std::string, TableFamily>> all;
  for (const Source& source : data_->sources) {
    Data silent = *data_;
    for (const auto& [x, a] : source.where) {
      for (int e = 0; e < static_cast<int>(silent.environments.size()); ++e) {
        std::vector<Possibility> blind(row(x, a, e).begin(), row(x, a, e).end());
        for (Possibility& p : blind) p.outcome.observation.clear();
        blind = merged(std::move(blind));
        silent.rows[silent.index(x, a, e)] = {static_cast<std::uint32_t>(silent.possibilities.size()),
                                              static_cast<std::uint32_t>(blind.size())};
        silent.possibilities.insert(silent.possibilities.end(), blind.begin(), blind.end());
      }
    }
    all.emplace_back(source.name, TableFamily(std::move(silent)));
  }
  return all;
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

TableBuilder& TableBuilder::discount(double factor) {
  if (!(factor >= 0 && factor <= 1)) throw UsageError(fmt::format("a discount of {}: from 0 to 1", factor));
  data_.discount = factor;
  return *this;
}

TableBuilder& TableBuilder::start(int state, double weight) {
  if (!(weight > 0) || !std::isfinite(weight)) {
    throw UsageError(fmt::format("a start of weight {}: weights are positive", weight));
  }
  data_.starts.push_back({state, weight});
  return *this;
}

int TableBuilder::environment(std::string name, double weight) {
  if (!(weight > 0) || !std::isfinite(weight)) {
    throw UsageError(
        fmt::format("environment '{}' has weight {}: weights are positive", printable(name), weight));
  }
  data_.environments.push_back(std::move(name));
  weights_.push_back(weight);
  return static_cast<int>(data_.environments.size()) - 1;
}

TableBuilder& TableBuilder::outcome(int state, int action, std::vector<Possibility> possibilities,
                                    int environment) {
  said_.push_back({state, action, environment, std::move(possibilities)});
  check_possibilities(said_.back());
  return *this;
}

TableBuilder& TableBuilder::source(std::string name, std::vector<std::pair<int, int>> where) {
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

void TableBuilder::check_possibilities(const Said& said) const {
  const auto states = static_cast<int>(data_.states.size());
  if (said.state < 0 || said.state >= states || said.action < kArrive ||
      said.action >= static_cast<int>(data_.actions.size())) {
    throw UsageError(fmt::format("no state {} or no action {}", said.state, said.action));
  }
  const std::string at = where(said.state, said.action);
  double sum = 0;
  for (const Possibility& p : said.possibilities) {
    if (!(p.probability >= 0 && p.probability <= 1 + kSumTolerance)) {
      throw UsageError(fmt::format("{}: a probability of {}; it is from 0 to 1", at, p.probability));
    }
    constexpr double kMostReward = 1e12;
    if (!(std::abs(p.outcome.reward) <= kMostReward)) {
      throw UsageError(
          fmt::format("{}: a reward of {}; it is a number of at most 1e12 in size", at, p.outcome.reward));
    }
    if (p.outcome.next < 0 || p.outcome.next >= states) {
      throw UsageError(fmt::format("{} leads to no state: {}", at, p.outcome.next));
    }
    if (said.action == kArrive && p.outcome.next != said.state) {
      throw UsageError(fmt::format("{} leads elsewhere; only actions lead to other states", at));
    }
    sum += p.probability;
  }
  if (std::abs(sum - 1) > kSumTolerance) {
    throw UsageError(fmt::format("{}: the probabilities sum to {}, not to 1", at, sum));
  }
}

TableFamily TableBuilder::build() const {
  TableFamily::Data data = data_;
  if (data.starts.empty()) throw UsageError("no state is a start; an episode must begin somewhere");
  if (data.environments.empty()) {
    throw UsageError("there are no environments; one is enough if nothing is hidden");
  }
  check_names(data.environments, "environment");
  double weight = 0;
  for (const Start& s : data.starts) weight += s.probability;
  for (Start& s : data.starts) s.probability /= weight;
  double total = 0;
  for (const double w : weights_) total += w;
  for (const double w : weights_) data.prior.push_back(w / total);

  const auto environments = static_cast<int>(data.environments.size());
  data.rows.resize(data.environments.size() * (data.actions.size() + 1) * data.states.size());
  const auto put = [&](std::vector<Possibility> all) {
    all = merged(std::move(all));
    const TableFamily::Range range{static_cast<std::uint32_t>(data.possibilities.size()),
                                   static_cast<std::uint32_t>(all.size())};
    data.possibilities.insert(data.possibilities.end(), std::make_move_iterator(all.begin()),
                              std::make_move_iterator(all.end()));
    return range;
  };
  // What is said of every environment first: what is said of one goes before it.
  for (const bool common : {true, false}) {
    for (const Said& said : said_) {
      if ((said.environment == kEvery) != common) continue;
      if (said.environment >= environments)
        throw UsageError(fmt::format("no environment {}", said.environment));
      const TableFamily::Range range = put(said.possibilities);
      for (int e = 0; e < environments; ++e) {
        if (common || e == said.environment) data.rows[data.index(said.state, said.action, e)] = range;
      }
    }
  }
  const auto states = static_cast<int>(data.states.size());
  for (int x = 0; x < states; ++x) {
    const TableFamily::Range nothing = put({{1.0, {x, 0, {}}}});
    bool any = false;
    for (int a = kArrive; a < static_cast<int>(data.actions.size()); ++a) {
      int said = 0;
      for (int e = 0; e < environments; ++e) {
        TableFamily::Range& range = data.rows[data.index(x, a, e)];
        if (a == kArrive && range.count == 0) range = nothing;
        said += range.count > 0 ? 1 : 0;
      }
      if (said > 0 && said < environments) {
        throw UsageError(
            fmt::format("{} is known in {} of {} environments: an action may be done in all or in none",
                        where(x, a), said, environments));
      }
      any = any || (a != kArrive && said > 0);
    }
    if (!any) {
      throw UsageError(
          fmt::format("nothing can be done at '{}': give at least one action an outcome, or make it terminal",
                      printable(data.states[static_cast<std::size_t>(x)])));
    }
  }
  return TableFamily(std::move(data));
}

}  // namespace assay
