// A problem file is what it contains: results and policies are found again under any path.
#include "problem/problem_identity.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "assay/problem/registry.hpp"
#include "lab/atomic_file.hpp"
#include "lab/database.hpp"
#include "lab/run_store.hpp"
#include "report/report.hpp"
#include "support/cli.hpp"
#include "support/folder.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;
using test::call;

constexpr std::string_view kCue = R"(
horizon = 4
map = """
LSR
.C.
"""
[legend]
S = { start = true }
C = { shows = "environment" }
L = { }
R = { }
[[environment]]
name = "left"
legend = { L = { reward = 1 } }
[[environment]]
name = "right"
legend = { R = { reward = 1 } }
)";

class ProblemIdentity : public test::TemporaryFolder {
 protected:
  ProblemIdentity() {
    for (const char* folder : {"one", "two"}) fs::create_directories(folder_ / folder);
    write_file(at("one/rat.toml"), kCue);
  }
  [[nodiscard]] test::Called train(const std::string& file) const {
    return call({"run", file, "--method", "tabular_td(epochs=3)", "--episodes", "4", "--out", at("runs")});
  }
  [[nodiscard]] std::vector<std::string> policies() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_ / "runs/policies")) found.push_back(entry.path());
    return found;
  }
};

TEST_F(ProblemIdentity, IsTheContentsOfAFileAndTheNameOfAFamily) {
  write_file(at("two/mouse.toml"), kCue);
  const std::string one = make_problem(at("one/rat.toml"))->name();
  const std::string other = make_problem(at("two/mouse.toml"))->name();
  EXPECT_NE(one, other);
  EXPECT_TRUE(same_problem(one, other));
  write_file(at("two/mouse.toml"), std::string(kCue) + "# another byte\n");
  EXPECT_FALSE(same_problem(one, make_problem(at("two/mouse.toml"))->name()));
  EXPECT_EQ(problem_identity("t_maze(arm=1)"), "t_maze(arm=1)");
}

TEST_F(ProblemIdentity, OfAFileIncludesTheTablesBesideIt) {
  const std::string text =
      "horizon = 2\nstates = [\"a\"]\nactions = [\"go\"]\nstart = \"a\"\noutcomes = \"t.csv\"\n";
  for (const char* folder : {"one/", "two/"}) {
    write_file(at(folder + std::string("p.toml")), text);
    write_file(at(folder + std::string("t.csv")), "state,action,next,reward\na,go,a,1\n");
  }
  const std::string one = make_problem(at("one/p.toml"))->name();
  EXPECT_TRUE(same_problem(one, make_problem(at("two/p.toml"))->name()));
  write_file(at("two/t.csv"), "state,action,next,reward\na,go,a,2\n");
  EXPECT_FALSE(same_problem(one, make_problem(at("two/p.toml"))->name()));
}

TEST_F(ProblemIdentity, AnotherPathDoesNotTrainAgain) {
  ASSERT_EQ(train(at("one/rat.toml")).code, 0);
  fs::rename(at("one/rat.toml"), at("two/mouse.toml"));
  const auto again = train(at("two/../two/mouse.toml"));
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(policies().size(), 1U);
  const RunStore store(at("runs"), RunStore::Mode::kReadOnly);
  ASSERT_EQ(store.runs().size(), 1U);
  EXPECT_NE(store.settings(store.runs().front()).family.find("one/rat.toml#"), std::string::npos);
  EXPECT_NE(again.out.find("two/mouse.toml#"), std::string::npos) << "the path as typed is shown\n"
                                                                  << again.out;
}

TEST_F(ProblemIdentity, AnInterruptedRunGoesOnUnderAnotherPath) {
  write_file(at("two/mouse.toml"), kCue);
  {
    RunStore store(at("runs"), RunStore::Mode::kReadWrite);
    store.add(
        {make_problem(at("one/rat.toml"))->name(), make_method("tabular_td(epochs=3)")->name(), 1, 4, 1}, {});
  }
  const auto refused = train(at("two/mouse.toml"));
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("--resume"), std::string::npos) << refused.err;
}

TEST_F(ProblemIdentity, APolicyGoesWithTheContents) {
  ASSERT_EQ(train(at("one/rat.toml")).code, 0);
  const std::string policy = policies().front();
  fs::rename(at("one/rat.toml"), at("two/mouse.toml"));
  const auto named = call({"evaluate", policy, "--family", at("two/mouse.toml"), "--episodes", "4"});
  EXPECT_EQ(named.code, 0) << named.err;
  EXPECT_EQ(call({"play", at("two/mouse.toml"), "--policy", policy}).code, 0);
  const auto lost = call({"evaluate", policy});
  EXPECT_EQ(lost.code, 2);
  for (const char* part : {"was trained on", "one/rat.toml#", "same contents", "--family FILE"}) {
    EXPECT_NE(lost.err.find(part), std::string::npos) << lost.err;
  }
  write_file(at("two/mouse.toml"), "discount = 0.5\n" + std::string(kCue));
  const auto other = call({"evaluate", policy, "--family", at("two/mouse.toml")});
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.err.find("was trained on"), std::string::npos) << other.err;
}

TEST_F(ProblemIdentity, RunsThatWereMadeUnderTwoPathsAreShownOnce) {
  const std::string family = make_problem(at("one/rat.toml"))->name();
  {
    RunStore store(at("runs"), RunStore::Mode::kReadWrite);
    store.finish(store.add({family, "random", 1, 2, 1}, {}), {},
                 std::vector<EpisodeRecord>{{0, 1, 1}, {1, 0, 0}}, "", 0, 0);
    store.add({family, "oracle", 1, 2, 1}, {});
  }
  {
    // As a version leaves them that tells paths apart.
    const Database database(at("runs/assay.db"), run_database_kind(), Database::Mode::kReadWrite);
    database.run(
        "INSERT INTO runs(family, method, seed, episodes, test_seed, version, commit_id, machine, kernel, "
        "signature) SELECT 'else/' || family, method, seed, episodes, test_seed, '', '', '', '', '' FROM "
        "runs");
    // Such a version knew no checksums, no parts of states and no repeated episodes.
    database.run("DROP TABLE run_sums; DROP TABLE state_parts; DROP TABLE repeats; PRAGMA user_version = 2");
  }
  const RunStore store(at("runs"), RunStore::Mode::kReadOnly);
  ASSERT_EQ(store.runs().size(), 4U);
  EXPECT_TRUE(store.finished(*store.find({"else/" + family, "random", 1, 2, 1})));
  const Report report = make_report(store, {.play = false});
  ASSERT_EQ(report.tables.size(), 1U);
  ASSERT_EQ(report.tables[0].rows.size(), 2U);
  int finished = 0;
  for (const ResultRow& row : report.tables[0].rows) finished += row.cells[0] ? 1 : 0;
  EXPECT_EQ(finished, 1);
}

}  // namespace
}  // namespace assay
