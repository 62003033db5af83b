// Problem files: what they mean, and what is said of those that mean nothing.
#include "files/problem_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "assay/problem/registry.hpp"
#include "assay/solver/exact_solution.hpp"
#include "assay/testing/conformance.hpp"
#include "lab/run_store.hpp"
#include "solver/bound_search.hpp"
#include "source_dir.hpp"
#include "support/cli.hpp"
#include "support/expectimax.hpp"
#include "support/folder.hpp"
#include "support/problem_text.hpp"

namespace assay {
namespace {

using test::call;
using test::complaint;
using test::contains;
using test::example_problem;
using test::table_of;
using test::value_of;
using test::with;

double exact_value(const std::string& problem) { return make_problem(problem)->exact({})->value(); }

const std::string kCorridor = R"(
horizon = 4
map = """
S.G
"""
[legend]
S = { start = true }
G = { reward = 1 }
)";

TEST(ProblemFiles, OfTheMazesHaveTheValuesOfTheFamily) {
  EXPECT_NEAR(exact_value(example_problem("t_maze")), exact_value("t_maze"), 1e-9);
  const auto read = make_problem(example_problem("t_maze"))->information({});
  const auto known = make_problem("t_maze")->information({});
  EXPECT_NEAR(read.current.value, known.current.value, 1e-9);
  EXPECT_NEAR(read.full.value, known.full.value, 1e-9);
  EXPECT_NEAR(exact_value(example_problem("t_maze_noisy")),
              exact_value("t_maze(distance=2,arm=1,horizon=12,discount=0.95,cue_accuracy=0.8)"), 1e-9);
}

TEST(ProblemFiles, SayTheirValuesInAComment) {
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(ASSAY_SOURCE_DIR) + "/examples/problems")) {
    const std::string file = entry.path().string();
    if (entry.path().extension() != ".toml") continue;
    std::ifstream in(file);
    std::optional<double> stated;
    for (std::string line; std::getline(in, line);) {
      if (line.starts_with("# Value: ")) stated = std::stod(line.substr(9));
    }
    const WrittenFamily family = read_problem_file(file).family;
    // One is for showing what can never pay.
    const bool useless = entry.path().filename() == "no_use.toml";
    EXPECT_EQ(test::warnings_of(family),
              useless ? "information can never pay: one plan is the best in every environment\n" : "")
        << file;
    if (entry.path().filename() == "goal_search_episodes.toml") {  // too many beliefs, but bounds that meet
      BoundSearch search(make_problem(file)->finite_model());
      EXPECT_EQ(search.run({.tolerance = 1e-7}), SearchEnd::kTight);
      EXPECT_NEAR(search.lower(), stated.value_or(0), 1e-6);
      continue;
    }
    if (entry.path().filename() == "goal_search.toml") continue;  // another test knows its rules
    ASSERT_TRUE(stated) << file << " states no value";
    EXPECT_NEAR(exact_value(file), *stated, 1e-6) << file;
    const auto* table = std::get_if<TableFamily>(&family);
    if (table != nullptr && table->horizon() <= 8) {  // small enough for a recursion over all histories
      EXPECT_NEAR(oracle::FiniteExpectimax(*table).value(), *stated, 1e-6) << file;
    }
    EXPECT_TRUE(assay::testing::complaints(*make_problem(file), Rng(1)).empty()) << file;
  }
}

/// What may be done is known: it cannot depend on where the treasure is, though it ends the episode there.
TEST(ProblemFiles, WallsForbidMovesInEveryEnvironmentAlike) {
  const auto room = std::get<TableFamily>(read_problem_file(example_problem("hint_room")).family);
  const int corner = 0;
  EXPECT_EQ(room.state_name(corner), "row 0 column 0");
  const std::vector<std::string> possible = {"stay", "down", "right"};
  for (int a = 0; a < room.actions(); ++a) {
    EXPECT_EQ(room.allowed(corner, a), std::ranges::find(possible, room.action_name(a)) != possible.end())
        << a;
  }
}

