// The reader of experiment files: what it refuses, and with which words; and the files that are part of the
// tool.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "experiments/driver.hpp"
#include "experiments/embedded.hpp"
#include "lab/atomic_file.hpp"
#include "source_dir.hpp"
#include "support/complaint.hpp"

namespace assay::experiments {
namespace {

namespace fs = std::filesystem;
using test::complaint;
using test::contains;

const std::string kSmall =
    "kind = \"table\"\n"                                   // line 1
    "problems = [\"t_maze\"]\n"                            // 2
    "methods = [\"tabular_td(epochs=2)\", \"random\"]\n";  // 3, and what a test adds begins in line 4

/// What is said about a file with this text when its experiment is made.
std::string fault(const std::string& text, bool quick = false) {
  return complaint([&] { (void)make_experiment(text, "my.toml", {quick, 1}); });
}

TEST(EmbeddedExperiments, AreTheFilesOnDisk) {
  std::set<std::string> names;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(fs::path(ASSAY_SOURCE_DIR) / "experiments")) {
    if (entry.path().extension() == ".toml") names.insert(entry.path().stem().string());
  }
  EXPECT_GE(names.size(), 5U);
  ASSERT_EQ(embedded_files().size(), names.size());
  for (const EmbeddedFile& file : embedded_files()) {
    const std::string name(file.name);
    EXPECT_TRUE(names.contains(name)) << name;
    EXPECT_TRUE(read_file(fs::path(ASSAY_SOURCE_DIR) / "experiments" / (name + ".toml")) == file.text)
        << name;
  }
}

TEST(EmbeddedExperiments, AreAllReadInBothVariants) {
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.name == "index") continue;
    for (const bool quick : {false, true}) {
      const ExperimentFile read = read_experiment(file.text, "experiment", {quick, 1});
      EXPECT_EQ(read.common.name, file.name);
      EXPECT_TRUE(read.has_quick) << file.name;
      EXPECT_FALSE(make_experiment(file.text, "experiment", {quick, 1})->runs().empty());
    }
    EXPECT_EQ(embedded_text(std::string(file.name)), file.text);
  }
}

TEST(EmbeddedExperiments, AreFoundByTheirNamesAndInSets) {
  const auto names = [](const std::string& what) {
    std::vector<std::string> all;
    for (const auto& one : experiments_named(what, {true, 1})) all.push_back(one->name());
    return all;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names("all"), (Names{"t_maze", "treasure_map", "ablation"}));
  EXPECT_EQ(names("treasure_map"), (Names{"treasure_map", "ablation"}));
  EXPECT_EQ(names("t_maze"), Names{"t_maze"});
  EXPECT_EQ(names("ablation"), Names{"ablation"});
  EXPECT_EQ(names("planning"), Names{"planning"});
  EXPECT_TRUE(contains(complaint([] { (void)experiments_named("t_mase", {}); }), "did you mean 't_maze'"));
}

/// The numbers of its Table 1: whoever changes them should have to do it twice.
TEST(EmbeddedExperiments, HaveTheNumbersOfThePaper) {
  const ExperimentFile file = read_experiment(embedded_text("treasure_map"), "t", {});
  const auto& table = std::get<TableFile>(file.kind);
  EXPECT_EQ(table.paper_source, "Table 1");
  EXPECT_EQ(table.paper_environments, 200);
  std::vector<double> means;
  for (const MethodEntry& method : table.methods) {
    for (const PaperResult& one : method.paper) means.push_back(one.mean);
  }
  EXPECT_EQ(means, (std::vector<double>{10.78, 15.17, 15.33, 7.30, 10.46, 10.42, 8.28, 11.02, 9.55, 10.41,
                                        11.72, 10.41, 9.39, 9.91, 9.64}));
}

