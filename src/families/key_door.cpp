// key_door: a dark room with a key and a door, each in a cell of its own that may be any, also the same one.
// Stepping on the key pays 1, once; stepping on the door afterwards pays 1, once. Every episode begins at the
// start without the key, and what was seen is remembered.
#include "assay/beliefs/finite.hpp"
#include "assay/problem/register_family.hpp"
#include "families/grid_places.hpp"

namespace assay {
namespace {

enum class KeyDoorStart { kCorner, kCentre };

struct KeyDoorSettings {
  int size = 9;
  KeyDoorStart start = KeyDoorStart::kCentre;
  int horizon = 50;
  int episodes = 1;
  double discount = 1;
};

class KeyDoor {
 public:
  using Hidden = int;  // the cell of the key times the number of cells, plus the cell of the door
  static constexpr Members kMembers = {
      Member::kRepeats,    Member::kKnownTransitions, Member::kCollects,
      Member::kCell,       Member::kLandmark,         Member::kStateName,
      Member::kActionName, Member::kActionGlyph,      Member::kEnvironmentName};
  /// What the agent has done in this episode.
  enum Stage { kSearching, kHasKey, kOpened, kStages };

  explicit KeyDoor(const KeyDoorSettings& settings)
      : settings_(settings),
        places_(GridPlaces::rectangle(settings.size, settings.size)),
        clock_(places_.count() * kStages, settings.horizon, settings.episodes),
        start_(settings.start == KeyDoorStart::kCorner ? 0
                                                       : places_.at({settings.size / 2, settings.size / 2})) {
  }

  int states() const { return clock_.states(); }
  int actions() const { return GridPlaces::kActions; }
  int horizon() const { return settings_.horizon * settings_.episodes; }
  int repeats() const { return settings_.episodes; }
  double discount() const { return settings_.discount; }
  std::vector<Start> starts() const { return {{start_, 1.0}}; }
  std::vector<double> prior() const {
    const auto cells = static_cast<std::size_t>(places_.count());
    return std::vector<double>(cells * cells, 1 / static_cast<double>(cells * cells));
  }

  template <class Visit>
  void outcomes(int x, int a, int e, Visit&& visit) const {
    if (a == kArrive) return visit(1.0, Outcome{x, 0, {}});
    const int place = places_.moved(place_of(x), a);
    const int stage = stage_of(x);
    // The key and the door take a step each, also where they share a cell.
    const bool advances = (stage == kSearching && place == e / places_.count()) ||
                          (stage == kHasKey && place == e % places_.count());
    const int now = (stage + (advances ? 1 : 0)) * places_.count() + place;
    visit(1.0, Outcome{clock_.after(x, now, start_), advances ? 1.0 : 0.0, {}});
  }
  /// Stepping on the key or the door changes the state, and where they are is unknown.
  bool known_transitions() const { return false; }
  bool collects(int x, int a) const { return a != kArrive && stage_of(x) != kOpened; }

  Cell cell(int x) const { return places_.cell(place_of(x)); }
  char landmark(int x) const { return place_of(x) == start_ ? 'S' : '.'; }
  std::string state_name(int x) const {
    static constexpr std::array<const char*, kStages> kNames = {"", ", with the key", ", door opened"};
    return clock_.name(places_.name(place_of(x)) + kNames[static_cast<std::size_t>(stage_of(x))], x);
  }
  std::string action_name(int a) const { return GridPlaces::action_name(a); }
  char action_glyph(int a) const { return GridPlaces::action_glyph(a); }
  std::string environment_name(int e) const {
    return fmt::format("key at {}, door at {}", places_.name(e / places_.count()),
                       places_.name(e % places_.count()));
  }

 private:
  int place_of(int x) const { return clock_.place(x) % places_.count(); }
  int stage_of(int x) const { return clock_.place(x) / places_.count(); }

  KeyDoorSettings settings_;
  GridPlaces places_;
  EpisodeClock clock_;
  int start_;
};

const RegisterFamily<KeyDoor, FiniteBelief<KeyDoor>, KeyDoorSettings> kRegistered({
    .name = "key_door",
    .summary = "a key and then a door in unknown cells of a dark room; each pays 1, once in an episode",
    .schema = {{
        integer("size", &KeyDoorSettings::size, 2, 13, "cells along each side"),
        choice("start", &KeyDoorSettings::start, {"corner", "centre"}, "where each episode begins"),
        integer("horizon", &KeyDoorSettings::horizon, 1, 1000, "steps in each episode"),
        integer("episodes", &KeyDoorSettings::episodes, 1, 1000,
                "episodes in the same room, each from the start; what was seen is remembered"),
        real("discount", &KeyDoorSettings::discount, 0, 1, "weight of the next step relative to this one"),
    }},
    .small = {"key_door(size=2,horizon=4)", "key_door(size=2,horizon=2,episodes=2,start=corner)"},
});

}  // namespace
}  // namespace assay
