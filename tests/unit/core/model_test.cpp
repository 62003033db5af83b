// Models: their optional members, and hidden parts that move.
#include "assay/core/model.hpp"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <vector>

#include "assay/core/belief.hpp"
#include "assay/core/detail/model_check.hpp"
#include "assay/core/detail/outline.hpp"
#include "families/t_maze.hpp"

namespace assay {
namespace {

/// The least that is a model: two states, one of two environments.
struct Least {
  using Hidden = int;
  int states() const { return 2; }
  int actions() const { return 2; }
  int horizon() const { return 3; }
  double discount() const { return 0.5; }
  std::vector<Start> starts() const { return {{0, 1.0}}; }
  template <class Visit>
  void outcomes(int x, int a, int e, Visit&& visit) const {
    if (a == kArrive) return visit(1.0, Outcome{x, 2, {}});
    visit(0.25, Outcome{0, 4.0 * e, {}});
    visit(0.75, Outcome{1, 0, {}});
  }
};

/// Lists a member that it has, and says more than `outcomes` does.
struct Choosing : Least {
  static constexpr Members kMembers = {Member::kAllowed, Member::kExpectedReward, Member::kArcs};
  bool allowed(int x, int a) const { return x == 0 || a == 1; }
  double expected_reward(int /*x*/, int /*a*/, int /*e*/) const { return 7; }
  template <class Visit>
  void arcs(int /*x*/, int /*a*/, int /*e*/, Visit&& visit) const {
    visit(1.0, 0);
  }
};

/// Lists what it has not: one is misspelt, one takes too little.
struct Mistaken : Least {
  static constexpr Members kMembers = {Member::kAllowed, Member::kStateName};
  bool alowed(int /*x*/, int /*a*/) const { return true; }
  std::string state_name() const { return "here"; }
};

/// Has what it does not list.
struct Silent : Least {
  bool allowed(int /*x*/, int a) const { return a == 0; }
};

template <class M, Member kMember>
constexpr bool kListedRightly = lists_member<M>(kMember) == detail::usable_member<M, kMember>();

static_assert(Model<Least> && Model<Choosing> && Model<Mistaken> && Model<Silent>);
static_assert(detail::kMembersChecked<Least> && detail::kMembersChecked<Choosing>);
static_assert(detail::kMembersChecked<TMaze>);
static_assert(!kListedRightly<Mistaken, Member::kAllowed> && !kListedRightly<Mistaken, Member::kStateName>);
static_assert(kListedRightly<Mistaken, Member::kActionName>);
static_assert(!kListedRightly<Silent, Member::kAllowed>);
static_assert((Members{Member::kCell} | Members{Member::kTruth}).has(Member::kCell));
static_assert((Members{Member::kCell} | Members{Member::kTruth}).has(Member::kTruth));
static_assert(!(Members{Member::kCell} | Members{Member::kTruth}).has(Member::kAllowed));

TEST(Models, AreAskedForWhatTheyListAndTheirOutcomesOtherwise) {
  const Least least;
  const Choosing choosing;
  EXPECT_TRUE(allowed(least, 1, 0) && allowed(choosing, 1, 1) && allowed(choosing, 0, 0));
  EXPECT_FALSE(allowed(choosing, 1, 0));
  EXPECT_EQ(expected_reward(least, 0, 0, 1), 2 + 0.25 * 4);
  EXPECT_EQ(expected_reward(choosing, 0, 0, 1), 7);
  std::vector<std::pair<double, int>> arcs;
  const auto note = [&](double p, int next) { arcs.emplace_back(p, next); };
  for_each_arc(least, 0, 0, 1, note);
  EXPECT_EQ(arcs, (std::vector<std::pair<double, int>>{{0.25, 0}, {0.75, 1}}));
  arcs.clear();
  for_each_arc(choosing, 0, 0, 1, note);
  EXPECT_EQ(arcs, (std::vector<std::pair<double, int>>{{1.0, 0}}));
}

TEST(Outlines, SayWhatIsKnownWhateverTheHiddenPartIs) {
  const auto least = outline_of(Least());
  EXPECT_EQ(least->states, 2);
  EXPECT_EQ(least->actions, 2);
  EXPECT_EQ(least->horizon, 3);
  EXPECT_EQ(least->repeats, 1);
  EXPECT_EQ(least->discount, 0.5);
  EXPECT_EQ(least->planning_discount, 0.5);
  EXPECT_FALSE(least->endless());
  EXPECT_TRUE(least->permitted.empty());
  const auto choosing = outline_of(Choosing());
  for (int x = 0; x < 2; ++x) {
    for (const int a : {-1, 2, 100}) {
      EXPECT_FALSE(least->allowed(x, a)) << "no action";
      EXPECT_FALSE(choosing->allowed(x, a)) << "no action";
    }
    for (int a = 0; a < 2; ++a) {
      EXPECT_TRUE(least->allowed(x, a));
      EXPECT_EQ(choosing->allowed(x, a), x == 0 || a == 1);
    }
  }
}

/// A light that each press of the button turns on or off, and that pays while it is on. Pressing fails now
/// and then; waiting changes nothing.
struct Light {
  using Hidden = int;
  static constexpr bool hidden_moves = true;
  enum Action { kPress, kWait };
  int states() const { return 1; }
  int actions() const { return 2; }
  int horizon() const { return 10; }
  double discount() const { return 1; }
  std::vector<Start> starts() const { return {{0, 1.0}}; }
  template <class Visit>
  void outcomes(int x, int a, int e, Visit&& visit) const {
    const Outcome seen{x, static_cast<double>(e), {}};
    if (a != kPress) return visit(1.0, seen, e);
    visit(0.75, seen, 1 - e);
    visit(0.25, seen, e);
  }
};

static_assert(Model<Light> && hidden_moves<Light>() && !hidden_moves<Least>() && !hidden_moves<TMaze>());

TEST(HiddenParts, MoveWithTheOutcomesThatSaySo) {
  const Light light;
  Rng rng(1);
  int turned = 0;
  constexpr int kTimes = 10'000;
  int hidden = 0;
  for (int i = 0; i < kTimes; ++i) {
    const int before = hidden;
    const Outcome seen = sample_and_move(light, 0, Light::kPress, hidden, rng);
    EXPECT_EQ(seen.reward, before) << "paid is what was";
    turned += hidden == before ? 0 : 1;
    const int after = hidden;
    (void)sample_and_move(light, 0, Light::kWait, hidden, rng);
    (void)sample_and_move(light, 0, kArrive, hidden, rng);
    EXPECT_EQ(hidden, after);
  }
  // A standard deviation of 43.
  EXPECT_NEAR(turned, 0.75 * kTimes, 6 * 43);
}

TEST(HiddenParts, ThatStayAreSampledAsEver) {
  const Least least;
  int hidden = 1;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Rng one(seed);
    Rng other(seed);
    EXPECT_EQ(sample_and_move(least, 0, 0, hidden, one), sample_outcome(least, 0, 0, 1, other));
    EXPECT_EQ(hidden, 1);
    EXPECT_EQ(one.next64(), other.next64()) << "and draw alike";
  }
}

TEST(HiddenParts, OutcomesAreVisitedWhetherOrNotTheyMove) {
  const Light light;
  std::vector<double> chances;
  for_each_outcome(light, 0, Light::kPress, 1, [&](double p, const Outcome& o) {
    chances.push_back(p);
    EXPECT_EQ(o.reward, 1);
  });
  EXPECT_EQ(chances, (std::vector<double>{0.75, 0.25}));
  EXPECT_EQ(expected_reward(light, 0, Light::kPress, 1), 2) << "for arriving, and for the action";
}

}  // namespace
}  // namespace assay