TEST(ExperimentFile, IsRefusedWithItsPlaceAndTheNearestName) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "my.toml:1:1: the experiment has no kind"},
      {"kind = \"tabel\"\n", "my.toml:1:8: unknown kind 'tabel'; did you mean 'table'?"},
      {"kind = 3\n", "my.toml:1:8: the experiment: a kind should be a text"},
      {"kind = \"table\"\nmethods = [\"random\"]\n", "the experiment has no problems; for example"},
      {"kind = \"table\"\nproblems = [\"t_maze\"]\n", "the experiment has no methods; for example"},
      {kSmall + "sedes = 3\n", "my.toml:4:1: the experiment: unknown key 'sedes'; did you mean 'seeds'?"},
      {kSmall + "seeds = \"three\"\n",
       "my.toml:4:9: the experiment: seeds is a text; it should be a whole number"},
      {kSmall + "seeds = 0\n", "my.toml:4:9: the experiment: seeds = 0 is out of range; it is from 1"},
      {kSmall + "test_episodes = 1\n", "my.toml:4:17: the experiment: test_episodes = 1 is out of range"},
      {kSmall + "fixed_seeds = 1\n", "fixed_seeds is a number; it should be true or false"},
      {kSmall + "statistic = \"mode\"\n", "my.toml:4:13: unknown statistic 'mode'"},
      {kSmall + "score = \"discount\"\n", "did you mean 'discounted'?"},
      {kSmall + "values = 3\n", "my.toml:4:10: the experiment: values should be a table"},
      {kSmall + "[values]\na = [1]\n", "my.toml:5:5: values: a should be a text or a number"},
      {kSmall + "about = \"{sedes}\"\n", "my.toml:4:9: unknown value 'sedes'; did you mean 'seeds'?"},
      {kSmall + "about = \"{seeds\"\n", "my.toml:4:9: a { without its }"},
      {kSmall + "training = \"epochs={n}\"\n", "my.toml:4:12: nothing says what {n} stands for"},
      {kSmall + "training = \"epoks=3\"\n", "my.toml:3:12: tabular_td: unknown parameter 'epoks'"},
      {kSmall + "a = = 3\n", "my.toml:4:5: "},
      {kSmall + "quick = 3\n", "my.toml:4:9: quick should be a table"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_TRUE(contains(fault(text), message)) << text << "\nsays " << fault(text);
  }
}

TEST(ExperimentFile, NamesProblemsAndMethodsThatThereAre) {
  const auto with = [](const std::string& problems, const std::string& methods) {
    return fault("kind = \"table\"\nproblems = " + problems + "\nmethods = " + methods + "\n");
  };
  const std::string maze = "[\"t_maze\"]";
  const std::string random = "[\"random\"]";
  EXPECT_EQ(with(maze, random), "");
  EXPECT_TRUE(contains(with("[\"t_mase\"]", random), "my.toml:2:13: ")) << with("[\"t_mase\"]", random);
  EXPECT_TRUE(contains(with("[\"t_mase\"]", random), "did you mean 't_maze'?"));
  EXPECT_TRUE(contains(with("[{ problem = \"t_maze(arms=2)\" }]", random),
                       "my.toml:2:25: t_maze: unknown parameter"));
  EXPECT_TRUE(contains(with(maze, "[\"random\", \"prc\"]"),
                       "my.toml:3:22: unknown method 'prc'; did you mean 'pcr'?"));
  EXPECT_TRUE(
      contains(with(maze, "[\"via(state={map})\"]"), "my.toml:3:12: nothing says what {map} stands for"));
  EXPECT_TRUE(
      contains(with("[\"bandit\"]", "[\"search\"]"), "my.toml:3:12: search cannot be used on bandit("))
      << with("[\"bandit\"]", "[\"search\"]");
  EXPECT_TRUE(contains(with("[]", random), "my.toml:2:12: the experiment: problems is empty"));
  EXPECT_TRUE(contains(with(maze, "[]"), "my.toml:3:11: the experiment: methods is empty"));
  EXPECT_TRUE(contains(with("\"t_maze\"", random), "problems is no array"));
  EXPECT_TRUE(contains(with(maze, "[3]"), "my.toml:3:12: the experiment: a method should be a text"));
  EXPECT_TRUE(contains(with(maze, "[\"random\", \"random\"]"), "two methods have the label 'random'"));
  EXPECT_TRUE(contains(with("[\"nowhere.toml\"]", random), "my.toml:2:13: there is no file nowhere.toml"));
}