// Listening is optional: a fixed number of times, then the likelier door. Computed by hand, without beliefs.
TEST(ProblemFiles, TigerIsWorthMoreThanAnyFixedNumberOfListenings) {
  const double value = exact_value(example_problem("tiger"));
  double best = -1e9;
  for (int n = 0; n < 8; ++n) {
    double earned = -n;
    for (int wrong = 0; wrong <= n; ++wrong) {
      double ways = 1;
      for (int i = 0; i < wrong; ++i) ways = ways * (n - i) / (i + 1);
      const double p = ways * std::pow(0.85, n - wrong) * std::pow(0.15, wrong);
      const double right = 2 * wrong == n ? 0.5 : 2 * wrong < n ? 1 : 0;
      earned += p * (right * 10 + (1 - right) * -100);
    }
    best = std::max(best, earned);
  }
  EXPECT_GT(value, best);
  EXPECT_LT(value, 10);
}

TEST(ProblemFiles, MeanWhatTheyDraw) {
  EXPECT_DOUBLE_EQ(value_of(kCorridor), 2);  // two steps to go there, two to stand there
  EXPECT_DOUBLE_EQ(value_of("step_reward = -0.25\n" + kCorridor), 1);
  EXPECT_DOUBLE_EQ(value_of("discount = 0.5\n" + kCorridor), 0.25 + 0.125);
  std::string terminal = kCorridor;
  terminal.replace(terminal.find("reward = 1"), 10, "reward = 1, terminal = true");
  EXPECT_DOUBLE_EQ(value_of(terminal), 1);
  std::string chance = kCorridor;
  chance.replace(chance.find("reward = 1"), 10, "reward = 1, chance = 0.25");
  EXPECT_DOUBLE_EQ(value_of(chance), 0.5);
  std::string slip = "slip = 0.5\nwalls = \"stay\"\n" + kCorridor;
  // Each of the two moves succeeds with 1/2, and standing costs nothing: 1/4 for 2, 2 * 1/8 for 1 step there.
  EXPECT_DOUBLE_EQ(value_of(slip), 0.25 * 2 + 0.25 * 1);
  std::string teleport = kCorridor;
  teleport.replace(teleport.find("start = true"), 12, "start = true, teleport = \"G\"");
  EXPECT_DOUBLE_EQ(value_of(teleport), 3);
}

TEST(ProblemFiles, ComplainWithTheirPlace) {
  const auto wrong = [](const std::string& text) { return complaint([&] { read_problem(text, "f.toml"); }); };
  EXPECT_EQ(wrong("horizon = "), wrong("horizon = "));
  EXPECT_TRUE(contains(wrong("horizon = "), "f.toml:1:"));
  EXPECT_TRUE(contains(wrong("horizon = 0\nmap = \"S\""),
                       "f.toml:1:11: the problem: horizon = 0 is out of range; it is from 1"));
  EXPECT_TRUE(contains(wrong("map = \"S\""), "has no horizon; for example horizon = 20"));
  EXPECT_TRUE(contains(wrong("horizon = 3"), "neither a map nor"));
  EXPECT_TRUE(contains(wrong("horizon = 3\nmap = \"S\"\nstates = [\"a\"]"), "one of the two ways"));
  EXPECT_TRUE(contains(wrong("horizon = 3\nmap = \"\"\"\nS?\n\"\"\"\n[legend]\nS = { start = true }"),
                       "a '?' in its line 1, character 2"));
  EXPECT_TRUE(contains(wrong("x = 1\n" + kCorridor), "f.toml:1:1: the problem: unknown key 'x'"));
  std::string misspelt = kCorridor;
  misspelt.replace(misspelt.find("reward"), 6, "rewart");
  EXPECT_TRUE(
      contains(wrong(misspelt), "f.toml:8:7: [legend] G: unknown key 'rewart'; did you mean 'reward'?"))
      << wrong(misspelt);
  EXPECT_TRUE(contains(wrong("horizon = 3\nmap = \"..\""), "no state is a start"));
  EXPECT_TRUE(contains(wrong("discount = nan\n" + kCorridor), "out of range"));
  EXPECT_TRUE(contains(wrong("discount = 1e400\n" + kCorridor), "f.toml:1:"));
  EXPECT_TRUE(contains(wrong("slip = \"a\"\n" + kCorridor), "slip is a text; it should be a number"));
}

