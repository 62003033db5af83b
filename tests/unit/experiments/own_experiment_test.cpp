// `assay reproduce FILE.toml`: a user's own experiment, from the file to its table, its page and its
// figures.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "experiments/driver.hpp"
#include "lab/atomic_file.hpp"
#include "lab/statistics.hpp"
#include "report/page.hpp"
#include "source_dir.hpp"
#include "support/cli.hpp"
#include "support/complaint.hpp"
#include "support/folder.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;
using test::call;
using test::contains;

class OwnExperiment : public test::TemporaryFolder {
 protected:
  /// A table of two methods on a problem file and a family.
  void write_table() const {
    fs::copy_file(fs::path(ASSAY_SOURCE_DIR) / "examples/problems/tiger.toml", folder_ / "tiger.toml");
    write_file(at("mine.toml"),
               "kind = \"table\"\n"
               "title = \"Tiger and maze\"\n"
               "problems = [{ problem = \"tiger.toml\", label = \"tiger\" }, \"t_maze\"]\n"
               "methods = [{ method = \"tabular_td(epochs=3)\", label = \"td\" }, \"exact\"]\n"
               "seeds = 2\n"
               "test_episodes = 10\n"
               "test_seed = 5\n"
               "[differences]\n"
               "of = [\"exact\"]\n"
               "[[figures]]\n"
               "name = \"mine\"\n"
               "kind = \"learning\"\n"
               "problems = \"t_maze\"\n");
  }
  [[nodiscard]] RunStore open(const std::string& folder) const {
    return {folder_ / folder, RunStore::Mode::kReadOnly};
  }
  static Report report_of(const RunStore& store) {
    return make_report(store, {.play = false, .known = experiments::known_experiments});
  }
};

TEST_F(OwnExperiment, GivesTheTableOfItsRuns) {
  write_table();
  const auto made = call({"reproduce", at("mine.toml"), "--out", at("out")});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_TRUE(contains(made.out, "Tiger and maze\nMean undiscounted return of 10 test episodes")) << made.out;
  EXPECT_TRUE(contains(made.out, "        t_maze\n  ------")) << made.out;
  const RunStore store = open("out");
  EXPECT_EQ(store.runs().size(), 6U);  // on either problem two trainings and the exact policy
  const Report report = report_of(store);
  ASSERT_EQ(report.tables.size(), 1U);
  const ResultTable& table = report.tables[0];
  EXPECT_EQ(table.title, "Tiger and maze");
  EXPECT_EQ(table.columns, (std::vector<std::string>{"tiger", "t_maze"}));
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[0].label, "td");
  EXPECT_EQ(table.rows[1].label, "exact");
  for (std::size_t row = 0; row < 2; ++row) {
    for (std::size_t column = 0; column < 2; ++column) {
      std::vector<double> returns(10);
      int runs = 0;
      for (const RunStore::Id id : store.runs()) {
        const RunSettings s = store.settings(id);
        if (s.family != table.families[column] || short_name(s.method) != short_name(table.rows[row].method))
          continue;
        ++runs;
        for (std::size_t i = 0; i < returns.size(); ++i) returns[i] += store.episodes(id)[i].undiscounted;
      }
      EXPECT_EQ(runs, row == 0 ? 2 : 1);
      for (double& one : returns) one /= runs;
      const std::optional<ResultCell>& cell = table.rows[row].cells[column];
      ASSERT_TRUE(cell);
      EXPECT_NEAR(cell->mean, mean(returns), 1e-12);
      EXPECT_TRUE(contains(made.out, fmt::format("{:.2f} +- {:.2f}", cell->mean, cell->standard_error)));
    }
  }
  EXPECT_TRUE(contains(made.out, "Paired differences, exact minus the method")) << made.out;
  // Learning curves have the labels of the file.
  ASSERT_EQ(report.curves.size(), 2U);
  EXPECT_EQ(report.curves[0].title, "tiger");
  EXPECT_EQ(report.curves[0].series[0].label, "td");
}

TEST_F(OwnExperiment, IsKnownToItsFolderWhereverOneStands) {
  write_table();
  ASSERT_EQ(call({"reproduce", at("mine.toml"), "--out", at("out")}).code, 0);
  const auto figures = call({"figures", at("out")});
  ASSERT_EQ(figures.code, 0) << figures.err;
  EXPECT_TRUE(contains(figures.out, "mine.svg")) << figures.out;
  // The folder keeps the file: the one outside is needed no more, but the problem file that it names is.
  fs::remove(at("mine.toml"));
  EXPECT_EQ(report_of(open("out")).tables[0].title, "Tiger and maze");
  fs::remove(at("tiger.toml"));
  const Report without = report_of(open("out"));
  ASSERT_EQ(without.tables.size(), 2U) << "comparisons, a problem each";
  EXPECT_NE(without.tables[0].title, "Tiger and maze");
}

