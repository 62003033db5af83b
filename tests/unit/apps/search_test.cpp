// `assay play` and `assay explain --method` with a method that searches.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "assay/problem/registry.hpp"
#include "support/cli.hpp"

namespace assay::test {
namespace {

using nlohmann::json;

const std::vector<std::string> kPlaySearch = {"play",     "t_maze(distance=3,arm=3,discount=0.95,horizon=6)",
                                              "--policy", "bamcp(simulations=60)",
                                              "--seed",   "3"};
const std::vector<std::string> kExplainSearch = {"explain",
                                                 "t_maze(distance=3,arm=3,discount=0.95,cue_accuracy=0.8)",
                                                 "--method", "bamcp(simulations=400)"};

std::vector<std::string> more_args(std::vector<std::string> args, const std::vector<std::string>& more) {
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

std::string output_of(const std::vector<std::string>& args) {
  const Called called = call(args);
  EXPECT_EQ(called.code, 0) << called.err;
  return called.out;
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

void expect_usage_error(const std::vector<std::string>& args, const std::string& part) {
  const Called called = call(args);
  EXPECT_EQ(called.code, 2) << called.err;
  EXPECT_EQ(called.out, "");
  EXPECT_NE(called.err.find(part), std::string::npos) << called.err;
}

TEST(SearchCli, PlaySaysAtEveryStepWhatWasSearched) {
  const std::string out = output_of(kPlaySearch);
  EXPECT_EQ(occurrences(out, "  searched: 60 simulations, value "), 6U);
  EXPECT_EQ(occurrences(out, " visits"), 0U);
  EXPECT_EQ(out.find("bounds"), std::string::npos);
}

TEST(SearchCli, PlayShowsAsManyLevelsAsAsked) {
  const std::string one = output_of(more_args(kPlaySearch, {"--tree", "1"}));
  // Four actions at the junction, with which it begins; no ends.
  EXPECT_EQ(occurrences(one.substr(0, one.find("step 1:")), " visits"), 4U);
  EXPECT_EQ(occurrences(one, " %  "), 0U);
  const std::string two = output_of(more_args(kPlaySearch, {"--tree", "2"}));
  EXPECT_NE(two.find("100 %  stem 2\n"), std::string::npos) << two;
  EXPECT_GT(output_of(more_args(kPlaySearch, {"--tree", "3"})).size(), two.size());
}

TEST(SearchCli, ThePlayedJsonHasTheSameSearch) {
  const json steps = json::parse(output_of(more_args(kPlaySearch, {"--tree", "2", "--json"})))["steps"];
  const std::string text = output_of(kPlaySearch);
  for (const json& step : steps) {
    const json& search = step.at("search");
    EXPECT_EQ(search.at("simulations"), 60);
    EXPECT_EQ(search.at("timed"), false);
    EXPECT_TRUE(search.at("lower").is_null());
    std::uint64_t visits = 0;
    for (const json& action : search.at("actions")) {
      visits += action.at("visits").get<std::uint64_t>();
      if (action.at("action") == step.at("action")) {
        std::ostringstream value;
        value.precision(4);
        value << action.at("value").get<double>();
        EXPECT_NE(text.find("searched: 60 simulations, value " + value.str()), std::string::npos)
            << value.str();
      }
    }
    EXPECT_EQ(visits, 60U);
  }
  EXPECT_FALSE(steps[0]["search"]["actions"][0]["ends"].empty());
  const json plain = json::parse(output_of(more_args(kPlaySearch, {"--json"})));
  EXPECT_TRUE(plain["steps"][0]["search"]["actions"][0]["ends"].empty());
}

TEST(SearchCli, MethodsThatDoNotSearchAreShownAsBefore) {
  const std::vector<std::string> args = {"play", "t_maze", "--policy", "exact", "--seed", "1"};
  EXPECT_EQ(output_of(more_args(args, {"--tree", "3"})), output_of(args));
  EXPECT_EQ(output_of(args).find("searched"), std::string::npos);
  EXPECT_EQ(output_of(more_args(args, {"--json"})).find("\"search\""), std::string::npos);
}

/// Frames are drawn over each other: a line more or less would leave rests.
TEST(SearchCli, FramesHaveALineForTheSearchAndNoTree) {
  const auto drawn = [](const std::vector<std::string>& args) {
    std::ostringstream out;
    std::ostringstream err;
    EXPECT_EQ(cli::run_cli(more_args(args, {"--speed", "1000"}), {out, err, true, false, true, 80}), 0)
        << err.str();
    return out.str();
  };
  const std::string frames = drawn(kPlaySearch);
  EXPECT_EQ(occurrences(frames, "searched: 60"), 6U);
  EXPECT_EQ(occurrences(frames, "A"), 5U) << "not drawn over each other";
  EXPECT_EQ(drawn(more_args(kPlaySearch, {"--tree", "1"})).find('\033'), std::string::npos);
}

TEST(SearchCli, ExplainShowsTheRootAndSaysWhatIsTaken) {
  const json j = json::parse(output_of(more_args(kExplainSearch, {"--json"})));
  EXPECT_EQ(j.at("state"), "junction");
  EXPECT_EQ(j.at("remaining"), 20);
  EXPECT_EQ(j.at("belief"), "left 0.5, right 0.5");
  const std::string out = output_of(kExplainSearch);
  const std::string name = j.at("action_name");
  EXPECT_NE(out.find("  > " + name), std::string::npos) << out;
  EXPECT_NE(out.find(j.at("words").get<std::string>()), std::string::npos) << out;
  EXPECT_NE(j.at("words").get<std::string>().find("It takes '" + name + "'"), std::string::npos);
  double best = -1e9;
  for (const json& action : j.at("search").at("actions")) {
    if (!action.at("value").is_null()) best = std::max(best, action.at("value").get<double>());
  }
  for (const json& action : j.at("search").at("actions")) {
    if (action.at("name") == name) {
      EXPECT_EQ(action.at("value"), best);
    }
  }
  EXPECT_EQ(out.find("lower"), std::string::npos) << "a column without numbers";
  EXPECT_EQ(occurrences(out, " %  "), 0U);
  EXPECT_NE(output_of(more_args(kExplainSearch, {"--tree", "2"})).find("100 %  stem 2\n"), std::string::npos);
}

TEST(SearchCli, ExplainSearchesWithWhatIsKnownByThen) {
  const json j = json::parse(output_of(more_args(
      kExplainSearch, {"--json", "--after", "down; down; down sees right; up", "--remaining", "9"})));
  EXPECT_EQ(j.at("state"), "stem 1");
  EXPECT_EQ(j.at("remaining"), 9);
  EXPECT_EQ(j.at("belief"), "left 0.2, right 0.8");
  const json told = json::parse(output_of({"explain", "t_maze(distance=3,arm=3)", "--json", "--after",
                                           "down; down; down sees right; up; up; up; right; right",
                                           "--method", "bamcp(simulations=2000)"}));
  // One step from the right end, which pays 1 a step for what is left: there is nothing to think about.
  EXPECT_EQ(told.at("action_name"), "right");
  EXPECT_EQ(told.at("belief"), "right 1");
}

TEST(SearchCli, ExplainFindsTheSameAgain) {
  const std::string once = output_of(more_args(kExplainSearch, {"--tree", "2", "--threads", "1"}));
  EXPECT_EQ(output_of(more_args(kExplainSearch, {"--tree", "2", "--threads", "2"})), once);
  EXPECT_NE(output_of(more_args(kExplainSearch, {"--tree", "2", "--seed", "7"})), once);
  const std::string timed = output_of({"explain", "t_maze", "--method", "bamcp(ms=1)"});
  EXPECT_NE(timed.find("another run may differ"), std::string::npos) << timed;
}

TEST(SearchCli, WhatCannotBeShownIsRefused) {
  expect_usage_error({"explain", "t_maze", "--method", "bamkp"}, "did you mean 'bamcp'");
  expect_usage_error({"explain", "t_maze", "--method", "bamcp(simulations=0)"}, "simulations=0");
  expect_usage_error({"explain", "t_maze", "--method", "exact"}, "does not search");
  expect_usage_error({"explain", "t_maze", "--method", "oracle"}, "does not search");
  expect_usage_error({"explain", "t_maze", "--method", "pcr(epochs=100000)"},
                     "pcr(epochs=100000) learns before it can be asked");
  expect_usage_error({"explain", "t_maze", "--tree", "2"}, "--method");
  for (const char* levels : {"-1", "21", "two", "1.5"}) {
    expect_usage_error(more_args(kExplainSearch, {"--tree", levels}), "--tree");
    expect_usage_error(more_args(kPlaySearch, {"--tree", levels}), "--tree");
  }
}

}  // namespace
}  // namespace assay::test