const std::string kTable = test::kSmallTable + R"(environment = "one"
[[outcome]]
state = "b"
action = "go"
reward = -1
environment = ["two"]
)";

TEST(ProblemFiles, MeanWhatTheirTablesSay) {
  const TableFamily family = table_of(kTable);
  EXPECT_EQ(family.prior(), (std::vector<double>{0.25, 0.75}));
  EXPECT_EQ(family.row(0, 0, 0).size(), 4U);
  EXPECT_DOUBLE_EQ(family.row(0, 0, 1)[0].probability, 0.375);
  EXPECT_EQ(family.row(1, 0, 1)[0].outcome.reward, -1);
  EXPECT_EQ(family.row(1, 1, 1)[0].outcome.next, 1);
  const auto wrong = [](std::string text, const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
    return complaint([&] { read_problem(text, "f"); });
  };
  EXPECT_TRUE(
      contains(wrong(kTable, "a = 0.5", "a = 0.4"), "the probabilities of next sum to 0.9, not to 1"));
  EXPECT_TRUE(
      contains(wrong(kTable, "reward = 2", "options = [ { probability = 0.5 } ]"), "sum to 0.5, not to 1"));
  EXPECT_TRUE(contains(wrong(kTable, "[\"a\", \"b\"]", "[\"a\", \"a\"]"), "two states are called 'a'"));
  EXPECT_TRUE(contains(wrong(kTable, "b = 0.5", "c = 0.5"), "unknown state 'c'"));
  EXPECT_TRUE(
      contains(wrong(kTable, "start = \"a\"", "start = \"z\""), "f:5:9: the problem: unknown state 'z'"));
  EXPECT_TRUE(
      contains(wrong(kTable, "environment = [\"two\"]", "environment = [\"to\"]"), "did you mean 'two'"));
  // Terminal states are so in every environment, whatever else is said.
  const TableFamily ended = table_of(with(kTable, "start = \"a\"", "start = \"a\"\nterminal = \"b\""));
  EXPECT_EQ(ended.row(1, 0, 0)[0].outcome.reward, 0);
  EXPECT_TRUE(contains(wrong(kTable, "environment = \"one\"\n", "environment = \"two\"\n"),
                       "'go' at 'b' is known in 1 of 2 environments"));
}

TEST(ProblemFiles, WarnOfWhatIsHardlyMeant) {
  const auto warnings = [](const std::string& text) { return test::warnings_of(test::family_of(text)); };
  EXPECT_EQ(warnings(kTable), "");
  std::string cut = kCorridor;
  cut.replace(cut.find("S.G"), 3, "S#G");
  EXPECT_TRUE(contains(warnings(cut), "1 of 2 states cannot be reached"));
  EXPECT_TRUE(
      contains(warnings(kCorridor + "[[environment]]\n[[environment]]\n"), "nothing can tell them apart"));
}

class ProblemFilesOnDisk : public test::TemporaryFolder {};

TEST_F(ProblemFilesOnDisk, AreProblemsEverywhere) {
  const std::string file = at("maze.toml");
  std::filesystem::copy_file(example_problem("t_maze"), file);
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"exact", file},
           {"cross", file},
           {"play", file, "--policy", "exact"},
           {"check", file},
           {"compare", file, "--methods", "pcr(epochs=2),exact", "--episodes", "5", "--out", at("runs")}}) {
    const auto result = call(command);
    EXPECT_EQ(result.code, 0) << command[0] << ": " << result.err;
  }
  // Results know the file that they were made with.
  std::ofstream(file, std::ios::app) << "# changed\n";
  const RunStore store(at("runs"), RunStore::Mode::kReadOnly);
  const std::string name = store.settings(store.runs().front()).family;
  EXPECT_TRUE(contains(complaint([&] { make_problem(name); }), "has changed"));
  EXPECT_EQ(call({"report", at("runs")}).code, 0);  // without episodes to play
  EXPECT_EQ(call({"check", at("none.toml")}).code, 2);
  EXPECT_EQ(call({"exact", folder_.string() + "/"}).code, 2);
}

}  // namespace
}  // namespace assay
