// active_inference_t_maze: the T-maze of active inference, in one or several trials. A cue shows the good
// arm, not quite reliably. Each step that ends in an arm pays the reward or the punishment, in the good arm
// mostly the reward and in the other one mostly the punishment. An arm cannot be left before the trial ends.
//
//   L J R     the arms and the junction
//     S       start
//     C       the cue
//
// Between trials the good side may switch. The hidden part is therefore the side of every trial, so that it
// stays as it is and Bayes' rule is exact; the state then says which trial it is. Without switching there are
// only two environments.
#include <bit>

#include "assay/beliefs/finite.hpp"
#include "assay/problem/register_family.hpp"
#include "families/grid_places.hpp"

namespace assay {
namespace {

struct InferenceMazeSettings {
  int trials = 1;
  int horizon = 5;
  double cue_validity = 0.95;
  double reward_probability = 0.98;
  double switching = 0;
  double reward = 1;
  double punishment = -1;
  double discount = 1;
};

class InferenceMaze {
 public:
  using Hidden = int;  // the good side, 0: left, 1: right; bit i is that of trial i if sides can switch
  static constexpr Members kMembers = {
      Member::kAllowed,        Member::kRepeats,     Member::kKnownTransitions,
      Member::kCollects,       Member::kSources,     Member::kSourcePlaces,
      Member::kCell,           Member::kLandmark,    Member::kStateName,
      Member::kActionName,     Member::kActionGlyph, Member::kEnvironmentName,
      Member::kObservationText};
  enum Place { kLeftArm, kJunction, kRightArm, kStart, kCue, kPlaces };

  explicit InferenceMaze(const InferenceMazeSettings& settings)
      : settings_(settings),
        places_({{0, 0}, {0, 1}, {0, 2}, {1, 1}, {2, 1}}),
        clock_(kPlaces, settings.horizon, settings.trials) {}

  int states() const { return (switches() ? settings_.trials : 1) * clock_.states(); }
  int actions() const { return GridPlaces::kActions; }
  int horizon() const { return settings_.trials * settings_.horizon; }
  int repeats() const { return settings_.trials; }
  double discount() const { return settings_.discount; }
  std::vector<Start> starts() const { return {{kStart, 1.0}}; }
  std::vector<double> prior() const {
    if (!switches()) return {0.5, 0.5};
    std::vector<double> all;
    for (unsigned sides = 0; sides < 1U << settings_.trials; ++sides) {
      const int times = std::popcount((sides ^ sides >> 1U) & ((1U << (settings_.trials - 1)) - 1));
      double p = 0.5;
      for (int i = 1; i < settings_.trials; ++i)
        p *= i <= times ? settings_.switching : 1 - settings_.switching;
      all.push_back(p);
    }
    return all;
  }
  /// An arm is left only by the end of the trial, and nobody walks into a wall.
  bool allowed(int x, int a) const {
    const int place = place_of(x);
    if (a == GridPlaces::kStay) return true;
    return place != kLeftArm && place != kRightArm && places_.moved(place, a) != place;
  }

  template <class Visit>
  void outcomes(int x, int a, int e, Visit&& visit) const {
    if (a == kArrive) return visit(1.0, Outcome{x, 0, {}});
    const int place = places_.moved(place_of(x), a);
    const int next = after(x, place);
    const int good = good_side(x, e);
    if (place == kCue) {
      visit(settings_.cue_validity, Outcome{next, 0, {good}});
      visit(1 - settings_.cue_validity, Outcome{next, 0, {1 - good}});
    } else if (place == kLeftArm || place == kRightArm) {
      const bool right = place == kRightArm;
      const double rewarded =
          right == (good == 1) ? settings_.reward_probability : 1 - settings_.reward_probability;
      visit(rewarded, Outcome{next, settings_.reward, {}});
      visit(1 - rewarded, Outcome{next, settings_.punishment, {}});
    } else {
      visit(1.0, Outcome{next, 0, {}});
    }
  }
  bool known_transitions() const { return true; }
  bool collects(int x, int a) const {
    if (a == kArrive) return false;
    const int place = places_.moved(place_of(x), a);
    return place != kJunction && place != kStart;
  }

