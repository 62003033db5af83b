#include "files/remembering.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "assay/core/error.hpp"

namespace assay::files {
namespace {

constexpr std::size_t kMostItems = 64;
constexpr std::size_t kMostStates = 100'000;
constexpr std::size_t kMostRows = 5'000'000;

}  // namespace

Remembering::Remembering(const Draft& draft)
    : draft_(draft), base_(draft.builder.build()), environments_(static_cast<int>(base_.prior().size())) {
  if (draft.once.size() > kMostItems) {
    throw UsageError(fmt::format("{} things can be had once; at most {}: each of them may double the states",
                                 draft.once.size(), kMostItems));
  }
  for (const auto& [place, environments] : draft.once) bits_.emplace(place, std::uint64_t{1} << bits_.size());
  for (const auto& [place, name] : draft.sources) copies_[place];
  for (const auto& [place, drawn] : draft.drawn) copies_[place];
  for (const auto& [place, looks] : draft.looks_at_all) copies_[place];
  for (const Start& start : base_.starts()) number({start.state, 0, 0});
  for (int s = 0; s < static_cast<int>(memories_.size()); ++s) put(s);  // appends further states to memories_
  build();
}

std::vector<Place> Remembering::copies(const Place& place) const {
  const auto found = copies_.find(place);
  return found == copies_.end() ? std::vector<Place>()
                                : std::vector(found->second.begin(), found->second.end());
}

void Remembering::put(int from) {
  const Memory at = memories_[static_cast<std::size_t>(from)];
  std::vector<Possibilities> rows(static_cast<std::size_t>(environments_));
  if (!draft_.entering) {
    for (int e = 0; e < environments_; ++e) {
      rows[static_cast<std::size_t>(e)] = arrival(at, e);
      for (TableBuilder::Possibility& p : rows[static_cast<std::size_t>(e)]) p.outcome.next = from;
    }
    put_row(from, kArrive, rows);
    if ((at.used & bit({at.state, kArrive})) == 0) copy({at.state, kArrive}, {from, kArrive});
  }
  for (int a = 0; a < base_.actions(); ++a) {
    if (!base_.allowed(at.state, a) || (at.used & bit({at.state, a})) != 0) continue;
    for (int e = 0; e < environments_; ++e) rows[static_cast<std::size_t>(e)] = leaving(from, a, e);
    put_row(from, a, rows);
    copy({at.state, a}, {from, a});
  }
}

void Remembering::put_row(int from, int action, const std::vector<Possibilities>& of_environment) {
  const bool alike =
      std::ranges::all_of(of_environment, [&](const auto& row) { return row == of_environment[0]; });
  if (alike) {
    rows_.push_back({from, action, TableBuilder::kEvery, of_environment[0]});
  } else {
    for (int e = 0; e < environments_; ++e)
      rows_.push_back({from, action, e, of_environment[static_cast<std::size_t>(e)]});
  }
  if (rows_.size() > kMostRows)
    throw UsageError(fmt::format("what is to be remembered makes more than {} outcomes", kMostRows));
}

int Remembering::number(Memory memory) {
  // Nothing can be used up any more at the end, so that the memory does not matter.
  if (draft_.terminals.contains(memory.state)) memory.used &= bit({memory.state, kArrive});
  const auto [found, added] = numbers_.try_emplace(memory, static_cast<int>(memories_.size()));
  if (added) memories_.push_back(memory);
  if (memories_.size() > kMostStates) {
    throw UsageError(
        fmt::format("`once` and `episodes` make more than {} states of {}: each combination of what has been "
                    "used up, and each step, is a state of its own; use fewer",
                    kMostStates, base_.states()));
  }
  return found->second;
}

std::uint64_t Remembering::bit(const Place& place) const {
  const auto found = bits_.find(place);
  return found == bits_.end() ? 0 : found->second;
}

Remembering::Possibilities Remembering::arrival(const Memory& at, int e) const {
  const Place place{at.state, kArrive};
  if ((at.used & bit(place)) != 0 && draft_.once.at(place).contains(e)) return {{1, {at.state, 0, {}}}};
  const auto row = base_.row(at.state, kArrive, e);
  return {row.begin(), row.end()};
}

Remembering::Possibilities Remembering::leaving(int from, int action, int e) {
  const Memory at = memories_[static_cast<std::size_t>(from)];
  Memory to = at;
  if (!draft_.entering) to.used |= bit({at.state, kArrive});
  to.used |= bit({at.state, action});
  if (draft_.episode.episodes > 1) ++to.step;
  Possibilities all;
  for (const TableBuilder::Possibility& p : base_.row(at.state, action, e)) {
    to.state = p.outcome.next;
    if (!draft_.entering) {
      go_on(p.probability, p.outcome, to, all);
      continue;
    }
    const Place entered{to.state, kArrive};
    if ((to.used & bit(entered)) == 0) copy(entered, {from, action});
    if (p.probability < 1 && (draft_.drawn.contains(entered) || draft_.looks_at_all.contains(entered))) {
      throw UsageError(fmt::format(
          "'{}' at '{}' leads to '{}' and elsewhere: collect = \"entering\" and unknown rewards "
          "need moves that are certain; collect on \"arriving\", or leave chance out of the moves",
          base_.action_name(action), base_.state_name(at.state), base_.state_name(to.state)));
    }
    Memory there = to;
    there.used |= bit(entered);
    for (const TableBuilder::Possibility& q : arrival(to, e)) {
      Outcome both = p.outcome;
      both.reward += q.outcome.reward;
      both.observation.insert(both.observation.end(), q.outcome.observation.begin(),
                              q.outcome.observation.end());
      go_on(p.probability * q.probability, both, there, all);
    }
  }
  return all;
}

void Remembering::go_on(double probability, const Outcome& outcome, const Memory& to, Possibilities& all) {
  if (to.step < draft_.episode.horizon) {
    all.push_back({probability, outcome});
    all.back().outcome.next = number(to);
    return;
  }
  for (const Start& start : base_.starts()) {
    all.push_back({probability * start.probability, outcome});
    all.back().outcome.next = number({start.state, 0, 0});
  }
}

void Remembering::copy(const Place& original, const Place& place) {
  const auto found = copies_.find(original);
  if (found != copies_.end()) found->second.insert(place);
}

void Remembering::build() {
  std::vector<std::string> states, actions;
  for (const Memory& memory : memories_) states.push_back(name(memory));
  for (int a = 0; a < base_.actions(); ++a) actions.push_back(base_.action_name(a));
  builder_.emplace(std::move(states), std::move(actions));
  builder_->horizon(draft_.episode.horizon * draft_.episode.episodes).discount(base_.discount());
  builder_->tolerance(base_.tolerance());
  builder_->repeats(draft_.episode.episodes);
  for (int e = 0; e < environments_; ++e)
    builder_->environment(base_.environment_name(e), base_.prior()[static_cast<std::size_t>(e)]);
  for (const Start& start : base_.starts()) builder_->start(number({start.state, 0, 0}), start.probability);
  for (Row& row : rows_)
    builder_->outcome(row.state, row.action, std::move(row.possibilities), row.environment);
  rows_.clear();
  if (!base_.drawable()) return;
  std::vector<Cell> cells;
  std::string landmarks, glyphs;
  for (const Memory& memory : memories_) {
    cells.push_back(base_.cell(memory.state));
    landmarks += base_.landmark(memory.state);
  }
  for (int a = 0; a < base_.actions(); ++a) glyphs += base_.action_glyph(a);
  builder_->drawing(std::move(cells), landmarks, glyphs);
}

std::string Remembering::name(const Memory& memory) const {
  std::string text = base_.state_name(memory.state);
  std::string used;
  for (const auto& [place, bit] : bits_) {
    if ((memory.used & bit) != 0) used += (used.empty() ? "" : ", ") + used_name(place);
  }
  if (!used.empty()) text += fmt::format(" ({} used)", used);
  if (draft_.episode.episodes > 1) text += fmt::format(", step {}", memory.step);
  return text;
}

/// The state's own `once`, if nothing else in that state can be used up.
std::string Remembering::used_name(const Place& place) const {
  const auto same = std::ranges::count_if(bits_, [&](const auto& b) { return b.first.first == place.first; });
  const std::string state = base_.state_name(place.first);
  if (same == 1) return state;
  return fmt::format("{} at {}", place.second == kArrive ? "arrival" : base_.action_name(place.second),
                     state);
}

}  // namespace assay::files