TEST(ExperimentFile, HasNumbersOfAPaperForEachProblem) {
  const auto with = [](const std::string& numbers, const std::string& more) {
    return fault("kind = \"table\"\nproblems = [\"t_maze\"]\nmethods = [{ method = \"random\", paper = " +
                 numbers + " }]\n" + more);
  };
  const std::string stands = "[paper]\nsource = \"Table 1\"\nenvironments = 200\n";
  EXPECT_EQ(with("[[1, 0.5]]", stands), "");
  EXPECT_TRUE(contains(with("[[1, 0.5]]", ""), "no [paper] that says where they stand"));
  EXPECT_TRUE(contains(with("[[1, 0.5], [2, 1]]", stands), "2 numbers of the paper for 'random'"));
  EXPECT_TRUE(contains(with("[[1]]", stands), "my.toml:3:42: a method: paper should hold pairs"));
  EXPECT_TRUE(contains(with("[[1, 0.5]]", "[paper]\nsource = \"Table 1\"\n"), "[paper] has no environments"));
}

TEST(ExperimentFile, OfOtherKindsIsRefusedAsWell) {
  const std::string intervals = "kind = \"intervals\"\nproblem = \"t_maze\"\n";
  const std::string td = "method = \"tabular_td(epochs=2)\"\n";
  EXPECT_EQ(fault(intervals + td + "variants = [{ label = \"a\" }]\n"), "");
  EXPECT_TRUE(contains(fault(intervals + td), "the experiment has no variants"));
  EXPECT_TRUE(contains(fault(intervals + td + "variants = [{ label = \"a\", settings = \"rat=1\" }]\n"),
                       "my.toml:4:39: tabular_td: unknown parameter 'rat'; did you mean 'rate'?"));
  EXPECT_TRUE(
      contains(fault(intervals + "method = \"random\"\nvariants = [{ label = \"a\" }]\n"), "does not learn"));
  EXPECT_TRUE(
      contains(fault(intervals + td + "seeds = 1\nvariants = [{ label = \"a\" }]\n"), "it is from 2"));

  const std::string sweep =
      "kind = \"sweep\"\ntest_episodes = 2\nproblems = [\"t_maze\"]\nmethods = [\"random\"]\n";
  const std::string map =
      "[map]\nepochs = [1]\nmethods = [{ name = \"a\", method = \"tabular_td(epochs={n})\" }]\n";
  EXPECT_EQ(fault(sweep), "");
  EXPECT_EQ(
      fault(sweep + map + "problems = [{ problem = \"t_maze\", outcome = { a = 3 }, with = { n = 2 } }]\n"),
      "");
  EXPECT_TRUE(contains(fault(sweep + map + "problems = [{ problem = \"t_maze\", outcome = { a = 3 } }]\n"),
                       "my.toml:7:35: nothing says what {n} stands for"));
  EXPECT_TRUE(contains(fault(sweep + map + "problems = [{ problem = \"t_maze\", outcome = { b = 3 } }]\n"),
                       "[outcome]: unknown key 'b'; did you mean 'a'?"));
  EXPECT_TRUE(contains(fault(sweep + "[curves]\nepochs = [0]\n"), "whole numbers from 1"));

  const std::string search = "kind = \"simulations\"\nsearches = [\"pcr_search\"]\n";
  EXPECT_TRUE(
      contains(fault(search + "problems = [{ problem = \"t_maze\", simulations = { bamcp = [3] } }]\n"),
               "[simulations]: unknown key 'bamcp'"));
  EXPECT_TRUE(contains(fault(search + "problems = [{ problem = \"t_maze\" }]\n"), "there is nothing to run"));
}

