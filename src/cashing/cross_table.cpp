#include "cashing/cross_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace assay {

namespace {

constexpr double kMostEntries = 50'000'000;

double entries_of(std::size_t environments, const Places& places, int clocks, bool own) {
  const auto plans = static_cast<double>(environments);
  return plans * (own ? 1 : plans) * places.count() * clocks;
}

}  // namespace

bool CrossTable::fits(std::size_t environments, const Places& places, int clocks, bool own) {
  return entries_of(environments, places, clocks, own) <= kMostEntries;
}

CrossTable::CrossTable(std::size_t environments, const Places& places, int clocks, bool own)
    : environments_(environments), places_(static_cast<std::size_t>(places.count())), own_(own) {
  const double entries = entries_of(environments, places, clocks, own);
  if (!fits(environments, places, clocks, own)) {
    throw LimitError(
        fmt::format("{} environments need a table of {:.0f} cross-values; at most {:.0f} are kept",
                    environments, entries, kMostEntries));
  }
  value_.resize(static_cast<std::size_t>(entries));
}

CrossTable CrossTable::exact(const Belief& prior, const Places& places, int horizon, bool own) {
  std::vector<Mdp> all;
  for (std::size_t e = 0; e < prior.weights().size(); ++e) all.push_back(prior.environment(e));
  return exact(all, places, horizon, own);
}

CrossTable CrossTable::exact(const std::vector<Mdp>& all, const Places& places, int horizon, bool own) {
  const std::size_t count = all.size();
  CrossTable table(count, places, horizon + 1, own);
  for (std::size_t plan = 0; plan < count; ++plan) {
    const Plan best = optimal_plan(all[plan], horizon);
    for (std::size_t world = own ? plan : 0; world < (own ? plan + 1 : count); ++world) {
      const std::vector<std::vector<double>> values = plan_value(all[world], best, horizon);
      for (int h = 0; h <= horizon; ++h) {
        for (int p = 0; p < places.count(); ++p) {
          table.at(h, plan, world, p) = at_place(places, all[world], values, h, p);
        }
      }
    }
  }
  return table;
}

double CrossTable::at_place(const Places& places, const Mdp& mdp,
                            const std::vector<std::vector<double>>& values, int collections, int place) {
  if (collections == 0) return 0;
  const auto h = static_cast<std::size_t>(collections);
  if (places.kind() == Places::Kind::kArrival) return values[h][static_cast<std::size_t>(places.next(place))];
  const Places::Choice& c = places.choice(place);
  return action_value(mdp, c.state, c.action, values[h - 1]);
}

double CrossTable::current(std::span<const double> weights, int clock, int place) const {
  double sum = 0;
  for (std::size_t plan = 0; plan < environments_; ++plan) {
    if (weights[plan] == 0) continue;
    for (std::size_t world = 0; world < environments_; ++world) {
      sum += weights[plan] * weights[world] * at(clock, plan, world, place);
    }
  }
  return sum;
}

double CrossTable::best(std::span<const double> weights, int clock, int place) const {
  double best = -std::numeric_limits<double>::infinity();
  for (std::size_t plan = 0; plan < environments_; ++plan) {
    if (weights[plan] == 0) continue;
    double sum = 0;
    for (std::size_t world = 0; world < environments_; ++world) {
      if (weights[world] != 0) sum += weights[world] * at(clock, plan, world, place);
    }
    best = std::max(best, sum);
  }
  return best;
}

double CrossTable::full(std::span<const double> weights, int clock, int place) const {
  double sum = 0;
  for (std::size_t e = 0; e < environments_; ++e) sum += weights[e] * at(clock, e, e, place);
  return sum;
}

const Places::Option& CrossTable::choice(const Places& places, int clock, std::size_t plan, int state) const {
  const std::span<const Places::Option> options = places.options(state);
  const Places::Option* best = &options.front();
  for (const Places::Option& option : options) {
    if (at(clock, plan, plan, option.place) > at(clock, plan, plan, best->place)) best = &option;
  }
  return *best;
}

}  // namespace assay
