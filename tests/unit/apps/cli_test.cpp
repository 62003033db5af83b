#include "support/cli.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "assay/problem/registry.hpp"

namespace assay::test {
namespace {

using nlohmann::json;

/// A call that must be refused: exit code, nothing on standard output, one line of error that holds all of
/// `parts`.
void expect_refused(const std::vector<std::string>& args, int code, const std::vector<std::string>& parts) {
  const Called called = call(args);
  EXPECT_EQ(called.code, code) << called.err;
  EXPECT_EQ(called.out, "");
  EXPECT_EQ(std::ranges::count(called.err, '\n'), 1) << called.err;
  for (const std::string& part : parts) {
    EXPECT_NE(called.err.find(part), std::string::npos) << "missing '" << part << "' in: " << called.err;
  }
}

json exact_json(const std::string& family, const std::vector<std::string>& more = {}) {
  std::vector<std::string> args = {"exact", family, "--json"};
  args.insert(args.end(), more.begin(), more.end());
  const Called called = call(args);
  EXPECT_EQ(called.code, 0) << called.err;
  return json::parse(called.out);
}

TEST(CliErrors, AMistypedFamilyIsAnsweredWithTheNearestName) {
  expect_refused({"exact", "t_mase"}, 2, {"t_mase", "did you mean 't_maze'", "bandit"});
  expect_refused({"play", "treasuremap"}, 2, {"did you mean 'treasure_map'"});
}

TEST(CliErrors, AValueOutOfRangeIsAnsweredWithTheRange) {
  expect_refused({"exact", "t_maze(distance=-1)"}, 2, {"t_maze", "distance=-1", "from 1 to 1000"});
  expect_refused({"exact", "t_maze(discount=1.5)"}, 2, {"discount=1.5", "from 0 to 1"});
  expect_refused({"exact", "t_maze(discount=nan)"}, 2, {"discount=nan"});
  expect_refused({"exact", "bandit(arms=two)"}, 2, {"arms=two", "integer"});
  expect_refused({"exact", "treasure_map(order=sideways)"}, 2, {"order=sideways", "collect_then_move"});
  expect_refused({"exact", "t_maze(distance=2,arm=3)"}, 2, {"arm=3", "distance=2", "from 1 to 2"});
}

TEST(CliErrors, AParameterGivenTwiceIsRefused) {
  expect_refused({"exact", "t_maze(arm=2,arm=3)"}, 2, {"arm", "twice", "arm=2", "arm=3"});
}

TEST(CliErrors, AMistypedParameterIsAnsweredWithTheNearestName) {
  expect_refused({"exact", "bandit(horizn=3)"}, 2, {"horizn", "did you mean 'horizon'"});
}

TEST(CliErrors, AnUnreadableNameIsAnsweredWithTheColumn) {
  expect_refused({"exact", "bandit(arms=2"}, 2, {"column 14", "')'"});
  expect_refused({"exact", "bandit(arms)"}, 2, {"column 12", "'='"});
  expect_refused({"exact", ""}, 2, {"column 1"});
}

TEST(CliErrors, AProblemThatIsTooLargeNamesTheCountReached) {
  expect_refused({"exact", "bandit(arms=2,horizon=1000000)", "--max-states", "50000"}, 1,
                 {"more than 50000", "were reached", "of 1000000"});
  expect_refused({"play", "bandit(arms=2,horizon=1000000)", "--policy", "exact(max_states=1000)"}, 1,
                 {"more than 1000"});
  expect_refused({"exact", "treasure_map(size=5)"}, 1, {"successors", "step 1 of 25"});
}

TEST(CliErrors, CommandsAndOptionsAreCheckedToo) {
  expect_refused({}, 2, {"--help"});
  expect_refused({"exat", "bandit"}, 2, {"did you mean 'exact'", "list"});
  expect_refused({"exact"}, 2, {"family", "assay exact --help"});
  expect_refused({"exact", "bandit", "--polcy"}, 2, {"did you mean '--policy'"});
  expect_refused({"exact", "bandit", "--threads", "x"}, 2, {"--threads"});
  expect_refused({"exact", "bandit", "--threads", "-1"}, 2, {"--threads"});
  expect_refused({"exact", "bandit", "--max-states", "0"}, 2, {"--max-states"});
  expect_refused({"exact", "bandit", "--samples", "1"}, 2, {"--samples"});
  expect_refused({"exact", "bandit", "bandit"}, 2, {"bandit"});
  expect_refused({"list", "family"}, 2, {"did you mean 'families'"});
  expect_refused({"play", "bandit", "--policy", "exat"}, 2, {"unknown method", "did you mean 'exact'"});
  expect_refused({"play", "bandit", "--seed", "-3"}, 2, {"--seed"});
  expect_refused({"play", "bandit", "--seed", "99999999999999999999999"}, 2, {"--seed"});
}

TEST(CliErrors, ControlCharactersDoNotReachTheTerminal) {
  const Called called = call({"exact", "t_maze\033[2J\n(x=1)"});
  EXPECT_EQ(called.code, 2);
  EXPECT_EQ(called.err.find('\033'), std::string::npos);
  EXPECT_EQ(std::ranges::count(called.err, '\n'), 1);
}

TEST(CliHelp, EveryLevelTeachesWithAnExampleThatWorks) {
  const Called top = call({"--help"});
  EXPECT_EQ(top.code, 0);
  for (const char* command : {"list", "exact", "play"}) {
    EXPECT_NE(top.out.find(command), std::string::npos);
    const Called help = call({command, "--help"});
    EXPECT_EQ(help.code, 0);
    EXPECT_NE(help.out.find("Example"), std::string::npos) << command;
  }
  EXPECT_EQ(call({"list", "families"}).code, 0);
  EXPECT_EQ(call({"exact", "t_maze(distance=3,arm=3)", "--policy"}).code, 0);
  EXPECT_EQ(call({"play", "t_maze", "--policy", "exact", "--seed", "1"}).code, 0);
  EXPECT_NE(call({"--version"}).out.find("assay "), std::string::npos);
}

TEST(CliExact, SaysWhetherTheCuePays) {
  const std::string yes = call({"exact", "t_maze(distance=3,arm=3,discount=0.95)"}).out;
  EXPECT_NE(yes.find("5.435"), std::string::npos) << yes;
  EXPECT_NE(yes.find("the cue pays"), std::string::npos) << yes;
  const std::string no = call({"exact", "t_maze(distance=3,arm=1,discount=0.95)"}).out;
  EXPECT_NE(no.find("6.141"), std::string::npos) << no;
  EXPECT_NE(no.find("it does not pay"), std::string::npos) << no;
}

TEST(CliExact, JsonHoldsTheDocumentedKeysAndTheyAgree) {
  const json j = exact_json("t_maze(distance=2,arm=1,discount=1)");
  EXPECT_DOUBLE_EQ(j.at("bayes_optimal"), 14);
  EXPECT_DOUBLE_EQ(j.at("future_information").get<double>(),
                   j.at("bayes_optimal").get<double>() - j.at("current_information").get<double>());
  EXPECT_DOUBLE_EQ(j.at("bound").get<double>(),
                   j.at("full_information").get<double>() - j.at("current_information").get<double>());
  EXPECT_GT(j.at("states").get<int>(), 0);
  EXPECT_GE(j.at("seconds").get<double>(), 0);
  EXPECT_EQ(j.at("sources").at(0).at("name"), "cue");
  EXPECT_TRUE(j.at("sources").at(0).at("pays").get<bool>());
}

TEST(CliExact, DrawsThePolicyForEachBelief) {
  const std::string out = call({"exact", "t_maze(distance=2,arm=2)", "--policy"}).out;
  // Knowing that the reward is on the left: up the stem, then left, and stay at the end.
  EXPECT_NE(out.find("  belief: left 1\n"
                     "    L . S . R    o < < < <\n"
                     "        .            ^\n"
                     "        C            ^\n"),
            std::string::npos)
      << out;
}

TEST(CliExact, TheSameBytesForEveryNumberOfThreads) {
  for (const char* family : {"bandit(arms=3,horizon=14)", "treasure_map(size=2,looks=1,horizon=4)"}) {
    json one = exact_json(family, {"--threads", "1", "--seed", "7"});
    one["seconds"] = 0;
    for (const char* threads : {"2", "8"}) {
      json more = exact_json(family, {"--threads", threads, "--seed", "7"});
      more["seconds"] = 0;
      EXPECT_EQ(one.dump(), more.dump()) << family << " with " << threads << " threads";
    }
  }
}

TEST(CliExact, EstimatesCarryTheirStandardErrors) {
  const json j = exact_json("treasure_map(size=2,looks=1,horizon=3)");
  EXPECT_GT(j.at("standard_errors").at("full_information").get<double>(), 0);
  EXPECT_NE(call({"exact", "treasure_map(size=2,looks=1,horizon=3)"}).out.find("standard error"),
            std::string::npos);
  EXPECT_EQ(exact_json("bandit(horizon=5)").at("standard_errors").at("bound").get<double>(), 0);
}

TEST(CliPlay, JsonStepsAddUpToTheReturn) {
  const Called called = call({"play", "treasure_map(size=3)", "--seed", "11", "--json"});
  ASSERT_EQ(called.code, 0) << called.err;
  const json j = json::parse(called.out);
  ASSERT_EQ(j.at("steps").size(), 25U);
  double total = 0;
  for (const json& step : j.at("steps")) {
    total += step.at("arrival").at("reward").get<double>() + step.at("outcome").at("reward").get<double>();
  }
  EXPECT_DOUBLE_EQ(j.at("return"), total);
}

TEST(CliPlay, TheOptimalAgentReadsTheCueBeforeItTurns) {
  const json j = json::parse(call({"play", "t_maze", "--policy", "exact", "--seed", "4", "--json"}).out);
  EXPECT_EQ(j.at("steps").at(4).at("state_name"), "cue");
  EXPECT_DOUBLE_EQ(j.at("return"), 8);  // 20 arrivals less 4 to the cue and 8 to the end
}

TEST(CliPlay, TheSameSeedTheSameBytes) {
  const std::vector<std::string> args = {"play", "t_maze(cue_accuracy=0.8)", "--policy", "exact", "--seed",
                                         "5"};
  const std::string first = call(args).out;
  EXPECT_EQ(first, call(args).out);
  std::vector<std::string> other = args;
  other.back() = "6";
  EXPECT_NE(first, call(other).out);
}

TEST(CliList, JsonListsEveryParameterWithItsDefault) {
  const json j = json::parse(call({"list", "--json"}).out);
  EXPECT_EQ(j.at("families").size(), families().entries().size());
  EXPECT_EQ(j.at("methods").size(), methods().entries().size());
  for (const json& family : j.at("families")) {
    for (const json& parameter : family.at("parameters")) {
      EXPECT_NE(parameter.at("default"), "") << family.at("name");
      EXPECT_NE(parameter.at("help"), "") << family.at("name");
    }
  }
}

}  // namespace
}  // namespace assay::test
