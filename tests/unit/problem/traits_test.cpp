// Traits of problems that are made for this test, and the needs of methods.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "assay/families/builders.hpp"
#include "assay/problem/detail/problem_of.hpp"
#include "assay/problem/problem.hpp"
#include "assay/problem/registry.hpp"
#include "support/typed_models.hpp"
#include "support/written_cells.hpp"

namespace assay {
namespace {

/// Two states, two environments; `leave` leads from the first to the second, where one stays.
class TwoRooms {
 public:
  /// What arriving in the second room and leaving the first one pay.
  TwoRooms& pays(double arriving, double acting) {
    arriving_ = arriving;
    acting_ = acting;
    return *this;
  }
  /// How often leaving succeeds in each environment.
  TwoRooms& leaves(double in_one, double in_other) {
    leaves_ = {in_one, in_other};
    return *this;
  }

  [[nodiscard]] Traits traits() const {
    TableBuilder builder({"first", "second"}, {"leave"});
    builder.horizon(3).start(0);
    for (int e = 0; e < 2; ++e) builder.environment(e == 0 ? "one" : "other");
    builder.outcome(1, kArrive, {{1, {1, arriving_, {}}}});
    for (int e = 0; e < 2; ++e) {
      const double p = leaves_[static_cast<std::size_t>(e)];
      if (p == 1) {
        builder.outcome(0, 0, {{1, {1, acting_, {}}}}, e);
      } else {
        builder.outcome(0, 0, {{p, {1, acting_, {}}}, {1 - p, {0, acting_, {}}}}, e);
      }
    }
    builder.outcome(1, 0, {{1, {1, 0, {}}}});
    return table_problem("two rooms", builder.build())->traits();
  }

