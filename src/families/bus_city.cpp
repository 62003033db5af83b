// bus_city: the city of DREAM, a task of two episodes for meta-exploration. Four bus stops beside the start
// are joined, both ways, to four stops in the corners of the city, and it is unknown which to which. A sign
// shows it.
//
//   . 1 . . . . . 2 .     1 2 3 4: the stops in the corners, one of which is the goal
//   . . . . . . . . .
//   . . . . . . . . .
//   . . . . b . . . .     b: the stops beside the start
//   . . . b S b . . .
//   . . . . b . . . .
//   . . . . . . . . .
//   . . . M . . . . .     M: the sign
//   . 3 . . . . . 4 .
//
// In the exploration episode nothing is paid. Then the agent is back at the start and is told the goal: in
// the exploitation episode each step costs 0.1, and reaching the goal pays 1 and ends it. Walking takes seven
// steps, the right bus two. With `distraction`, four more stops lead to the middles of the city's sides,
// which are of no use and which the sign does not show.
#include <algorithm>

#include "assay/beliefs/finite.hpp"
#include "assay/problem/register_family.hpp"
#include "families/grid_places.hpp"

namespace assay {
namespace {

enum class Distraction { kOff, kOn };

struct BusCitySettings {
  Distraction distraction = Distraction::kOff;
  int horizon = 20;
  double discount = 1;
};

constexpr int kCitySide = 9;
constexpr int kLines = 4;
constexpr int kPermutations = 24;
constexpr std::array<Cell, kLines> kNearStops = {{{3, 4}, {4, 5}, {5, 4}, {4, 3}}};
constexpr std::array<Cell, kLines> kFarStops = {{{0, 1}, {0, 7}, {8, 1}, {8, 7}}};
constexpr std::array<Cell, kLines> kIdleNearStops = {{{3, 5}, {5, 5}, {5, 3}, {3, 3}}};
constexpr std::array<Cell, kLines> kIdleFarStops = {{{0, 4}, {4, 8}, {8, 4}, {4, 0}}};
constexpr std::array<const char*, kLines> kNearNames = {"upper", "right", "lower", "left"};
constexpr std::array<const char*, kLines> kFarNames = {"top left", "top right", "bottom left",
                                                       "bottom right"};
constexpr std::array<const char*, kLines> kIdleNames = {"top", "right side", "bottom", "left side"};
constexpr std::array<const char*, kLines> kIdleNearNames = {"upper right", "lower right", "lower left",
                                                            "upper left"};

using Permutation = std::array<int, kLines>;

/// In the order of std::next_permutation.
std::vector<Permutation> all_permutations() {
  std::vector<Permutation> all;
  Permutation lines = {0, 1, 2, 3};
  do {
    all.push_back(lines);
  } while (std::ranges::next_permutation(lines).found);
  return all;
}

class BusCity {
 public:
  using Hidden = int;  // the number of a permutation, plus 24 times that of the idle lines
  static constexpr Members kMembers = {
      Member::kAllowed,     Member::kKnownTransitions, Member::kCollects,        Member::kSources,
      Member::kCell,        Member::kLandmark,         Member::kStateName,       Member::kActionName,
      Member::kActionGlyph, Member::kEnvironmentName,  Member::kObservationText, Member::kSourcePlaces};
  enum Action { kUp, kDown, kLeft, kRight, kRide, kActions };

  explicit BusCity(const BusCitySettings& settings, bool has_sign = true)
      : settings_(settings),
        has_sign_(has_sign),
        places_(GridPlaces::rectangle(kCitySide, kCitySide)),
        permutations_(all_permutations()),
        rides_(rides(kNearStops, kFarStops)),
        idle_rides_(rides(kIdleNearStops, kIdleFarStops)),
        start_(places_.at({4, 4})),
        sign_(places_.at({7, 3})) {
    for (const Cell& stop : kFarStops) far_stops_.push_back(places_.at(stop));
  }

  int states() const { return (settings_.horizon + kLines) * places_.count(); }
  int actions() const { return kActions; }
  /// The exploration and the exploitation.
  int horizon() const { return 2 * settings_.horizon; }
  double discount() const { return settings_.discount; }
  std::vector<Start> starts() const { return {{start_, 1.0}}; }
  std::vector<double> prior() const {
    const int all = distracts() ? kPermutations * kPermutations : kPermutations;
    return std::vector<double>(static_cast<std::size_t>(all), 1.0 / all);
  }
  bool allowed(int x, int a) const { return a != kRide || ridden(place_of(x), 0) >= 0; }

  template <class Visit>
  void outcomes(int x, int a, int e, Visit&& visit) const {
    if (a == kArrive) return visit(1.0, Outcome{x, 0, {}});
    const int goal = goal_of(x);
    if (goal >= 0 && place_of(x) == far_stop(goal)) return visit(1.0, Outcome{x, 0, {}});  // it has ended
    const int place = a == kRide ? ridden(place_of(x), e) : places_.moved(place_of(x), a + 1);
    Outcome outcome{.next = 0, .reward = 0, .observation = {}};
    if (has_sign_ && place == sign_) outcome.observation = {e % kPermutations};
    if (goal >= 0) {
      outcome.next = exploiting(goal, place);
      outcome.reward = (place == far_stop(goal) ? 1 : 0) - kStepCost;
      return visit(1.0, std::as_const(outcome));
    }
    if (step_of(x) + 1 < settings_.horizon) {
      outcome.next = x - place_of(x) + places_.count() + place;
      return visit(1.0, std::as_const(outcome));
    }
    for (int drawn = 0; drawn < kLines; ++drawn) {
      outcome.next = exploiting(drawn, start_);
      visit(1.0 / kLines, std::as_const(outcome));
    }
  }
  /// It is unknown where buses go.
  bool known_transitions() const { return false; }
  bool collects(int x, int a) const {
    if (a == kArrive || (goal_of(x) >= 0 && place_of(x) == far_stop(goal_of(x)))) return false;
    return goal_of(x) >= 0 || (has_sign_ && a != kRide && places_.moved(place_of(x), a + 1) == sign_);
  }

