// The sentences that say why, against the numbers of the step.
#include "report/why.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "assay/problem/registry.hpp"

namespace assay {
namespace {

Trace watched(const Problem& problem, const std::string& method, std::uint64_t seed) {
  return trace_episode(problem, *make_method(method)->solve(problem, {.rng = Rng(1), .resources = 1}).policy,
                       Rng(seed));
}

bool mentions(const TraceStep& step, const std::string& words) {
  return step.why.find(words) != std::string::npos;
}

std::string number(double value) { return fmt::format("{:.2f}", value); }

/// "'up' to row 1 column 2", as it stands inside a sentence.
std::string option_text(const Problem& problem, int state, int action, int next) {
  const std::string name = "'" + problem.action_name(action) + "'";
  return next == state ? name : name + " to " + problem.state_name(next);
}

struct Other {
  double value = -1e300;
  std::string text;
};

/// The best place but the chosen one.
Other best_other(const Problem& problem, const TraceStep& step, const std::vector<double>& map) {
  const Places places(*problem.prior());
  Other best;
  for (const Places::Option& o : places.options(step.state)) {
    const double value = map[static_cast<std::size_t>(o.next)];
    if (o.next == step.outcome.next || value <= best.value) continue;
    best = {value, option_text(problem, step.state, o.action, o.next)};
  }
  return best;
}

TEST(Whys, SayTheNumbersThatALearnerActsOn) {
  const auto problem = make_problem("treasure_map(size=3)");
  const Trace trace = watched(*problem, "pcr(epochs=3)", 3);
  int more = 0;
  int less = 0;
  for (std::size_t i = 0; i + 1 < trace.steps.size(); ++i) {
    const TraceStep& step = trace.steps[i];
    const std::string name = option_text(*problem, step.state, step.action, trace.steps[i + 1].state);
    EXPECT_EQ(step.why.substr(2, name.size() - 2), name.substr(2)) << step.why;
    EXPECT_TRUE(mentions(step, "is worth " + number(step.at.total) + " to it")) << step.why;
    EXPECT_EQ(mentions(step, ": " + number(step.at.current) + " with what is known now, " +
                                 number(step.at.future) + " from what can be found out"),
              number(step.at.future) != "0.00")
        << step.why;
    const Other other = best_other(*problem, step, step.total);
    EXPECT_TRUE(mentions(step, other.text)) << step.why;
    if (number(other.value) != number(step.at.total)) {
      const bool best = step.at.total > other.value;
      EXPECT_EQ(mentions(step, "; next best is " + other.text + " with " + number(other.value)), best)
          << step.why;
      EXPECT_EQ(mentions(step, "Not the best by these numbers: " + other.text + " would be worth " +
                                   number(other.value) + "; it chose by draws of its own."),
                !best)
          << step.why;
    }
    const std::string cashed =
        "What it learned here made its knowledge worth " + number(std::abs(step.cashed));
    EXPECT_EQ(mentions(step, cashed + (step.cashed > 0 ? " more." : " less.")),
              number(std::abs(step.cashed)) != "0.00")
        << step.why;
    (step.cashed > 0 ? more : less) += static_cast<int>(mentions(step, cashed));
  }
  EXPECT_GT(more, 0);
  EXPECT_GT(less, 0);
}

TEST(Whys, NeverCallAGreedyChoiceBadWhereNothingIsDrawn) {
  const auto problem = make_problem("t_maze(distance=3,arm=3,discount=0.95)");
  for (const char* method : {"tabular_pcr(epochs=300)", "tabular_td(epochs=300)"}) {
    const Trace trace = watched(*problem, method, 4);
    for (std::size_t i = 0; i + 1 < trace.steps.size(); ++i) {
      const TraceStep& step = trace.steps[i];
      EXPECT_FALSE(mentions(step, "Not the best")) << step.why;
      EXPECT_TRUE(mentions(step, "is worth " + number(step.at.total) + " to it")) << step.why;
      EXPECT_EQ(mentions(step, "known now"), !step.future.empty()) << step.why;
    }
  }
}

// Random moves have no reasons: the sentence compares them with what is known.
TEST(Whys, SayThatARandomMoveIsNotTheBest) {
  const auto problem = make_problem("treasure_map(size=3)");
  int best = 0;
  int known = 0;
  int hopeless = 0;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Trace trace = watched(*problem, "random", seed);
    for (std::size_t i = 0; i + 1 < trace.steps.size(); ++i) {
      const TraceStep& step = trace.steps[i];
      const std::string name = option_text(*problem, step.state, step.action, trace.steps[i + 1].state);
      EXPECT_EQ(step.why.find("With what is known now, " + name + " is worth " + number(step.at.current)), 0U)
          << step.why;
      EXPECT_EQ(mentions(step, "knowing more could add at most " + number(step.at.bound)),
                number(step.at.bound) != "0.00")
          << step.why;
      const Other other = best_other(*problem, step, step.current);
      const bool worse = other.value > step.at.current && number(other.value) != number(step.at.current);
      EXPECT_EQ(mentions(step, ": " + other.text + " would be worth " + number(other.value)), worse)
          << step.why;
      EXPECT_EQ(mentions(step, "Not the best by"), worse) << step.why;
      if (worse && std::abs(step.at.current + step.at.bound - other.value) > 0.01) {
        const bool lost = step.at.current + step.at.bound < other.value;
        EXPECT_EQ(mentions(step, "Not the best by these numbers"), lost) << step.why;
        EXPECT_EQ(mentions(step, "Not the best by what is known"), !lost) << step.why;
      }
      best += static_cast<int>(!worse);
      known += static_cast<int>(mentions(step, "by what is known"));
      hopeless += static_cast<int>(mentions(step, "by these numbers"));
    }
  }
  EXPECT_GT(best, 0);
  EXPECT_GT(known, 0);
  EXPECT_GT(hopeless, 0);
}

TEST(Whys, OfTheLastArrivalAndOfAnOracleAreTheirOwn) {
  const auto problem = make_problem("t_maze(distance=3,arm=3,discount=0.95)");
  const Trace trace = watched(*problem, "exact", 2);
  EXPECT_EQ(trace.steps.back().why, "The last step: nothing is left to collect, so any choice will do.");
  EXPECT_FALSE(mentions(trace.steps[trace.steps.size() - 2], "The last step"));
  for (const TraceStep& step : watched(*problem, "oracle", 2).steps) {
    EXPECT_EQ(step.why, "It is shown the hidden environment, so it has nothing to find out.");
  }
}

TEST(Whys, OfActionsThatPaySpeakOfTheBestOfThem) {
  const auto problem = make_problem("bandit(arms=3,horizon=6)");
  const Trace learned = watched(*problem, "pcr(epochs=3)", 1);
  for (const TraceStep& step : learned.steps) {
    EXPECT_EQ(step.why.find("The best choice here is worth " + number(step.at.total) + " to it"), 0U)
        << step.why;
    EXPECT_EQ(
        mentions(step, "What it then learned made its knowledge worth " + number(std::abs(step.cashed))),
        number(std::abs(step.cashed)) != "0.00")
        << step.why;
  }
  const Trace random = watched(*problem, "random", 1);
  EXPECT_EQ(random.steps.front().why.find("With what is known now, the best choice here is worth " +
                                          number(random.steps.front().at.current)),
            0U);
}

/// A T-maze's junction with given numbers: 'stay', down to the stem, left and right into the arms.
class AtAJunction : public ::testing::Test {
 protected:
  AtAJunction() {
    for (int x = 0; x < problem_->states(); ++x) {
      if (problem_->state_name(x) == "junction") step_.state = step_.outcome.next = x;
    }
    for (int a = 0; a < problem_->actions(); ++a) {
      if (problem_->action_name(a) == "stay") step_.action = a;
    }
  }
  /// Of staying, and of all other places.
  void own(double current, double future, double others) {
    step_.total.assign(static_cast<std::size_t>(problem_->states()), others);
    step_.total[static_cast<std::size_t>(step_.state)] = current + future;
    step_.current = step_.bound = step_.future = step_.total;
    step_.at = {current, 0, future, current + future};
  }
  void neutral(double current, double bound, double others) {
    own(current, 0, others);
    step_.total.clear();
    step_.future.clear();
    step_.at.bound = bound;
  }
  [[nodiscard]] std::string why(bool drawn = false) const {
    return why_text(*problem_, Places(*problem_->prior()), step_, 5, drawn);
  }

