// A command that lives in one file of a test is one like any other.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "assay/command.hpp"
#include "assay/core/error.hpp"
#include "support/cli.hpp"

namespace assay::test {
namespace {

using cli::Command;

TEST(ToyCommand, IsRunWithItsOptions) {
  EXPECT_EQ(call({"count", "two_doors"}).out, "2 states\n");
  EXPECT_EQ(call({"count", "two_doors", "--times", "2"}).out, "2 states\n2 states\n");
}

TEST(ToyCommand, IsInTheHelpAtItsPlace) {
  const std::string all = call({"--help"}).out;
  const std::size_t own = all.find("\n  count                       Count the states of a problem.\n");
  ASSERT_NE(own, std::string::npos) << all;
  EXPECT_LT(all.find("\n  play "), own) << "the last of the commands about a problem";
  EXPECT_LT(own, all.find("\n  run ")) << "those about runs come next";
  const std::string help = call({"help", "count"}).out;
  EXPECT_EQ(help, call({"count", "--help"}).out);
  EXPECT_NE(help.find("how often to count"), std::string::npos) << help;
  EXPECT_NE(help.find("Example:\n  assay count two_doors --times 2"), std::string::npos) << help;
}

TEST(ToyCommand, IsAskedWronglyLikeAnyOther) {
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"count", "bandit"}, "assay: there is only one state: name a problem with more\n"},
      {{"count", "two_doors", "--times", "11"}, "'11' is not a whole number from 1 to 10"},
      {{"count", "two_doors", "--tims", "2"}, "did you mean '--times'"},
      {{"count"}, "`assay count --help` shows what is possible"},
      {{"cuont", "two_doors"}, "did you mean 'count'"},
  };
  for (const auto& [args, due] : cases) {
    const Called called = call(args);
    EXPECT_EQ(called.code, 2) << due;
    EXPECT_EQ(called.out, "") << due;
    EXPECT_NE(called.err.find(due), std::string::npos) << called.err;
  }
}

TEST(Commands, AreInOrderAndHaveWords) {
  const std::vector<Command>& all = cli::commands();
  ASSERT_GE(all.size(), 10U);
  for (const Command& command : all) {
    const std::string& name = command.text.name;
    EXPECT_TRUE(command.text.summary.ends_with('.')) << name;
    EXPECT_NE(command.text.help.find("assay " + name), std::string::npos) << name << " has no example";
    const auto same = [&](const Command& other) { return other.text.name == name; };
    EXPECT_EQ(std::ranges::count_if(all, same), 1) << name;
  }
  const auto before = [](const Command& one, const Command& other) {
    return std::tie(one.text.group, one.text.rank) < std::tie(other.text.group, other.text.rank);
  };
  EXPECT_TRUE(std::ranges::is_sorted(all, before));
}

TEST(Commands, ANameIsTakenOnceAndCanBeTyped) {
  for (const char* name : {"count", "help", "", "two words", "-x", "2nd", "Upper"}) {
    EXPECT_THROW(cli::register_command({{.name = name, .summary = "", .help = ""}, {}}), UsageError) << name;
  }
}

}  // namespace
}  // namespace assay::test