  /// The same city without the sign: the buses have to be tried.
  std::vector<std::pair<std::string, BusCity>> sources() const {
    return {{"sign", BusCity(settings_, false)}};
  }
  std::vector<std::pair<std::string, std::vector<std::pair<int, int>>>> source_places() const {
    std::vector<std::pair<int, int>> seeing;
    for (int x = 0; x < states(); ++x) {
      for (int a = kUp; a <= kRight; ++a) {
        if (places_.moved(place_of(x), a + 1) == sign_) seeing.emplace_back(x, a);
      }
    }
    return {{"sign", seeing}};
  }

  Cell cell(int x) const { return places_.cell(place_of(x)); }
  char landmark(int x) const {
    const int place = place_of(x);
    if (place == start_) return 'S';
    if (place == sign_) return has_sign_ ? 'M' : '.';
    for (int i = 0; i < kLines; ++i) {
      if (place == far_stop(i)) return static_cast<char>('1' + i);
      if (place == places_.at(kNearStops[static_cast<std::size_t>(i)])) return 'b';
    }
    return ridden(place, 0) >= 0 ? 'd' : '.';
  }
  std::string state_name(int x) const {
    const std::string place = places_.name(place_of(x));
    if (goal_of(x) < 0) return fmt::format("{}, exploring, step {}", place, step_of(x));
    return fmt::format("{}, the goal is {}", place, kFarNames[static_cast<std::size_t>(goal_of(x))]);
  }
  std::string action_name(int a) const { return a == kRide ? "ride" : GridPlaces::action_name(a + 1); }
  char action_glyph(int a) const { return "^v<>o"[a]; }
  std::string environment_name(int e) const {
    std::string text = lines_text(e % kPermutations, kNearNames, kFarNames);
    if (distracts()) text += ", " + lines_text(e / kPermutations, kIdleNearNames, kIdleNames);
    return text;
  }
  std::string observation_text(int /*x*/, int /*a*/, const Observation& seen) const {
    return seen.empty() ? "" : lines_text(seen.front(), kNearNames, kFarNames);
  }

 private:
  static constexpr double kStepCost = 0.1;

  bool distracts() const { return settings_.distraction == Distraction::kOn; }
  // States: the places of the exploration's first step, of its second and so on; then those of the
  // exploitation with goal 0, and so on.
  int place_of(int x) const { return x % places_.count(); }
  int step_of(int x) const { return x / places_.count(); }
  /// The goal that was told, -1 while exploring.
  int goal_of(int x) const { return step_of(x) < settings_.horizon ? -1 : step_of(x) - settings_.horizon; }
  int exploiting(int goal, int place) const { return (settings_.horizon + goal) * places_.count() + place; }
  int far_stop(int which) const { return far_stops_[static_cast<std::size_t>(which)]; }

  /// Where a bus from this place goes, -1 if there is no stop.
  int ridden(int place, int e) const {
    const int there = rides_[index(e % kPermutations, place)];
    return there >= 0 || !distracts() ? there : idle_rides_[index(e / kPermutations, place)];
  }
  std::size_t index(int permutation, int place) const {
    return static_cast<std::size_t>(permutation) * static_cast<std::size_t>(places_.count()) +
           static_cast<std::size_t>(place);
  }
  /// Where buses go from every place under every permutation.
  std::vector<int> rides(const std::array<Cell, kLines>& near, const std::array<Cell, kLines>& far) const {
    std::vector<int> all(permutations_.size() * static_cast<std::size_t>(places_.count()), -1);
    for (int permutation = 0; permutation < kPermutations; ++permutation) {
      for (std::size_t i = 0; i < kLines; ++i) {
        const int here = places_.at(near[i]);
        const int there = places_.at(far[line_of(permutation, i)]);
        all[index(permutation, here)] = there;
        all[index(permutation, there)] = here;
      }
    }
    return all;
  }
  std::size_t line_of(int permutation, std::size_t near) const {
    return static_cast<std::size_t>(permutations_[static_cast<std::size_t>(permutation)][near]);
  }
  std::string lines_text(int permutation, const std::array<const char*, kLines>& near,
                         const std::array<const char*, kLines>& far) const {
    std::string text;
    for (std::size_t i = 0; i < kLines; ++i) {
      text += fmt::format("{}{} to {}", text.empty() ? "" : ", ", near[i], far[line_of(permutation, i)]);
    }
    return text;
  }

  BusCitySettings settings_;
  bool has_sign_;
  GridPlaces places_;
  std::vector<Permutation> permutations_;
  std::vector<int> rides_, idle_rides_;  // [permutation][place], -1 where there is no stop
  std::vector<int> far_stops_;
  int start_, sign_;
};

const RegisterFamily<BusCity, FiniteBelief<BusCity>, BusCitySettings> kRegistered({
    .name = "bus_city",
    .summary =
        "an episode to find out where four buses go, for nothing, and one to reach a goal that is then "
        "told",
    .schema = {{
        choice("distraction", &BusCitySettings::distraction, {"off", "on"},
               "four more buses, which are of no use"),
        integer("horizon", &BusCitySettings::horizon, 1, 100, "steps in each of the two episodes"),
        real("discount", &BusCitySettings::discount, 0, 1, "weight of the next step relative to this one"),
    }},
    .small = {"bus_city(horizon=2)"},
});

}  // namespace
}  // namespace assay
