// --json: every command has it, and what it prints is JSON with the names and numbers that it promises.
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>

#include "source_dir.hpp"
#include "support/cli.hpp"
#include "support/folder.hpp"
#include "support/problem_text.hpp"

namespace assay::test {
namespace {

using nlohmann::json;

std::vector<json> json_lines(const std::string& text) {
  std::vector<json> all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) all.push_back(json::parse(line));
  return all;
}

json answer(const std::vector<std::string>& args) {
  const Called called = call(args);
  EXPECT_EQ(called.code, 0) << args[0] << ": " << called.err;
  return json::parse(called.out);
}

/// The commands that `assay --help` lists.
std::set<std::string> all_commands() {
  std::istringstream lines(call({"--help"}).out);
  std::set<std::string> names;
  bool listed = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) listed = false;
    if (listed && line.starts_with("  ") && line[2] != ' ')
      names.insert(line.substr(2, line.find(' ', 2) - 2));
    if (line == "Subcommands:") listed = true;
  }
  return names;
}

using JsonOfCommands = TemporaryFolder;

TEST_F(JsonOfCommands, EveryCommandPrintsWhatItsHelpNames) {
  const std::string tiger = example_problem("tiger");
  const std::string folder = at("runs");
  const std::string problem = "bandit(arms=2,horizon=4)";
  // A command, and keys of the object that it prints.
  const std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> asked = {
      {{"list", "families"}, {"families"}},
      {{"check", tiger}, {"file", "name", "states", "actions", "horizon", "environments", "warnings"}},
      {{"solve", tiger, "--episodes", "20"}, {"family", "lower", "upper", "first_actions"}},
      {{"explain", tiger}, {"family", "state", "actions", "words"}},
      {{"exact", problem}, {"bayes_optimal", "states", "sources"}},
      {{"cross", "t_maze(distance=2,arm=1)", "--samples", "2"}, {"states", "estimator"}},
      {{"play", problem}, {"return", "steps", "environment", "truth"}},
      {{"run", problem, "--method", "vi_greedy", "--episodes", "3", "--out", folder},
       {"folder", "page", "runs", "report"}},
      {{"compare", problem, "--methods", "random,vi_greedy", "--episodes", "3", "--out", folder},
       {"folder", "page", "runs", "report"}},
      {{"export", folder}, {"folder", "files", "runs", "unfinished"}},
      {{"report", folder}, {"folder", "file", "runs", "finished"}},
      {{"signature"}, {"signature", "parts"}},
  };
  std::set<std::string> seen;
  for (const auto& [args, keys] : asked) {
    std::vector<std::string> with_json = args;
    with_json.emplace_back("--json");
    const json object = answer(with_json);
    const std::string help = call({"help", args[0]}).out;
    for (const std::string& key : keys) {
      EXPECT_TRUE(object.contains(key)) << args[0] << " " << key;
      EXPECT_NE(help.find(key), std::string::npos) << args[0] << " " << key;
    }
    seen.insert(args[0]);
  }
  // These take long, need trained policies or a browser, or are asked below and in the tests of the tool as a
  // process: that they know the option is enough here.
  for (const std::string& command : all_commands()) {
    if (command == "help" || seen.contains(command)) continue;
    EXPECT_NE(call({command, "--help"}).out.find("--json"), std::string::npos) << command;
  }
  EXPECT_TRUE(all_commands().contains("serve"));
}

TEST_F(JsonOfCommands, RunsAreThoseOfTheCommandAlone) {
  const std::string problem = "bandit(arms=2,horizon=4)";
  (void)answer({"run", problem, "--method", "random", "--episodes", "3", "--out", at("a"), "--json"});
  const json second =
      answer({"run", problem, "--method", "vi_greedy", "--episodes", "3", "--out", at("a"), "--json"});
  ASSERT_EQ(second.at("runs").size(), 1U);
  EXPECT_TRUE(second.at("runs").at(0).at("method").get<std::string>().starts_with("vi_greedy"));
  EXPECT_TRUE(second.at("runs").at(0).at("finished").get<bool>());
  const json policy_free = answer({"export", at("a"), "--to", at("b"), "--json"});
  EXPECT_EQ(policy_free.at("runs"), 2);
}

TEST_F(JsonOfCommands, CheckNamesWhatIsInTheFile) {
  const json tiger = answer({"check", example_problem("tiger"), "--json"});
  EXPECT_EQ(tiger.at("states"), json({"corridor", "outside"}));
  EXPECT_EQ(tiger.at("environments").at(1).at("name"), "tiger right");
  EXPECT_DOUBLE_EQ(tiger.at("environments").at(1).at("probability"), 0.5);
  EXPECT_EQ(tiger.at("warnings"), json::array());
}

