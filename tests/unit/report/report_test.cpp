// Reports against the store that they are made from.
#include "report/report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "experiments/driver.hpp"
#include "lab/atomic_file.hpp"
#include "lab/database.hpp"
#include "lab/statistics.hpp"
#include "lab/text_table.hpp"
#include "report/page.hpp"
#include "support/cli.hpp"
#include "support/folder.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::call;

/// As the commands make it.
Report report_of(const RunStore& store, ReportOptions options = {}) {
  options.known = experiments::known_experiments;
  return make_report(store, options);
}

std::unique_ptr<Experiment> embedded(const std::string& name, const experiments::Effort& effort) {
  return experiments::make_experiment(experiments::embedded_text(name), name, effort);
}

const std::string kHostile = "</script><img src=x onerror=alert(1)>\"'&<!--";

class Reports : public test::TemporaryFolder {
 protected:
  /// Two methods on a small treasure map, one of them with three seeds.
  void make_store(const std::string& methods = "pcr(epochs=30),vi_greedy") {
    const auto made = call({"compare", "treasure_map(size=3)", "--methods", methods, "--seeds", "3",
                            "--episodes", "20", "--test-seed", "7", "--out", at("s")});
    ASSERT_EQ(made.code, 0) << made.err;
  }
  [[nodiscard]] RunStore open() const { return {folder_ / "s", RunStore::Mode::kReadOnly}; }
  [[nodiscard]] static json data_of(const Report& report) {
    return json::parse(report_json(report, {"1", "2", "3", false}));
  }
};

/// Threads decide which run is added first.
TEST_F(Reports, DoNotDependOnTheOrderInWhichRunsWereAdded) {
  const std::unique_ptr<Experiment> maze = embedded("t_maze", {true, 2});
  std::vector<RunSettings> settings;
  for (const assay::Run& run : maze->runs()) settings.push_back(run.settings());
  // Of four trainings that earned the same, one is played.
  const std::string family = make_problem("t_maze")->name();
  const std::string method = make_method("random")->name();
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) settings.push_back({family, method, seed, 1, 4});
  std::vector<std::string> pages;
  for (const char* const place : {"one", "other"}) {
    RunStore store(folder_ / place / "s", RunStore::Mode::kReadWrite);
    for (const RunSettings& s : settings) {
      const RunStore::Id id = store.add(s, {});
      if (s.method == method) store.finish(id, {}, std::vector{EpisodeRecord{0, 1, 1}}, "", 0, 0);
    }
    std::ranges::reverse(settings);
    pages.push_back(report_json(report_of(store), {"1", "2", "3", false}));
  }
  EXPECT_EQ(pages[0], pages[1]);
}

TEST_F(Reports, SayWhatTheStoreSays) {
  make_store();
  const RunStore store = open();
  const Report report = report_of(store);
  EXPECT_EQ(report.runs, 4);
  EXPECT_EQ(report.finished, 4);
  ASSERT_EQ(report.tables.size(), 1U);
  const ResultTable& table = report.tables[0];
  EXPECT_EQ(table.title, "treasure_map");
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[0].label, "pcr(epochs=30)");
  EXPECT_EQ(table.rows[1].label, "vi_greedy");
  for (const ResultRow& row : table.rows) {
    double sum = 0;
    int count = 0;
    for (const RunStore::Id id : store.runs()) {
      if (store.settings(id).method != row.method) continue;
      for (const EpisodeRecord& e : store.episodes(id)) sum += e.discounted;  // what methods maximise
      count += 20;
    }
    ASSERT_TRUE(row.cells[0]);
    EXPECT_NEAR(row.cells[0]->mean, sum / count, 1e-12);
    EXPECT_EQ(row.cells[0]->count, 20);
  }

  // 30 epochs, five to a point, of three trainings.
  ASSERT_EQ(report.curves.size(), 1U);
  ASSERT_EQ(report.curves[0].series.size(), 1U);
  const CurveSeries& curve = report.curves[0].series[0];
  ASSERT_EQ(curve.epoch.size(), 6U);
  EXPECT_EQ(curve.seeds, 3);
  EXPECT_EQ(curve.epoch[1], 10);
  std::vector<double> values;
  for (const RunStore::Id id : store.runs()) {
    const std::vector<EpochRecord> epochs = store.epochs(id);
    for (std::size_t e = 5; e < 10 && !epochs.empty(); ++e) values.push_back(epochs[e].mean_return);
  }
  ASSERT_EQ(values.size(), 15U);
  EXPECT_NEAR(curve.middle[1], mean(values), 1e-12);
  EXPECT_NEAR(curve.high[1], mean_interval(mean_estimate(values)).high, 1e-12);

  // Played again, the episodes earn what they earned.
  std::vector<std::pair<double, std::uint64_t>> earned;
  for (const RunStore::Id id : store.runs()) {
    if (store.epochs(id).empty()) continue;
    double sum = 0;
    for (const EpisodeRecord& e : store.episodes(id)) sum += e.undiscounted;
    earned.emplace_back(sum, store.settings(id).seed);
  }
  std::ranges::sort(earned);
  ASSERT_EQ(earned.size(), 3U);
  ASSERT_EQ(report.players.size(), 1U);
  EXPECT_EQ(report.players[0].episodes[0].traces[0].seed, earned[1].second) << "the middle training";
  const Player& player = report.players[0];
  EXPECT_EQ(player.rows, 3);
  EXPECT_EQ(player.landmarks, "....M....");
  ASSERT_EQ(player.episodes.size(), 3U);
  for (const PlayedEpisode& episode : player.episodes) {
    ASSERT_EQ(episode.traces.size(), 2U);
    for (const Trace& trace : episode.traces) {
      EXPECT_EQ(trace.label.find("played anew"), std::string::npos);
      const auto id = store.find({player.family, trace.method, trace.seed, 20, 7});
      ASSERT_TRUE(id);
      EXPECT_EQ(store.episodes(*id)[static_cast<std::size_t>(episode.episode)].undiscounted,
                trace.undiscounted);
    }
  }
}