  /// The same maze with a cue that shows nothing.
  std::vector<std::pair<std::string, InferenceMaze>> sources() const {
    InferenceMazeSettings silent = settings_;
    silent.cue_validity = 0.5;
    return {{"cue", InferenceMaze(silent)}};
  }
  std::vector<std::pair<std::string, std::vector<std::pair<int, int>>>> source_places() const {
    std::vector<std::pair<int, int>> seeing;
    for (int x = 0; x < states(); ++x) {
      for (int a = 0; a < actions(); ++a) {
        if (allowed(x, a) && places_.moved(place_of(x), a) == kCue) seeing.emplace_back(x, a);
      }
    }
    return {{"cue", seeing}};
  }

  Cell cell(int x) const { return places_.cell(place_of(x)); }
  char landmark(int x) const { return "LJRSC"[place_of(x)]; }
  std::string state_name(int x) const {
    static constexpr std::array<const char*, kPlaces> kNames = {"left arm", "junction", "right arm", "start",
                                                                "cue"};
    const std::string name = clock_.name(kNames[static_cast<std::size_t>(place_of(x))], x % clock_.states());
    return switches() ? fmt::format("{}, trial {}", name, trial_of(x)) : name;
  }
  std::string action_name(int a) const { return GridPlaces::action_name(a); }
  char action_glyph(int a) const { return GridPlaces::action_glyph(a); }
  std::string environment_name(int e) const {
    if (!switches()) return side_name(e);
    std::string text;
    for (int trial = 0; trial < settings_.trials; ++trial) {
      text += (trial == 0 ? "" : ", ") + side_name(e >> trial & 1);
    }
    return text;
  }
  std::string observation_text(int /*x*/, int /*a*/, const Observation& seen) const {
    return seen.empty() ? "" : side_name(seen.front());
  }

 private:
  static std::string side_name(int side) { return side == 0 ? "left" : "right"; }
  bool switches() const { return settings_.switching > 0 && settings_.trials > 1; }
  int place_of(int x) const { return clock_.place(x % clock_.states()); }
  int trial_of(int x) const { return x / clock_.states(); }
  int good_side(int x, int e) const { return switches() ? e >> trial_of(x) & 1 : e; }
  /// The last step of a trial leads to the start of the next one, that of the last trial to its own start.
  int after(int x, int place) const {
    const int within = x % clock_.states();
    const int next = clock_.after(within, place, kStart);
    const bool ended = settings_.trials > 1 && clock_.step(within) == settings_.horizon - 1;
    const int trial = trial_of(x) + (ended && switches() && trial_of(x) + 1 < settings_.trials ? 1 : 0);
    return trial * clock_.states() + next;
  }

  InferenceMazeSettings settings_;
  GridPlaces places_;
  EpisodeClock clock_;
};

const RegisterFamily<InferenceMaze, FiniteBelief<InferenceMaze>, InferenceMazeSettings> kRegistered({
    .name = "active_inference_t_maze",
    .summary = "the T-maze of active inference: an unreliable cue, then an arm that mostly pays or mostly "
               "punishes, in trials between which the sides may switch",
    .schema = {{
        integer("trials", &InferenceMazeSettings::trials, 1, 10,
                "trials, each of which begins at the start; what was seen is remembered"),
        integer("horizon", &InferenceMazeSettings::horizon, 1, 100, "steps in each trial"),
        real("cue_validity", &InferenceMazeSettings::cue_validity, 0.5, 1,
             "probability that the cue is right"),
        real("reward_probability", &InferenceMazeSettings::reward_probability, 0.5, 1,
             "of the reward in the good arm, and of the punishment in the other"),
        real("switching", &InferenceMazeSettings::switching, 0, 1,
             "probability that the good arm is another one in the next trial"),
        real("reward", &InferenceMazeSettings::reward, -1e6, 1e6,
             "paid or not at each step that ends in an arm"),
        real("punishment", &InferenceMazeSettings::punishment, -1e6, 1e6, "paid where the reward is not"),
        real("discount", &InferenceMazeSettings::discount, 0, 1,
             "weight of the next step relative to this one"),
    }},
    .small = {"active_inference_t_maze", "active_inference_t_maze(horizon=4,trials=2,discount=0.9)",
              "active_inference_t_maze(horizon=3,trials=2,switching=0.2)"},
});

}  // namespace
}  // namespace assay