 private:
  double arriving_ = 0, acting_ = 0;
  std::vector<double> leaves_ = {1, 1};
};

TEST(TraitsOfAProblem, TellWhereSomethingIsPaid) {
  EXPECT_EQ(TwoRooms().traits().collects, Collects::kNothing);
  EXPECT_EQ(TwoRooms().pays(2, 0).traits().collects, Collects::kArriving);
  EXPECT_EQ(TwoRooms().pays(0, -1).traits().collects, Collects::kActing);
  EXPECT_EQ(TwoRooms().pays(2, 1).traits().collects, Collects::kBoth);
}

TEST(TraitsOfAProblem, TellHowItMoves) {
  const Traits certain = TwoRooms().traits();
  EXPECT_TRUE(certain.known_moves && certain.certain_moves && certain.expected_moves && certain.finite);
  const Traits chance = TwoRooms().leaves(0.5, 0.5).traits();
  EXPECT_TRUE(chance.known_moves && chance.expected_moves);
  EXPECT_FALSE(chance.certain_moves);
  const Traits unknown = TwoRooms().leaves(0.5, 0.25).traits();
  EXPECT_FALSE(unknown.known_moves || unknown.certain_moves);
  EXPECT_TRUE(unknown.expected_moves) << "the mixture of both";
  EXPECT_FALSE(unknown.cells || unknown.hidden_moves || unknown.endless);
}

TEST(TraitsOfAProblem, TellCellsAndListsApart) {
  using test::bernoulli_reward;
  using test::normal_reward;
  using test::written_bandit;
  const auto counted = cell_problem("counted", written_bandit({bernoulli_reward("x", 1, 1)}, 3));
  const auto normal = cell_problem("normal", written_bandit({normal_reward("x", 1, 2, 0.5)}, 3));
  EXPECT_TRUE(counted->traits().listable);
  EXPECT_FALSE(normal->traits().listable) << "normal rewards have no list";
  for (const Problem* problem : {counted.get(), normal.get()}) {
    EXPECT_TRUE(problem->traits().cells && problem->traits().known_moves) << problem->name();
    EXPECT_FALSE(problem->traits().finite) << problem->name();
    EXPECT_EQ(problem->traits().collects, Collects::kActing) << problem->name();
  }
}

TEST(TraitsOfAProblem, AreWorkedOutOnce) {
  const auto problem = make_problem("t_maze");
  EXPECT_EQ(&problem->traits(), &problem->traits());
}

/// A coin that is tossed for ever.
class Forever {
 public:
  using Hidden = int;
  int states() const { return 1; }
  int actions() const { return 1; }
  int horizon() const { return kEndless; }
  double discount() const { return 0.9; }
  std::vector<Start> starts() const { return {{0, 1.0}}; }
  std::vector<double> prior() const { return {0.5, 0.5}; }
  template <class Visit>
  void outcomes(int x, int a, int e, Visit&& visit) const {
    if (a == kArrive) return visit(1.0, Outcome{x, 0, {}});
    const double heads = e == 0 ? 0.25 : 0.75;
    visit(heads, Outcome{x, 1, {}});
    visit(1 - heads, Outcome{x, 0, {}});
  }
};

TEST(TraitsOfAProblem, SayThatThereIsNoEnd) {
  const ProblemOf<Forever, FiniteBelief<Forever>> problem("forever", Forever());
  EXPECT_TRUE(problem.traits().endless);
  EXPECT_NE(unmet(Need::kEnd, problem.traits()), "");
  for (const Entry<Method>& entry : methods().entries()) {
    const auto method = make_method(entry.small.front());
    EXPECT_NE(method->objection(problem), unmet(Need::kEnd, problem.traits())) << entry.name;
  }
}

TEST(TraitsOfAProblem, SayThatTheHiddenPartMoves) {
  const auto prior = support::prior_of(Forever());
  EXPECT_TRUE(traits_of(prior, true).hidden_moves);
  EXPECT_FALSE(traits_of(prior, false).hidden_moves);
}

constexpr Need kAllNeeds[] = {Need::kFinite,       Need::kFiniteOrCells, Need::kKnownMoves,
                              Need::kCertainMoves, Need::kExpectedMoves, Need::kOneCollection,
                              Need::kEnd,          Need::kStillHidden};

/// Has everything that a method can need.
Traits everything() {
  Traits traits;
  traits.finite = traits.known_moves = traits.certain_moves = traits.expected_moves = true;
  traits.cells = traits.listable = true;
  traits.collects = Collects::kArriving;
  return traits;
}

/// Has nothing of it.
Traits nothing() {
  Traits traits;
  traits.hidden_moves = traits.endless = true;
  traits.collects = Collects::kBoth;
  return traits;
}

TEST(NeedsOfMethods, HaveNamesAndObjectionsOfTheirOwn) {
  std::set<std::string> names;
  std::set<std::string> objections;
  for (const Need need : kAllNeeds) {
    EXPECT_EQ(unmet(need, everything()), "");
    EXPECT_NE(unmet(need, nothing()), "");
    EXPECT_NE(need_name(need), "");
    names.insert(need_name(need));
    objections.insert(unmet(need, nothing()));
  }
  EXPECT_EQ(names.size(), std::size(kAllNeeds));
  EXPECT_EQ(objections.size(), std::size(kAllNeeds));
}

TEST(NeedsOfMethods, AreMetByOneTraitEach) {
  const auto lacks = [](Need need, const auto& take_away) {
    Traits traits = everything();
    take_away(traits);
    for (const Need other : kAllNeeds) {
      EXPECT_EQ(unmet(other, traits).empty(), other != need) << need_name(other);
    }
  };
  lacks(Need::kFinite, [](Traits& t) { t.finite = false; });
  lacks(Need::kKnownMoves, [](Traits& t) { t.known_moves = false; });
  lacks(Need::kCertainMoves, [](Traits& t) { t.certain_moves = false; });
  lacks(Need::kExpectedMoves, [](Traits& t) { t.expected_moves = false; });
  lacks(Need::kOneCollection, [](Traits& t) { t.collects = Collects::kBoth; });
  lacks(Need::kEnd, [](Traits& t) { t.endless = true; });
  lacks(Need::kStillHidden, [](Traits& t) { t.hidden_moves = true; });
  for (const Collects collects : {Collects::kNothing, Collects::kActing}) {
    Traits traits = everything();
    traits.collects = collects;
    EXPECT_EQ(unmet(Need::kOneCollection, traits), "");
  }
  // Either of two will do for one need.
  Traits traits = everything();
  traits.cells = false;
  EXPECT_EQ(unmet(Need::kFiniteOrCells, traits), "");
  traits.finite = false;
  EXPECT_NE(unmet(Need::kFiniteOrCells, traits), "");
  traits.cells = true;
  EXPECT_EQ(unmet(Need::kFiniteOrCells, traits), "");
}

TEST(NeedsOfMethods, AreObjectedToInTheirOrder) {
  EXPECT_EQ(objection_of({}, nothing()), "");
  EXPECT_EQ(objection_of({std::begin(kAllNeeds), std::end(kAllNeeds)}, everything()), "");
  for (const Need one : kAllNeeds) {
    for (const Need other : kAllNeeds) {
      EXPECT_EQ(objection_of({one, other}, nothing()), unmet(one, nothing()));
    }
  }
  Traits traits = everything();
  traits.known_moves = false;
  EXPECT_EQ(objection_of({Need::kFinite, Need::kKnownMoves, Need::kEnd}, traits),
            unmet(Need::kKnownMoves, traits));
}

/// Needs three things, and objects to the problem's name besides.
class Choosy final : public Method {
 public:
  Choosy() { set_name("choosy"); }
  std::vector<Need> needs() const override {
    return {Need::kCertainMoves, Need::kOneCollection, Need::kFinite};
  }
  std::string refusal(const Problem& problem) const override {
    return problem.name().starts_with("t_maze") ? "it is a maze" : "";
  }
  std::unique_ptr<Policy> policy(const Problem& problem, std::string_view state,
                                 const Resources& resources) const override {
    return make_method("random")->policy(problem, state, resources);
  }
};

TEST(Method, ObjectsToWhatItNeedsFirstAndToItsParametersLast) {
  const Choosy choosy;
  const auto objection = [&](const char* spec) { return choosy.objection(*make_problem(spec)); };
  const auto unmet_in = [](Need need, const char* spec) { return unmet(need, make_problem(spec)->traits()); };
  EXPECT_EQ(objection("t_maze"), "it is a maze");
  EXPECT_EQ(objection("bandit"), unmet_in(Need::kFinite, "bandit"));
  EXPECT_EQ(objection("chain"), unmet_in(Need::kCertainMoves, "chain")) << "before it asks for finitely many";
  EXPECT_THROW((void)choosy.solve(*make_problem("t_maze"), {.rng = Rng(1), .resources = 1}), UsageError);
}

}  // namespace
}  // namespace assay