TEST_F(Reports, OfHalfAStoreHaveHoles) {
  {
    RunStore store(folder_ / "s", RunStore::Mode::kReadWrite);
    const auto family = make_problem("treasure_map(size=3)")->name();
    const auto id = store.add({family, make_method("pcr(epochs=100)")->name(), 1, 20, 7}, {});
    const std::vector<EpochRecord> epochs = {{0, 1.5, 0.1}, {1, std::nan(""), std::nan("")}};
    store.save_progress(id, epochs, {2, "state"});
    store.add({family, make_method("vi_greedy")->name(), 0, 20, 7}, {});
  }
  const Report report = report_of(open());
  EXPECT_EQ(report.runs, 2);
  EXPECT_EQ(report.finished, 0);
  ASSERT_EQ(report.tables.size(), 1U);
  EXPECT_FALSE(report.tables[0].rows[0].cells[0]);
  ASSERT_EQ(report.curves.size(), 1U);
  EXPECT_EQ(report.curves[0].series[0].unfinished, 1);
  EXPECT_EQ(report.curves[0].series[0].middle[0], 1.5);
  EXPECT_TRUE(std::isnan(report.curves[0].series[0].middle[1]));
  EXPECT_TRUE(report.players.empty());
  const json data = data_of(report);
  EXPECT_TRUE(data["tables"][0]["rows"][0]["cells"][0].is_null());
  EXPECT_TRUE(data["curves"][0]["series"][0]["middle"][1].is_null());
  EXPECT_EQ(data["curves"][0]["series"][0]["loss_singles"].dump(), "[[0.1,null]]");
}

TEST_F(Reports, OfHalfAReproductionHaveHoles) {
  {
    RunStore store(folder_ / "s", RunStore::Mode::kReadWrite);
    const auto experiment = embedded("treasure_map", {});
    for (std::size_t i = 0; i < 3; ++i) store.add(experiment->runs()[i].settings(), {});
    const auto maze = embedded("t_maze", {});
    store.add(maze->runs()[1].settings(), {});
    const auto ablation = embedded("ablation", {});
    store.add(ablation->runs()[0].settings(), {});
  }
  const Report report = report_of(open());
  ASSERT_EQ(report.tables.size(), 2U);
  EXPECT_EQ(report.tables[0].rows.size(), 8U);
  for (const ResultRow& row : report.tables[0].rows) EXPECT_FALSE(row.cells[0]) << row.label;
  ASSERT_TRUE(report.sweep);
  EXPECT_FALSE(report.sweep->rows[0].cells[0]);
  // The reward of every step from 12 to 19: four steps to the cue, eight to the end of an arm.
  EXPECT_NEAR(report.sweep->rows[0].exact, std::pow(0.9, 12) * (1 - std::pow(0.9, 8)) / 0.1, 1e-9);
  ASSERT_TRUE(report.intervals);
  EXPECT_TRUE(report.intervals->rows.empty());
  EXPECT_TRUE(report.curves.empty());
}

TEST_F(Reports, OfAnEmptyStoreSayThatItIsEmpty) {
  { const RunStore store(folder_ / "s", RunStore::Mode::kReadWrite); }
  const auto made = call({"report", at("s"), "-o", at("r.html")});
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_NE(made.err.find("0 runs"), std::string::npos) << made.err;
  EXPECT_EQ(made.out, at("r.html") + "\n");
  EXPECT_NE(read_file(at("r.html")).find("\"runs\":0"), std::string::npos);
}