TEST(ExperimentFile, PlansFiguresThatThereAre) {
  const auto with = [](const std::string& figure) { return fault(kSmall + "[[figures]]\n" + figure); };
  EXPECT_EQ(with("name = \"mine\"\nkind = \"learning\"\nproblems = \"t_maze\"\n"), "");
  EXPECT_TRUE(contains(with("name = \"../mine\"\nkind = \"learning\"\nproblems = \"t\"\n"),
                       "my.toml:5:8: '../mine' is no name for a file"));
  EXPECT_TRUE(contains(with("name = \"mine\"\nkind = \"lerning\"\n"), "did you mean 'learning'?"));
  EXPECT_TRUE(contains(with("name = \"mine\"\nkind = \"learning\"\n"), "[[figures]] has no problems"));
  EXPECT_TRUE(contains(with("name = \"mine\"\nkind = \"learning\"\nproblems = \"t\"\n"
                            "methods = [{ label = \"td\", colour = \"bleu\" }]\n"),
                       "unknown colour 'bleu'; did you mean 'blue'?"));
  EXPECT_TRUE(
      contains(with("name = \"a\"\nkind = \"intervals\"\n[[figures]]\nname = \"a\"\nkind = \"intervals\"\n"),
               "two figures are called 'a'"));
}

TEST(ExperimentFile, QuickReplacesTablesKeyByKeyAndTheRestAsAWhole) {
  const std::string text =
      kSmall +
      "seeds = 4\n[values]\na = 1\nb = \"x\"\n"
      "[quick]\nproblems = [\"bandit\"]\nmethods = [\"random\"]\n[quick.values]\nb = \"y\"\n";
  const ExperimentFile full = read_experiment(text, "my.toml", {false, 1});
  const ExperimentFile quick = read_experiment(text, "my.toml", {true, 1});
  EXPECT_TRUE(full.has_quick);
  EXPECT_EQ(full.common.values, (Values{{"a", "1"}, {"b", "x"}}));
  EXPECT_EQ(quick.common.values, (Values{{"a", "1"}, {"b", "y"}}));
  EXPECT_EQ(quick.common.seeds, 4);
  EXPECT_EQ(std::get<TableFile>(quick.kind).tables.front().problems.front().label, "bandit");
  // What is wrong under [quick] has its own place.
  EXPECT_TRUE(
      contains(fault(kSmall + "[quick]\nseeds = 0\n", true), "my.toml:5:9: the experiment: seeds = 0"));
  EXPECT_EQ(fault(kSmall + "[quick]\nseeds = 0\n"), "");
  EXPECT_TRUE(contains(fault(kSmall, true), "my.toml says nothing under [quick]"));
}

TEST(ExperimentFile, HasAsManySeedsAsItSaysOrAsAreAskedFor) {
  const auto runs = [](const std::string& more, int asked) {
    return make_experiment(kSmall + more, "my.toml", {false, asked})->runs().size();
  };
  // `random` does not learn: it is run once.
  EXPECT_EQ(runs("", 1), 2U);
  EXPECT_EQ(runs("seeds = 3\n", 1), 4U);
  EXPECT_EQ(runs("seeds = 3\n", 5), 6U);
  EXPECT_EQ(runs("seeds = 3\nfixed_seeds = true\n", 5), 4U);
  const auto experiment = make_experiment(kSmall + "seeds = 2\ntest_seed = 9\n", "my.toml", {});
  ASSERT_EQ(experiment->runs().size(), 3U);
  EXPECT_EQ(experiment->runs()[0].seed, 1U);
  EXPECT_EQ(experiment->runs()[1].seed, 2U);
  EXPECT_EQ(experiment->runs()[2].seed, 0U);
  for (const assay::Run& run : experiment->runs()) EXPECT_EQ(run.test_seed, 9U);
}

TEST(ExperimentFile, FillsInValues) {
  EXPECT_EQ(filled("a {x}{y} b", {{"x", "1"}, {"y", "{x}"}}), "a 1{x} b");
  EXPECT_EQ(filled("", {}), "");
  EXPECT_TRUE(contains(complaint([] { (void)filled("{x", {{"x", "1"}}); }), "without its }"));
  EXPECT_TRUE(contains(complaint([] { (void)filled("{z}", {{"x", "1"}}); }), "unknown value 'z'"));
}

}  // namespace
}  // namespace assay::experiments
