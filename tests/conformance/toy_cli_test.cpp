// A family that lives in one file of a test is known to the command line like any other.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/cli.hpp"

namespace assay::test {
namespace {

TEST(ToyFamilyOnTheCommandLine, IsListedSolvedAndPlayed) {
  const Called listed = call({"list", "families"});
  EXPECT_NE(listed.out.find("two_doors"), std::string::npos) << listed.out;
  const Called solved = call({"exact", "two_doors", "--json"});
  ASSERT_EQ(solved.code, 0) << solved.err;
  EXPECT_TRUE(nlohmann::json::parse(solved.out).contains("bayes_optimal"));
  EXPECT_EQ(call({"play", "two_doors", "--policy", "exact"}).code, 0);
}

}  // namespace
}  // namespace assay::test