TEST_F(OwnExperiment, GoesOnWhereItWas) {
  write_table();
  ASSERT_EQ(call({"reproduce", at("mine.toml"), "--out", at("out")}).code, 0);
  const std::string runs = read_file(at("out/runs.csv"));
  ASSERT_EQ(call({"reproduce", at("mine.toml"), "--out", at("out"), "--resume"}).code, 0);
  EXPECT_EQ(read_file(at("out/runs.csv")), runs);
  // More seeds are more runs; the page finds them from the runs alone.
  ASSERT_EQ(call({"reproduce", at("mine.toml"), "--out", at("out"), "--seeds", "3"}).code, 0);
  const RunStore store = open("out");
  EXPECT_EQ(store.runs().size(), 8U);
  EXPECT_EQ(report_of(store).curves[0].series[0].seeds, 3);
}

TEST_F(OwnExperiment, ThatIsWrongIsToldSoAndNothingIsWritten) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"kind = \"table\"\nproblems = [\"t_maze\"]\nmethods = [\"prc\"]\n", ":3:12: unknown method 'prc'"},
      {"kind = \"table\"\nproblems = [\"t_maze\"]\nmethods = [\"random\"]\nseeds = 0\n",
       ":4:9: the experiment: seeds = 0"},
      // Of the variant that is not asked for.
      {"kind = \"table\"\nproblems = [\"t_maze\"]\nmethods = [\"random\"]\n[quick]\nsedes = 1\n",
       "did you mean 'seeds'?"},
  };
  for (const auto& [text, message] : cases) {
    write_file(at("bad.toml"), text);
    const auto result = call({"reproduce", at("bad.toml"), "--out", at("never")});
    EXPECT_EQ(result.code, 2);
    EXPECT_TRUE(contains(result.err, at("bad.toml"))) << result.err;
    EXPECT_TRUE(contains(result.err, message)) << result.err;
    EXPECT_FALSE(fs::exists(at("never")));
  }
  EXPECT_EQ(call({"reproduce", at("none.toml"), "--out", at("never")}).code, 2);
  EXPECT_FALSE(fs::exists(at("never")));
}

TEST_F(OwnExperiment, CanBeOfEveryKind) {
  write_file(
      at("intervals.toml"),
      "kind = \"intervals\"\nproblem = \"t_maze\"\nmethod = \"tabular_td(epochs=3)\"\ntest_episodes = 4\n"
      "variants = [{ label = \"as it is\" }, { label = \"faster\", settings = \"rate=0.3\" }]\n");
  const auto intervals = call({"reproduce", at("intervals.toml"), "--out", at("i")});
  EXPECT_EQ(intervals.code, 0) << intervals.err;
  EXPECT_TRUE(contains(intervals.out, "variant of tabular_td(epochs=3)")) << intervals.out;
  const Report shown = report_of(open("i"));
  ASSERT_TRUE(shown.intervals);
  EXPECT_EQ(shown.intervals->rows.size(), 2U);
  EXPECT_EQ(shown.intervals->experiment, "intervals");

  write_file(
      at("sweep.toml"),
      "kind = \"sweep\"\nproblems = [\"t_maze\", \"t_maze(arm=2)\"]\nmethods = [\"tabular_td(epochs=3)\"]\n"
      "test_episodes = 2\ntest_seed = 2\n[curves]\nepochs = [1, 3]\n");
  const auto sweep = call({"reproduce", at("sweep.toml"), "--out", at("s")});
  EXPECT_EQ(sweep.code, 0) << sweep.err;
  EXPECT_TRUE(contains(sweep.out, "The exact solver: v* = 1.6085, without the source 1.5118")) << sweep.out;
  ASSERT_TRUE(report_of(open("s")).sweep);

  write_file(at("search.toml"),
             "kind = \"simulations\"\nsearches = [\"pcr_search\"]\nceiling = \"oracle\"\n"
             "problems = [{ problem = \"bandit(arms=2,horizon=3)\", test_episodes = 3, simulations = { "
             "pcr_search = [2] } }]\n");
  const auto search = call({"reproduce", at("search.toml"), "--out", at("p")});
  EXPECT_EQ(search.code, 0) << search.err;
  EXPECT_TRUE(contains(search.out, "Ceiling, with full information")) << search.out;
}

TEST_F(OwnExperiment, CanBeginAsACopyOfOneOfThese) {
  const auto shown = call({"reproduce", "t_maze", "--show"});
  ASSERT_EQ(shown.code, 0) << shown.err;
  EXPECT_EQ(shown.out, read_file(fs::path(ASSAY_SOURCE_DIR) / "experiments/t_maze.toml"));
  EXPECT_EQ(call({"reproduce", "t_mase", "--show"}).code, 2);
}

}  // namespace
}  // namespace assay