TEST_F(Reports, KeepHostileStringsText) {
  {
    RunStore store(folder_ / "s", RunStore::Mode::kReadWrite);
    const auto id = store.add({kHostile, "<b>x</b>\xff", 1, 2, ~0ULL}, {kHostile, "", "", "", ""});
    const std::vector<EpisodeRecord> episodes = {{0, 1, 1}, {1, 3, 3}};
    store.finish(id, {}, episodes, "", 0, 1);
  }
  const Report report = report_of(open());
  const std::string text = report_json(report, {"", "", kHostile, false});
  const json data = json::parse(text);
  EXPECT_EQ(data["tables"][0]["title"], kHostile);
  EXPECT_EQ(data["command"], kHostile);
  EXPECT_EQ(data["groups"][0]["test_seed"], "18446744073709551615");
  EXPECT_DOUBLE_EQ(data["tables"][0]["rows"][0]["cells"][0]["mean"].get<double>(), 2);
  const std::string page = report_page(text);
  const std::size_t begin = page.find("id=\"report-data\">");
  ASSERT_NE(begin, std::string::npos);
  const std::string inside = page.substr(begin + 17, page.find("</script>", begin) - begin - 17);
  EXPECT_EQ(inside.find('<'), std::string::npos);
  EXPECT_EQ(json::parse(inside), data);
}

TEST_F(Reports, SayWhyWhereItIsKnown) {
  Report report;
  Trace& trace = report.players.emplace_back().episodes.emplace_back().traces.emplace_back();
  trace.steps.resize(2);
  trace.steps[0].why = kHostile;
  const std::string text = report_json(report, {});
  const json steps = json::parse(text)["players"][0]["episodes"][0]["traces"][0]["steps"];
  EXPECT_EQ(steps[0].value("why", ""), kHostile);
  EXPECT_FALSE(steps[1].contains("why"));
  EXPECT_EQ(report_page(text).find(kHostile), std::string::npos);
}

TEST_F(Reports, AreTheSameBytesForAnyThreadsAndAgain) {
  make_store("pcr(epochs=2),oracle");
  for (const char* threads : {"1", "2"}) {
    ASSERT_EQ(call({"report", at("s"), "-o", at("r.html"), "--threads", threads}).code, 0);
    fs::rename(at("r.html"), at(std::string("r") + threads));
  }
  EXPECT_EQ(read_file(at("r1")), read_file(at("r2")));
}

TEST_F(Reports, NeedAStore) {
  for (const char* command : {"report", "figures", "serve"}) {
    const auto none = call({command, at("nothing")});
    EXPECT_EQ(none.code, 2) << none.err;
    EXPECT_NE(none.err.find("nothing"), std::string::npos) << none.err;
    EXPECT_FALSE(fs::exists(folder_ / "nothing"));
  }
  fs::create_directories(folder_ / "bad");
  std::ofstream(folder_ / "bad" / "assay.db") << "not a database at all";
  const auto bad = call({"report", at("bad"), "-o", at("r.html")});
  EXPECT_NE(bad.code, 0);
  EXPECT_FALSE(fs::exists(folder_ / "r.html"));
}

TEST_F(Reports, OfAnotherVersionAreRefusedWithItsNumber) {
  { const RunStore store(folder_ / "s", RunStore::Mode::kReadWrite); }
  Database(folder_ / "s" / "assay.db", run_database_kind(), Database::Mode::kReadWrite)
      .run("PRAGMA user_version = 99");
  const auto other = call({"report", at("s")});
  EXPECT_NE(other.code, 0);
  EXPECT_NE(other.err.find("99"), std::string::npos) << other.err;
  EXPECT_FALSE(fs::exists(folder_ / "s" / "report.html"));
}

TEST_F(Reports, FiguresNeedSomethingToShow) {
  { const RunStore store(folder_ / "s", RunStore::Mode::kReadWrite); }
  const auto none = call({"figures", at("s"), "--to", at("f")});
  EXPECT_EQ(none.code, 1);
  EXPECT_NE(none.err.find("no finished runs"), std::string::npos) << none.err;
}

TEST(TextTables, FitTheWidthInPieces) {
  TextTable table({"name", "first", "second", "third"});
  table.add({"a", "1.00", "2.00", "3.00"});
  table.add({"bb", "10.00"});
  EXPECT_EQ(table.text(),
            "  name  first  second  third\n  ----  -----  ------  -----\n  a      1.00    2.00   3.00\n"
            "  bb    10.00\n");
  EXPECT_EQ(table.text(28), table.text());
  EXPECT_NE(table.text(27), table.text());
  EXPECT_EQ(table.text(22),
            "  name  first  second\n  ----  -----  ------\n  a      1.00    2.00\n  bb    10.00\n\n"
            "  name  third\n  ----  -----\n  a      3.00\n  bb\n");
  EXPECT_NE(table.text(1).find("third"), std::string::npos);
}

}  // namespace
}  // namespace assay
