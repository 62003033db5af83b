// A family takes one small file; and one that breaks its promises does not get away with it.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "assay/beliefs/finite.hpp"
#include "assay/problem/detail/problem_of.hpp"
#include "assay/problem/registry.hpp"
#include "assay/solver/exact_solution.hpp"
#include "assay/testing/conformance.hpp"
#include "source_dir.hpp"

namespace assay {
namespace {

double exact_value(const std::string& spec) { return make_problem(spec)->exact({})->value(); }

TEST(ToyFamily, IsKnownToTheRegistryBecauseItIsLinked) {
  EXPECT_EQ(std::ranges::count(families().entries(), "two_doors", &Entry<Problem>::name), 1);
}

TEST(ToyFamily, TakesAtMostEightyLines) {
  std::ifstream file(std::string(ASSAY_SOURCE_DIR) + "/tests/conformance/toy_family.cpp");
  ASSERT_TRUE(file);
  int lines = 0;
  for (std::string line; std::getline(file, line);) ++lines;
  EXPECT_GT(lines, 0);
  EXPECT_LE(lines, 80);
}

TEST(ToyFamily, HasTheValueThatOneFindsByHand) {
  // One step: opening blindly is worth (1 - 1) / 2 = 0, listening only costs.
  EXPECT_NEAR(exact_value("two_doors(horizon=1,accuracy=0.8,cost=0.1)"), 0, 1e-12);
  // Listen once, open there: right with 0.8.
  EXPECT_NEAR(exact_value("two_doors(horizon=2,accuracy=0.8,cost=0.1)"), 0.8 - 0.2 - 0.1, 1e-9);
  // A second sound cannot change the choice for the better, and costs.
  EXPECT_NEAR(exact_value("two_doors(horizon=3,accuracy=0.8,cost=0.1)"), 0.8 - 0.2 - 0.1, 1e-9);
  // Cheap listening: listen twice; if the sounds agree open there, else a third time. That is the majority of
  // three, right with 0.8^3 + 3 * 0.8^2 * 0.2; the third is needed with probability 2 * 0.8 * 0.2.
  const double right = 0.8 * 0.8 * 0.8 + 3 * 0.8 * 0.8 * 0.2;
  EXPECT_NEAR(exact_value("two_doors(horizon=4,accuracy=0.8,cost=0.01)"), 2 * right - 1 - 0.01 * (2 + 0.32),
              1e-9);
  // Without the sound there is nothing to know.
  EXPECT_NEAR(make_problem("two_doors")->sources()[0].problem->exact({})->value(), 0, 1e-9);
}

/// What can be wrong with a family.
enum class Fault {
  kNone,
  kLostProbability,
  kWrongExpectedReward,
  kWrongArcs,
  kWrongSampler,
  kMovesOnArrival,
  kLeadsNowhere,
  kNoAction,
  kStartsBeyondOne
};

/// Two states and two environments, in which action 0 pays with probability 0.9 or 0.3; faults as asked for.
struct Suspect {
  using Hidden = int;
  static constexpr Members kMembers = {Member::kAllowed, Member::kExpectedReward, Member::kArcs,
                                       Member::kSample};
  Fault fault = Fault::kNone;

  int states() const { return 2; }
  int actions() const { return 2; }
  int horizon() const { return 4; }
  double discount() const { return 0.9; }
  std::vector<Start> starts() const { return {{0, 0.5}, {1, fault == Fault::kStartsBeyondOne ? 0.6 : 0.5}}; }
  std::vector<double> prior() const { return {0.4, 0.6}; }
  bool allowed(int x, int /*a*/) const { return fault != Fault::kNoAction || x == 0; }

  static double success(int e) { return e == 0 ? 0.9 : 0.3; }

  template <class Visit>
  void outcomes(int x, int a, int e, Visit&& visit) const {
    if (a == kArrive) return visit(1.0, Outcome{fault == Fault::kMovesOnArrival ? 1 - x : x, 0, {}});
    const int next = fault == Fault::kLeadsNowhere ? 2 : 1 - x;
    if (a == 1) return visit(1.0, Outcome{x, 0.5, {}});
    visit(success(e), Outcome{next, 1, {1}});
    visit(1 - success(e) - (fault == Fault::kLostProbability ? 0.1 : 0), Outcome{next, 0, {}});
  }

