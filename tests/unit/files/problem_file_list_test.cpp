// Outcomes in a file beside the problem's, and states by the thousand.
#include <gtest/gtest.h>

#include <fstream>

#include "assay/problem/registry.hpp"
#include "support/folder.hpp"
#include "support/problem_text.hpp"

namespace assay {
namespace {

using test::contains;
using test::fault_of;
using test::with;

const std::string kListed = R"(
horizon = 4
states = 3
actions = 2
environments = 2
start = "0"
outcomes = "moves.csv"
)";

const std::string kMoves =
    "state,action,environment,next,probability,reward,shows\n"
    "0,0,,1,1,0,\n0,1,0,0,1,2,\n0,1,1,0,1,1,\n"
    "1,0,,2,0.5,0,\n1,0,,1,0.5,0,\n1,1,0,0,1,0,red\n1,1,1,0,1,0,blue\n2,0,,2,1,3,\n";

class ProblemFilesWithLists : public test::TemporaryFolder {
 protected:
  std::string written(const std::string& text, const std::string& moves = kMoves) {
    std::ofstream(at("p.toml")) << text;
    std::ofstream(at("moves.csv")) << moves;
    return at("p.toml");
  }
  TableFamily family(const std::string& text) {
    return std::get<TableFamily>(read_problem_file(written(text)).family);
  }
  std::string fault(const std::string& text) {
    return test::complaint([&] { read_problem_file(written(text)); });
  }
};

TEST_F(ProblemFilesWithLists, ReadThem) {
  const TableFamily table = family(kListed);
  EXPECT_EQ(table.states(), 3);
  EXPECT_EQ(table.state_name(2), "2");
  EXPECT_EQ(table.environment_name(1), "1");
  EXPECT_EQ(table.prior(), (std::vector<double>{0.5, 0.5}));
  EXPECT_EQ(table.row(0, 1, 1)[0].outcome.reward, 1);
  EXPECT_EQ(table.row(1, 0, 1).size(), 2U);
  EXPECT_EQ(table.sign_name(table.row(1, 1, 1)[0].outcome.observation[0]), "blue");
  ASSERT_EQ(table.sources().size(), 1U);
  EXPECT_EQ(table.sources()[0].first, "1");
}

TEST_F(ProblemFilesWithLists, WrittenOutcomesGoOnTop) {
  const std::string text =
      kListed +
      "[[outcome]]\nstate = \"0\"\naction = \"1\"\nreward = 7\n"
      "[[outcome]]\nstate = \"1\"\naction = \"1\"\nenvironment = \"1\"\nshows = \"green\"\n";
  const TableFamily table = family(text);
  EXPECT_EQ(table.row(0, 1, 0)[0].outcome.reward, 7);
  EXPECT_EQ(table.row(0, 1, 1)[0].outcome.reward, 7);
  EXPECT_EQ(table.sign_name(table.row(1, 1, 0)[0].outcome.observation[0]), "red");
  EXPECT_EQ(table.sign_name(table.row(1, 1, 1)[0].outcome.observation[0]), "green");
  const TableFamily ended = family(with(kListed, "outcomes", "terminal = [\"2\"]\nepisodes = 2\noutcomes"));
  EXPECT_EQ(ended.horizon(), 8);
}

TEST_F(ProblemFilesWithLists, ChecksumsCoverThem) {
  const std::string first = make_problem(written(kListed))->name();
  EXPECT_EQ(make_problem(first)->name(), first);
  written(kListed, with(kMoves, "0,1,0,0,1,2,", "0,1,0,0,1,3,"));
  EXPECT_TRUE(contains(test::complaint([&] { make_problem(first); }), "has changed"));
}

TEST_F(ProblemFilesWithLists, ComplainWithTheirPlace) {
  EXPECT_TRUE(contains(fault(with(kListed, "moves.csv", "../moves.csv")),
                       "p.toml:7:12: '../moves.csv' is no file beside"));
  EXPECT_TRUE(contains(fault(with(kListed, "moves.csv", "/etc/passwd")), "is no file beside this one"));
  EXPECT_TRUE(contains(fault(with(kListed, "moves.csv", "none.csv")), "p.toml:7:12: there is no file"));
  EXPECT_TRUE(contains(fault_of(kListed), "f:7:12: 'moves.csv' cannot be read: this problem is a text"));
  const std::string file = written(kListed, with(kMoves, "1,1,1,0", "1,1,9,0"));
  EXPECT_TRUE(contains(test::complaint([&] { read_problem_file(file); }), "moves.csv:8"));
  EXPECT_TRUE(contains(fault(with(kListed, "environments = 2", "environments = 0")), "p.toml:5:16: "));
  EXPECT_TRUE(
      contains(fault(with(kListed, "environments = 2", "environments = [\"a\"]")), "how many there are"));
  EXPECT_TRUE(contains(fault(kListed + "[[environment]]\nname = \"a\"\n"), "count them or name them"));
  EXPECT_TRUE(contains(fault(with(kListed, "states = 3", "states = 20000000")), "p.toml:3:10: "));
  EXPECT_TRUE(contains(fault(with(kListed, "states = 3", "states = -1")), "p.toml:3:10: "));
}

TEST_F(ProblemFilesWithLists, AreReadByTheThousand) {
  std::string moves = "state,action,next,reward\n";
  for (int x = 0; x < 2000; ++x) {
    for (int a = 0; a < 2; ++a)
      moves += std::to_string(x) + "," + std::to_string(a) + "," + std::to_string((x + a) % 2000) + ",1\n";
  }
  const std::string text = with(with(kListed, "states = 3", "states = 2000"), "environments = 2\n", "");
  const ProblemFile file = read_problem_file(written(text, moves));
  EXPECT_EQ(std::get<TableFamily>(file.family).states(), 2000);
  EXPECT_EQ(test::warnings_of(file.family), "");
}

}  // namespace
}  // namespace assay
