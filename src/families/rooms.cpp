// rooms: the room navigation of HyperX. Three rooms of 3x3 cells in a row are joined by corridors, and the
// agent starts in the middle. Three goals pay only in their order, and each more than the one before:
//
//   ? . ?       ? . ?       ? . ?     goal 1: a corner of the middle room, 1 a step until goal 2 was reached
//   . . . - - - . S . - - - . . .     goal 2: a corner of the side room that goal 1 is next to, 10 a step
//   ? . ?       ? . ?       ? . ?     goal 3: another corner of the middle room, 100 a step
//
// Every step that ends elsewhere costs 0.1. There are 4 x 4 x 3 = 48 environments, each as likely.
#include <algorithm>

#include "assay/beliefs/finite.hpp"
#include "assay/problem/register_family.hpp"
#include "families/grid_places.hpp"

namespace assay {
namespace {

struct RoomsSettings {
  int corridor = 3;
  int horizon = 50;
  double discount = 1;
};

constexpr int kRoomSide = 3;
constexpr int kCorners = 4;

class Rooms {
 public:
  using Hidden = int;  // (corner of goal 1 * 4 + corner of goal 2) * 3 + which of the other corners is goal 3
  static constexpr Members kMembers = {
      Member::kKnownTransitions, Member::kCollects,   Member::kCell,        Member::kLandmark,
      Member::kStateName,        Member::kActionName, Member::kActionGlyph, Member::kEnvironmentName};
  /// How many of the goals 1 and 2 have been reached, in this order.
  enum Stage { kBeforeFirst, kBeforeSecond, kAfterSecond, kStages };

  explicit Rooms(const RoomsSettings& settings) : settings_(settings), places_(cells(settings.corridor)) {
    for (int room = 0; room < 3; ++room) {
      for (int corner = 0; corner < kCorners; ++corner) {
        const int left = room * (kRoomSide + settings.corridor);
        corners_.push_back(places_.at({corner / 2 * (kRoomSide - 1), left + corner % 2 * (kRoomSide - 1)}));
      }
    }
    const int middle = kRoomSide + settings.corridor + kRoomSide / 2;
    start_ = places_.at({kRoomSide / 2, middle});
  }

  int states() const { return kStages * places_.count(); }
  int actions() const { return GridPlaces::kActions; }
  int horizon() const { return settings_.horizon; }
  double discount() const { return settings_.discount; }
  std::vector<Start> starts() const { return {{start_, 1.0}}; }
  std::vector<double> prior() const { return std::vector<double>(kEnvironments, 1.0 / kEnvironments); }

  template <class Visit>
  void outcomes(int x, int a, int e, Visit&& visit) const {
    if (a == kArrive) return visit(1.0, Outcome{x, 0, {}});
    const int place = places_.moved(place_of(x), a);
    int stage = stage_of(x);
    double reward = -kStepCost;
    if (place == goal(e, 0) && stage < kAfterSecond) {
      stage = kBeforeSecond;
      reward = 1;
    } else if (place == goal(e, 1) && stage > kBeforeFirst) {
      stage = kAfterSecond;
      reward = 10;
    } else if (place == goal(e, 2) && stage == kAfterSecond) {
      reward = 100;
    }
    visit(1.0, Outcome{stage * places_.count() + place, reward, {}});
  }
  /// Reaching a goal changes the state, and where the goals are is unknown.
  bool known_transitions() const { return false; }
  bool collects(int /*x*/, int a) const { return a != kArrive; }

  Cell cell(int x) const { return places_.cell(place_of(x)); }
  char landmark(int x) const {
    if (place_of(x) == start_) return 'S';
    return std::ranges::count(corners_, place_of(x)) > 0 ? '?' : '.';
  }
  std::string state_name(int x) const {
    static constexpr std::array<const char*, kStages> kNames = {"", ", goal 1 reached", ", goal 2 reached"};
    return places_.name(place_of(x)) + kNames[static_cast<std::size_t>(stage_of(x))];
  }
  std::string action_name(int a) const { return GridPlaces::action_name(a); }
  char action_glyph(int a) const { return GridPlaces::action_glyph(a); }
  std::string environment_name(int e) const {
    return fmt::format("goals at {}, {} and {}", places_.name(goal(e, 0)), places_.name(goal(e, 1)),
                       places_.name(goal(e, 2)));
  }

 private:
  static constexpr int kEnvironments = kCorners * kCorners * (kCorners - 1);
  static constexpr double kStepCost = 0.1;

  /// The rooms, and the corridors in the middle row.
  static std::vector<Cell> cells(int corridor) {
    std::vector<Cell> all;
    for (int row = 0; row < kRoomSide; ++row) {
      for (int column = 0; column < 3 * kRoomSide + 2 * corridor; ++column) {
        const bool in_room = column % (kRoomSide + corridor) < kRoomSide;
        if (in_room || row == kRoomSide / 2) all.push_back({row, column});
      }
    }
    return all;
  }
  int place_of(int x) const { return x % places_.count(); }
  int stage_of(int x) const { return x / places_.count(); }
  int corner(int room, int which) const {
    return corners_[static_cast<std::size_t>(room) * kCorners + static_cast<std::size_t>(which)];
  }
  /// Where the goal is: 0, 1 and 2 are the goals that are called 1, 2 and 3.
  int goal(int e, int which) const {
    const int first = e / (kCorners * (kCorners - 1));
    const int third = e % (kCorners - 1);
    if (which == 0) return corner(1, first);
    if (which == 1) return corner(first % 2 == 0 ? 0 : 2, e / (kCorners - 1) % kCorners);
    return corner(1, third < first ? third : third + 1);
  }

  RoomsSettings settings_;
  GridPlaces places_;
  std::vector<int> corners_;  // [room][corner]
  int start_ = 0;
};

const RegisterFamily<Rooms, FiniteBelief<Rooms>, RoomsSettings> kRegistered({
    .name = "rooms",
    .summary = "three goals in the corners of three rooms, each of which pays only after the one before: 1, "
               "10, then 100 a step",
    .schema = {{
        integer("corridor", &RoomsSettings::corridor, 1, 100, "length of each of the two corridors"),
        steps("horizon", &RoomsSettings::horizon, 10'000, "steps in an episode"),
        real("discount", &RoomsSettings::discount, 0, 1, "weight of the next step relative to this one"),
    }},
    .small = {"rooms(corridor=1,horizon=5)"},
});

}  // namespace
}  // namespace assay
