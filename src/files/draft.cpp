#include "files/draft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "assay/core/detail/spec.hpp"
#include "assay/core/error.hpp"
#include "files/remembering.hpp"

namespace assay::files {
namespace {

/// The places of the finished problem that stand for a place of the draft.
using Copies = std::function<std::vector<Place>(const Place&)>;

/// A source of information: where signs are seen, and where unknown rewards are looked at.
struct InformationSource {
  std::string name;
  std::vector<Place> seen, looked;
};

std::vector<InformationSource> named_sources(const Draft& draft, const Copies& copies) {
  std::vector<InformationSource> sources;
  for (const auto& [place, name] : draft.sources) {
    auto known = std::ranges::find(sources, name, &InformationSource::name);
    if (known == sources.end()) known = sources.insert(known, {name, {}, {}});
    std::vector<Place>& where = draft.looks_at_all.contains(place) ? known->looked : known->seen;
    const std::vector<Place> all = copies(place);
    where.insert(where.end(), all.begin(), all.end());
  }
  return sources;
}

bool same_law(const UnknownReward& l, const UnknownReward& r) {
  return l.law == r.law && l.amount == r.amount && l.a == r.a && l.b == r.b && l.mean == r.mean &&
         l.deviation == r.deviation && l.noise == r.noise;
}

/// The rewards that are drawn at each place of a draft, numbered in the order of the places.
struct DraftPulls {
  std::vector<UnknownReward> rewards;
  std::map<Place, std::vector<Pull>> at;

  explicit DraftPulls(const Draft& draft) {
    for (const auto& [place, drawn] : draft.drawn)
      at[place].push_back({number(drawn.reward), drawn.looks, true});
    for (const auto& [place, looks] : draft.looks_at_all) {
      std::vector<Pull>& here = at[place];
      for (int cell = 0; cell < static_cast<int>(rewards.size()); ++cell) {
        const bool paid_here = !here.empty() && here.front().rewarded && here.front().cell == cell;
        const bool normal = rewards[static_cast<std::size_t>(cell)].law == UnknownReward::Law::kNormal;
        if (!paid_here && !normal) here.push_back({cell, looks, false});
      }
    }
  }

  int number(const UnknownReward& reward) {
    const auto known = std::ranges::find(rewards, reward.name, &UnknownReward::name);
    if (known != rewards.end() && !same_law(*known, reward)) {
      throw UsageError(fmt::format("the unknown reward '{}' has two priors; what is shared has one",
                                   printable(reward.name)));
    }
    if (known == rewards.end()) return rewards.push_back(reward), static_cast<int>(rewards.size()) - 1;
    return static_cast<int>(known - rewards.begin());
  }
};

CellFamily with_unknown_rewards(const Draft& draft, TableFamily known,
                                const std::vector<InformationSource>& sources, const Copies& copies) {
  const DraftPulls pulls(draft);
  if (pulls.rewards.empty()) {
    throw UsageError("\"rewards\" are shown, but none is unknown; give a letter chance = { beta = [1, 1] }");
  }
  CellBuilder builder(std::move(known));
  for (const UnknownReward& reward : pulls.rewards) builder.unknown(reward);
  for (const auto& [place, here] : pulls.at) {
    for (const Place& copy : copies(place)) {
      for (const Pull& pull : here) builder.pull(copy.first, copy.second, pull);
    }
  }
  for (const InformationSource& source : sources) {
    if (!source.looked.empty()) builder.source(source.name, source.looked);
  }
  return builder.build();
}

}  // namespace

int Signs::number(const std::string& text) {
  const auto [found, added] = numbers_.try_emplace(text, static_cast<int>(texts_.size()));
  if (added) texts_.push_back(text);
  return found->second;
}

void Draft::forget(const Place& place, const std::set<int>& environments, bool all) {
  terminals.erase(place.first);
  drawn.erase(place);
  looks_at_all.erase(place);
  if (all) {
    sources.erase(place);
    once.erase(place);
    return;
  }
  const auto found = once.find(place);
  if (found == once.end()) return;
  for (const int e : environments) found->second.erase(e);
  if (found->second.empty()) once.erase(found);
}

WrittenFamily finished(Draft draft) {
  draft.builder.horizon(draft.episode.horizon).discount(draft.episode.discount);
  draft.builder.tolerance(draft.episode.tolerance);
  std::optional<Remembering> remembering;
  if (!draft.once.empty() || draft.entering || draft.episode.episodes > 1) remembering.emplace(draft);
  TableBuilder& builder = remembering ? remembering->builder() : draft.builder;
  const Copies copies = [&](const Place& place) {
    return remembering ? remembering->copies(place) : std::vector{place};
  };
  const std::vector<InformationSource> sources = named_sources(draft, copies);
  for (const InformationSource& source : sources) {
    if (!source.seen.empty()) builder.source(source.name, source.seen);
  }
  builder.signs(draft.signs.texts());
  // An environment of weight 0 is treated as absent.
  TableFamily known = std::move(builder).build().without_impossible();
  if (draft.drawn.empty() && draft.looks_at_all.empty()) return known;
  return with_unknown_rewards(draft, std::move(known), sources, copies);
}

}  // namespace assay::files