  double expected_reward(int /*x*/, int a, int e) const {
    if (a == 1) return 0.5;
    return success(e) + (fault == Fault::kWrongExpectedReward ? 0.01 : 0);
  }

  template <class Visit>
  void arcs(int x, int a, int /*e*/, Visit&& visit) const {
    visit(fault == Fault::kWrongArcs ? 0.5 : 1.0, a == 1 ? x : 1 - x);
  }

  Outcome sample(int x, int a, int e, Rng& rng) const {
    Outcome drawn;
    double left = uniform(rng);
    outcomes(x, a, fault == Fault::kWrongSampler ? 1 - e : e, [&](double p, const Outcome& o) {
      if (left >= 0) drawn = o;
      left -= p;
    });
    return drawn;
  }
};

/// Learns half of what it should: each likelihood counts with its square root.
class TimidBelief : public FiniteBelief<Suspect> {
 public:
  using FiniteBelief::FiniteBelief;
  void observe(const Suspect& family, int x, int a, const Outcome& seen) {
    FiniteBelief learned = *this;
    learned.observe(family, x, a, seen);
    std::vector<std::uint64_t> key(words());
    for (std::size_t e = 0; e < key.size(); ++e) {
      key[e] =
          std::bit_cast<std::uint64_t>(detail::log_weight(std::sqrt(weights()[e] * learned.weights()[e])));
    }
    unpack(key);
  }
};

/// Forgets on the way through its key.
class ForgetfulBelief : public FiniteBelief<Suspect> {
 public:
  using FiniteBelief::FiniteBelief;
  void unpack(std::span<const std::uint64_t> /*key*/) {}
};

/// Promises more than its outcomes pay.
class HopefulBelief : public FiniteBelief<Suspect> {
 public:
  using FiniteBelief::FiniteBelief;
  double expected_reward(const Suspect& family, int x, int a) const {
    return FiniteBelief::expected_reward(family, x, a) + 0.01;
  }
};

template <class B = FiniteBelief<Suspect>>
std::vector<std::string> complaints_about(Fault fault = Fault::kNone) {
  const ProblemOf<Suspect, B> problem("suspect", Suspect{fault});
  return assay::testing::complaints(problem, Rng(5));
}

void expect_named(const std::vector<std::string>& complaints, const std::string& what) {
  EXPECT_TRUE(std::ranges::any_of(complaints, [&](const std::string& c) { return c.find(what) != c.npos; }))
      << "nobody noticed: " << what;
}

TEST(Conformance, IsContentWithAFamilyThatKeepsItsPromises) { EXPECT_TRUE(complaints_about().empty()); }

TEST(Conformance, NamesThePromiseThatAFamilyBreaks) {
  expect_named(complaints_about(Fault::kLostProbability), "an environment's outcomes do not sum to 1");
  expect_named(complaints_about(Fault::kWrongExpectedReward), "expected reward is not the mean");
  expect_named(complaints_about(Fault::kWrongArcs), "the arcs do not sum to 1");
  expect_named(complaints_about(Fault::kWrongSampler), "drawn rewards do not have the expected mean");
  expect_named(complaints_about(Fault::kMovesOnArrival), "arriving moves to another state");
  expect_named(complaints_about(Fault::kLeadsNowhere), "an outcome leads to no state");
  expect_named(complaints_about(Fault::kNoAction), "no action is allowed");
  expect_named(complaints_about(Fault::kStartsBeyondOne), "the starts' probabilities do not sum to 1");
}

TEST(Conformance, NamesThePromiseThatABeliefBreaks) {
  expect_named(complaints_about<TimidBelief>(), "the belief does not follow Bayes' rule");
  expect_named(complaints_about<ForgetfulBelief>(), "unpacking a packed belief gives another belief");
  expect_named(complaints_about<HopefulBelief>(), "the belief's expected reward is not the mean");
}

}  // namespace
}  // namespace assay
