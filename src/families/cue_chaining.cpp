// cue_chaining: a chain of two cues, a task of active inference. The first cue shows which of four places
// holds the second one, the second cue shows which of two places pays. Entering one of these two ends the
// episode, with a reward or a punishment.
//
//   S . 2 . . . .     S: start
//   . . . 2 . P .     1: the first cue
//   1 . . . . . .     2: places where the second cue may be; the other three show nothing
//   . . . 2 . P .     P: one of them pays the reward, the other the punishment
//   . . 2 . . . .
//
// The default horizon of 12 steps suffices for the whole chain wherever the second cue is, and it is too
// short to search the places of the second cue one by one and still reach what pays.
#include "assay/beliefs/finite.hpp"
#include "assay/problem/register_family.hpp"
#include "families/grid_places.hpp"

namespace assay {
namespace {

struct CueChainingSettings {
  int horizon = 12;
  double reward = 1;
  double punishment = -1;
  double cost = 0;
  double discount = 1;
};

constexpr int kCuePlaces = 4;
constexpr std::array<Cell, kCuePlaces> kSecondCues = {{{0, 2}, {1, 3}, {3, 3}, {4, 2}}};
constexpr std::array<Cell, 2> kPrizes = {{{1, 5}, {3, 5}}};

class CueChaining {
 public:
  using Hidden = int;  // 2 * where the second cue is + where the reward is
  static constexpr Members kMembers = {
      Member::kKnownTransitions, Member::kCollects,       Member::kSources,
      Member::kSourcePlaces,     Member::kCell,           Member::kLandmark,
      Member::kStateName,        Member::kActionName,     Member::kActionGlyph,
      Member::kEnvironmentName,  Member::kObservationText};
  /// What a place shows: of the first cue the number of the second one's place, of a place where the second
  /// cue may be one of these.
  enum Sign { kNothing = kCuePlaces, kUpperPays, kLowerPays };

  explicit CueChaining(const CueChainingSettings& settings, bool first_shows = true, bool second_shows = true)
      : settings_(settings),
        first_shows_(first_shows),
        second_shows_(second_shows),
        places_(GridPlaces::rectangle(5, 7)),
        start_(places_.at({0, 0})),
        first_cue_(places_.at({2, 0})) {}

  int states() const { return places_.count(); }
  int actions() const { return GridPlaces::kActions; }
  int horizon() const { return settings_.horizon; }
  double discount() const { return settings_.discount; }
  std::vector<Start> starts() const { return {{start_, 1.0}}; }
  std::vector<double> prior() const { return std::vector<double>(2 * kCuePlaces, 0.5 / kCuePlaces); }

  template <class Visit>
  void outcomes(int x, int a, int e, Visit&& visit) const {
    if (a == kArrive || prize_at(x) >= 0) return visit(1.0, Outcome{x, 0, {}});
    Outcome outcome{.next = places_.moved(x, a), .reward = -settings_.cost, .observation = {}};
    const int prize = prize_at(outcome.next);
    if (prize >= 0) outcome.reward += prize == e % 2 ? settings_.reward : settings_.punishment;
    const int second = second_cue_at(outcome.next);
    if (first_shows_ && outcome.next == first_cue_) outcome.observation = {e / 2};
    if (second_shows_ && second >= 0) {
      outcome.observation = {second != e / 2 ? kNothing : e % 2 == 0 ? kUpperPays : kLowerPays};
    }
    visit(1.0, std::as_const(outcome));
  }
  bool known_transitions() const { return true; }
  bool collects(int x, int a) const {
    if (a == kArrive || prize_at(x) >= 0) return false;
    const int next = places_.moved(x, a);
    return settings_.cost != 0 || prize_at(next) >= 0 || shows(next);
  }

  /// The same grid where one of the cues shows nothing.
  std::vector<std::pair<std::string, CueChaining>> sources() const {
    return {{"first cue", CueChaining(settings_, false, second_shows_)},
            {"second cue", CueChaining(settings_, first_shows_, false)}};
  }
  std::vector<std::pair<std::string, std::vector<std::pair<int, int>>>> source_places() const {
    std::vector<std::pair<int, int>> first;
    std::vector<std::pair<int, int>> second;
    for (int x = 0; x < states(); ++x) {
      if (prize_at(x) >= 0) continue;
      for (int a = 0; a < actions(); ++a) {
        if (places_.moved(x, a) == first_cue_) first.emplace_back(x, a);
        if (second_cue_at(places_.moved(x, a)) >= 0) second.emplace_back(x, a);
      }
    }
    return {{"first cue", first}, {"second cue", second}};
  }

  Cell cell(int x) const { return places_.cell(x); }
  char landmark(int x) const {
    if (x == start_) return 'S';
    if (x == first_cue_) return '1';
    if (second_cue_at(x) >= 0) return '2';
    return prize_at(x) >= 0 ? 'P' : '.';
  }
  std::string state_name(int x) const { return places_.name(x); }
  std::string action_name(int a) const { return GridPlaces::action_name(a); }
  char action_glyph(int a) const { return GridPlaces::action_glyph(a); }
  std::string environment_name(int e) const {
    return fmt::format("cue at {}, {} pays", cue_name(e / 2), e % 2 == 0 ? "upper" : "lower");
  }
  std::string observation_text(int /*x*/, int /*a*/, const Observation& seen) const {
    if (seen.empty()) return "";
    if (seen.front() == kNothing) return "no cue here";
    if (seen.front() == kUpperPays) return "upper pays";
    if (seen.front() == kLowerPays) return "lower pays";
    return "second cue at " + cue_name(seen.front());
  }

 private:
  /// Which of the possible places of the second cue this is, -1 for none.
  int second_cue_at(int x) const { return which(x, kSecondCues); }
  int prize_at(int x) const { return which(x, kPrizes); }
  bool shows(int x) const {
    return (first_shows_ && x == first_cue_) || (second_shows_ && second_cue_at(x) >= 0);
  }
  template <std::size_t kCount>
  int which(int x, const std::array<Cell, kCount>& cells) const {
    for (std::size_t i = 0; i < kCount; ++i) {
      if (x == places_.at(cells[i])) return static_cast<int>(i);
    }
    return -1;
  }
  std::string cue_name(int which) const {
    return grid_cell_name(kSecondCues[static_cast<std::size_t>(which)]);
  }

  CueChainingSettings settings_;
  bool first_shows_, second_shows_;
  GridPlaces places_;
  int start_, first_cue_;
};

const RegisterFamily<CueChaining, FiniteBelief<CueChaining>, CueChainingSettings> kRegistered({
    .name = "cue_chaining",
    .summary = "a cue that shows where a second cue is, which shows which of two places pays",
    .schema = {{
        steps("horizon", &CueChainingSettings::horizon, 10'000, "steps in an episode"),
        real("reward", &CueChainingSettings::reward, -1e6, 1e6,
             "paid for entering the right one of the two places"),
        real("punishment", &CueChainingSettings::punishment, -1e6, 1e6, "paid for entering the other one"),
        real("cost", &CueChainingSettings::cost, 0, 1e6, "of each step until then"),
        real("discount", &CueChainingSettings::discount, 0, 1,
             "weight of the next step relative to this one"),
    }},
    .small = {"cue_chaining(horizon=5,punishment=-0.5,cost=0.1)", "cue_chaining(horizon=7,discount=0.9)"},
});

}  // namespace
}  // namespace assay