/// Each episode again from its own numbers: the true environment decides what is paid, and the belief is
/// Bayes' rule.
TEST(PlayedJson, TellsTheHiddenEnvironmentAndTheBeliefAsNumbers) {
  const std::string file = example_problem("tiger");
  const std::vector<json> played =
      json_lines(call({"play", file, "--policy", "exact", "--episodes", "40", "--json"}).out);
  ASSERT_EQ(played.size(), 40U);
  std::map<int, int> environments;
  for (const json& episode : played) {
    const int hidden = episode.at("environment").at("number");
    ++environments[hidden];
    EXPECT_EQ(episode.at("environment").at("name"),
              episode.at("belief_names").at(static_cast<std::size_t>(hidden)));
    double left = 0.5;
    double sum = 0;
    for (const json& step : episode.at("steps")) {
      EXPECT_NEAR(step.at("belief_numbers").at(0), left, 1e-9);
      EXPECT_NEAR(step.at("belief_numbers").at(1), 1 - left, 1e-9);
      const std::string action = step.at("action_name");
      const json& outcome = step.at("outcome");
      if (step.at("state_name") == "corridor" && action == "listen") {
        EXPECT_DOUBLE_EQ(outcome.at("reward"), -1);
        const double heard = outcome.at("seen") == "growl left" ? 0.85 : 0.15;
        left = left * heard / (left * heard + (1 - left) * (1 - heard));
      } else if (step.at("state_name") == "corridor") {
        const bool eaten = (action == "open left") == (hidden == 0);
        EXPECT_DOUBLE_EQ(outcome.at("reward"), eaten ? -100 : 10) << episode;
        EXPECT_EQ(outcome.at("next_name"), "outside");
        left = hidden == 0 ? 1 : 0;
      }
      EXPECT_NEAR(step.at("belief_numbers_after").at(0), left, 1e-9);
      sum += outcome.at("reward").get<double>() + step.at("arrival").at("reward").get<double>();
    }
    EXPECT_DOUBLE_EQ(episode.at("return"), sum);
  }
  EXPECT_EQ(environments.size(), 2U);  // 2^-39 that one of them never comes
}

TEST(PlayedJson, TheFirstOfSeveralEpisodesIsTheOneAlone) {
  const std::vector<std::string> alone = {"play", "t_maze", "--seed", "3", "--json"};
  std::vector<std::string> several = alone;
  several.insert(several.end(), {"--episodes", "3"});
  const std::vector<json> played = json_lines(call(several).out);
  ASSERT_EQ(played.size(), 3U);
  EXPECT_EQ(played[0], json::parse(call(alone).out));
  EXPECT_EQ(played[2].at("episode"), 2);
  EXPECT_NE(played[0].at("steps"), played[1].at("steps"));
  EXPECT_EQ(call({"play", "t_maze", "--episodes", "0"}).code, 2);
  const std::string shown = call({"play", "t_maze", "--episodes", "2"}).out;
  EXPECT_NE(shown.find("\nepisode 1: t_maze("), std::string::npos) << shown;
}

TEST(PlayedJson, UnknownChancesAreCounted) {
  const std::vector<json> played =
      json_lines(call({"play", "bandit(arms=2,horizon=6)", "--episodes", "2", "--json"}).out);
  for (const json& episode : played) {
    EXPECT_TRUE(episode.at("environment").is_null());
    EXPECT_TRUE(episode.at("belief_names").is_null());
    std::vector<double> counts(4, 1.0);  // a and b of both arms, uniform at first
    for (const json& step : episode.at("steps")) {
      EXPECT_EQ(step.at("belief_numbers").get<std::vector<double>>(), counts);
      const std::size_t arm = step.at("action");
      counts[step.at("outcome").at("reward") == 1 ? arm : 2 + arm] += 1;
      EXPECT_EQ(step.at("belief_numbers_after").get<std::vector<double>>(), counts);
    }
  }
}

/// All decisions of a bandit, against their recursion: v(s, f, h) of a single arm pays s / n a step; with two
/// arms, the better of the two sides of Bellman's equation.
TEST(ExactJson, ListsAllBeliefsAndSteps) {
  const Called called = call({"exact", "bandit(arms=2,horizon=5)", "--policy", "--json"});
  ASSERT_EQ(called.code, 0) << called.err;
  const json object = json::parse(called.out);
  using Counts = std::vector<double>;
  std::map<std::pair<Counts, int>, double> known;
  const std::function<double(const Counts&, int)> value = [&](const Counts& c, int left) -> double {
    if (left == 0) return 0;
    const auto [at, fresh] = known.try_emplace({c, left}, 0);
    if (!fresh) return at->second;
    double best = -1;
    for (std::size_t arm = 0; arm < 2; ++arm) {
      const double p = c[arm] / (c[arm] + c[2 + arm]);
      Counts won = c;
      Counts lost = c;
      won[arm] += 1;
      lost[2 + arm] += 1;
      best = std::max(best, p * (1 + value(won, left - 1)) + (1 - p) * value(lost, left - 1));
    }
    return known[{c, left}] = best;
  };
  EXPECT_NEAR(object.at("bayes_optimal"), value({1, 1, 1, 1}, 5), 1e-12);
  std::set<std::pair<Counts, int>> listed;
  for (const json& choice : object.at("policy")) {
    const Counts counts = choice.at("belief_numbers");
    const int step = choice.at("step");
    EXPECT_TRUE(listed.insert({counts, 5 - step}).second) << choice;
    EXPECT_NEAR(choice.at("value"), value(counts, 5 - step), 1e-12) << choice;
    EXPECT_FALSE(choice.at("action_name").get<std::string>().empty());
  }
  EXPECT_EQ(listed.size(), known.size());
  EXPECT_EQ(object.at("decisions"), known.size());
}

TEST(ExactJson, HasAllStepsOfTheSameBelief) {
  const json object = json::parse(call({"exact", example_problem("tiger"), "--policy", "--json"}).out);
  std::set<int> steps;
  for (const json& choice : object.at("policy")) {
    if (choice.at("state_name") == "corridor" && choice.at("belief_numbers").at(0) == 0.5)
      steps.insert(choice.at("step").get<int>());
  }
  // Even numbers of contradicting growls.
  EXPECT_EQ(steps, (std::set<int>{0, 2, 4, 6}));
  EXPECT_EQ(object.at("belief_names"), json({"tiger left", "tiger right"}));
}

}  // namespace
}  // namespace assay::test
