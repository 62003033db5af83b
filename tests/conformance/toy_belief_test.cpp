// A belief that lives in one file of a test is asked by solvers and shown by the tool like any other.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "assay/problem/registry.hpp"
#include "assay/solver/exact_solution.hpp"
#include "support/cli.hpp"

namespace assay::test {
namespace {

double exact_value(const std::string& spec) { return make_problem(spec)->exact({})->value(); }

/// With h guesses one finds any of 2^h - 1 numbers, and no more: the guesses after each answer are a binary
/// tree.
TEST(ToyBelief, IsSearchedAsABinaryTree) {
  for (int horizon = 1; horizon <= 4; ++horizon) {
    for (const int numbers : {1, 2, 3, 6, 7, 8, 15, 20}) {
      const double due = std::min(1.0, ((1 << horizon) - 1) / static_cast<double>(numbers));
      const std::string spec =
          "guess(numbers=" + std::to_string(numbers) + ",horizon=" + std::to_string(horizon) + ")";
      EXPECT_NEAR(exact_value(spec), due, 1e-12) << spec;
    }
  }
}

TEST(ToyBelief, IsShownAndPlayed) {
  const Called solved = call({"exact", "guess(numbers=3,horizon=1)", "--json"});
  ASSERT_EQ(solved.code, 0) << solved.err;
  EXPECT_TRUE(nlohmann::json::parse(solved.out).contains("bayes_optimal"));
  const Called played = call({"play", "guess(numbers=1)", "--policy", "exact", "--seed", "1"});
  ASSERT_EQ(played.code, 0) << played.err;
  const Called shown = call({"play", "guess(numbers=9)", "--policy", "random", "--seed", "1"});
  EXPECT_NE(shown.out.find("0 to 8"), std::string::npos) << shown.out;
}

}  // namespace
}  // namespace assay::test
