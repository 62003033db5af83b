// A method that lives in one file of a test learns, is compared and is stored like any other.
#include <gtest/gtest.h>

#include <string>

#include "assay/problem/registry.hpp"
#include "support/cli.hpp"
#include "support/folder.hpp"

namespace assay::test {
namespace {

class ToyMethod : public TemporaryFolder {};

/// With one step to go, listening costs 1 and opening either door pays 1 or -1, which is 0 on average. After
/// a hundred episodes, in none of which it can have paid less on average, opening is the habit.
TEST_F(ToyMethod, LearnsWhatPays) {
  const auto problem = make_problem("two_doors(horizon=1,cost=1)");
  const auto solved =
      make_method("habit(epochs=2,episodes=50)")->solve(*problem, {.rng = Rng(1), .resources = 1});
  EXPECT_EQ(solved.epochs, 2);
  Episode episode = problem->episode(Rng(2));
  episode.arrive();
  Rng rng(3);
  EXPECT_NE(solved.policy->act(episode.situation(), rng), 0) << "it listens";
}

TEST_F(ToyMethod, IsTrainedAndComparedByTheTool) {
  EXPECT_NE(call({"list", "methods"}).out.find("habit"), std::string::npos);
  const Called compared = call({"compare", "two_doors(horizon=1,cost=1)", "--methods",
                                "habit(epochs=2),random", "--episodes", "20", "--out", at("runs")});
  ASSERT_EQ(compared.code, 0) << compared.err;
  EXPECT_NE(compared.out.find("habit(epochs=2)"), std::string::npos) << compared.out;
  const Called wrong = call({"compare", "two_doors", "--methods", "habit(epoch=2)", "--out", at("runs")});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("epochs"), std::string::npos) << wrong.err;
}

}  // namespace
}  // namespace assay::test