  std::shared_ptr<const Problem> problem_ = make_problem("t_maze(distance=3,arm=3,discount=0.95)");
  TraceStep step_;
};

TEST_F(AtAJunction, DifferencesThatCannotBeReadAreNone) {
  own(1, 2, 3.001);
  EXPECT_EQ(why(),
            "'Stay' is worth 3.00 to it: 1.00 with what is known now, 2.00 from what can be found out; "
            "'down' to stem 2 is worth as much.");
  own(3, 0.001, 2.999);
  EXPECT_EQ(
      why(),
      "'Stay' is worth 3.00 to it, all of it with what is known now; 'down' to stem 2 is worth as much.");
  neutral(-0.001, 0.002, -0.004);
  EXPECT_EQ(
      why(),
      "With what is known now, 'stay' is worth 0.00, as much as 'down' to stem 2; knowing more would add "
      "nothing.");
  step_.cashed = -0.004;
  EXPECT_EQ(why().find("learned"), std::string::npos);
}

TEST_F(AtAJunction, ABetterChoiceIsNamedAndDrawsExcuseIt) {
  own(1, 0.5, 2.25);
  const std::string text =
      "'Stay' is worth 1.50 to it: 1.00 with what is known now, 0.50 from what can be found out. Not the "
      "best "
      "by these numbers: 'down' to stem 2 would be worth 2.25";
  EXPECT_EQ(why(), text + ".");
  EXPECT_EQ(why(true), text + "; it chose by draws of its own.");
  neutral(1, 1, 1.5);
  EXPECT_EQ(
      why(),
      "With what is known now, 'stay' is worth 1.00; knowing more could add at most 1.00. Not the best by "
      "what is known: 'down' to stem 2 would be worth 1.50.");
}

TEST_F(AtAJunction, NumbersThatAreNoneSayNothing) {
  EXPECT_EQ(why(), "");
  const double none = std::numeric_limits<double>::quiet_NaN();
  own(none, none, 1);
  EXPECT_EQ(why(), "");
  neutral(1, none, 1);
  EXPECT_EQ(why(), "");
  own(1, 1, none);
  EXPECT_EQ(why(),
            "'Stay' is worth 2.00 to it: 1.00 with what is known now, 1.00 from what can be found out.");
}

}  // namespace
}  // namespace assay
