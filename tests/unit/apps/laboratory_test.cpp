// run, compare, evaluate, export, reproduce and play with a saved policy, through the command line.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "lab/atomic_file.hpp"
#include "lab/run_store.hpp"
#include "support/cli.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;
using test::call;

class LabCli : public ::testing::Test {
 protected:
  LabCli() : folder_(fs::temp_directory_path() / ("assay-lab-" + std::to_string(::getpid()) + "-" + name())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~LabCli() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string at(const std::string& file) const { return (folder_ / file).string(); }
  /// The one policy that a run has left.
  [[nodiscard]] std::string policy(const std::string& out) const {
    for (const auto& entry : fs::directory_iterator(folder_ / out / "policies")) return entry.path().string();
    return "";
  }
  static std::string name() { return ::testing::UnitTest::GetInstance()->current_test_info()->name(); }

  fs::path folder_;
};

const std::string kTiny = "treasure_map(size=3,horizon=5)";

TEST_F(LabCli, RunTrainsTestsAndKeepsThePolicy) {
  const auto result = call({"run", kTiny, "--method", "pcr(epochs=3)", "--episodes", "30", "--out", at("a")});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("30 test episodes"), std::string::npos) << result.out;
  for (const char* file : {"report.txt", "runs.csv", "epochs.csv", "episodes.csv", "runs.json", "assay.db"}) {
    EXPECT_TRUE(fs::exists(folder_ / "a" / file)) << file;
  }
  const RunStore store(at("a"), RunStore::Mode::kReadOnly);
  ASSERT_EQ(store.runs().size(), 1U);
  const RunStore::Id id = store.runs().front();
  EXPECT_EQ(store.epochs(id).size(), 3U);
  EXPECT_EQ(store.episodes(id).size(), 30U);
  EXPECT_FALSE(store.context(id).signature.empty());
  EXPECT_FALSE(store.context(id).machine.empty());
}

TEST_F(LabCli, EvaluateGivesBackWhatTheRunMeasured) {
  ASSERT_EQ(call({"run", kTiny, "--method", "pcr(epochs=3)", "--episodes", "40", "--test-seed", "6", "--out",
                  at("a")})
                .code,
            0);
  const auto result = call({"evaluate", policy("a"), "--episodes", "40", "--seed", "6", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto object = nlohmann::json::parse(result.out);
  const RunStore store(at("a"), RunStore::Mode::kReadOnly);
  double sum = 0;
  for (const EpisodeRecord& e : store.episodes(store.runs().front())) sum += e.undiscounted;
  EXPECT_NEAR(object["return"].get<double>(), sum / 40, 1e-12);
}

TEST_F(LabCli, PlayTakesASavedPolicy) {
  ASSERT_EQ(call({"run", kTiny, "--method", "pcr(epochs=2)", "--episodes", "2", "--out", at("a")}).code, 0);
  const auto good = call({"play", kTiny, "--policy", policy("a"), "--seed", "3"});
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_NE(good.out.find("return"), std::string::npos);
  const auto other = call({"play", "treasure_map(size=5)", "--policy", policy("a")});
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.err.find("was trained on treasure_map(size=3"), std::string::npos) << other.err;
}

TEST_F(LabCli, ARepeatedCommandSkipsWhatIsDoneAndPrintsTheSame) {
  const std::vector<std::string> command = {"compare", kTiny,  "--methods",  "pcr(epochs=2),vi_greedy,random",
                                            "--seeds", "2",    "--episodes", "20",
                                            "--out",   at("c")};
  const auto first = call(command);
  ASSERT_EQ(first.code, 0) << first.err;
  const std::string csv = read_file(at("c/episodes.csv"));
  const auto second = call(command);
  EXPECT_EQ(second.code, 0) << second.err;
  EXPECT_EQ(first.out, second.out);
  EXPECT_EQ(csv, read_file(at("c/episodes.csv")));
  const RunStore store(at("c"), RunStore::Mode::kReadOnly);
  EXPECT_EQ(store.runs().size(), 4U) << "two seeds of pcr, one of each that does not learn";
}

TEST_F(LabCli, ThreadsNeverChangeAResult) {
  std::string due;
  for (const char* threads : {"1", "2", "8"}) {
    const auto result =
        call({"compare", "t_maze", "--methods", "tabular_pcr(epochs=20),tabular_td(epochs=20),pcr(epochs=2)",
              "--seeds", "3", "--episodes", "20", "--threads", threads, "--out", at(threads)});
    ASSERT_EQ(result.code, 0) << result.err;
    const std::string page = at(threads + std::string("/report.html")) + "\n";
    ASSERT_TRUE(result.out.ends_with("\n\n" + page)) << result.out;
    const std::string found = read_file(at(threads + std::string("/epochs.csv"))) +
                              read_file(at(threads + std::string("/episodes.csv"))) +
                              result.out.substr(0, result.out.size() - page.size());
    if (due.empty()) due = found;
    EXPECT_EQ(found, due);
  }
}

TEST_F(LabCli, InterruptedRunsNeedToBeResumed) {
  {
    RunStore store(at("a"), RunStore::Mode::kReadWrite);
    const auto settings = RunSettings{
        "treasure_map(size=3,looks=5,horizon=5,discount=0.96,prior_a=0.1,prior_b=1,order=collect_then_move)",
        "random", 1, 20, 1};
    store.add(settings, {});
  }
  const std::vector<std::string> command = {"run",        kTiny, "--method", "random",
                                            "--episodes", "20",  "--out",    at("a")};
  const auto refused = call(command);
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("--resume"), std::string::npos) << refused.err;
  std::vector<std::string> resumed = command;
  resumed.emplace_back("--resume");
  EXPECT_EQ(call(resumed).code, 0);
}

TEST_F(LabCli, ExportWritesTheSameTablesElsewhere) {
  ASSERT_EQ(call({"run", kTiny, "--method", "random", "--episodes", "5", "--out", at("a")}).code, 0);
  EXPECT_EQ(call({"export", at("a"), "--to", at("b")}).code, 0);
  EXPECT_EQ(read_file(at("a/episodes.csv")), read_file(at("b/episodes.csv")));
  const auto nothing = call({"export", at("nowhere")});
  EXPECT_EQ(nothing.code, 2);
  EXPECT_FALSE(fs::exists(folder_ / "nowhere"));
}

TEST_F(LabCli, BadInputIsAClearErrorAndLeavesNothing) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"run", kTiny, "--method", "prc"}, "did you mean 'pcr'"},
      {{"run", kTiny, "--method", "pcr(epochs=0)"}, "epochs"},
      {{"run", kTiny, "--method", "search"}, "finitely many"},
      {{"run", kTiny, "--method", "via(state=9)"}, "there is no state 9"},
      {{"run", "treasure_mop", "--method", "pcr"}, "did you mean 'treasure_map'"},
      {{"run", kTiny, "--method", "random,oracle"}, "random,oracle"},
      {{"compare", kTiny, "--methods", "pcr,,td"}, "empty name"},
      {{"compare", kTiny, "--methods", "pcr(epochs=2"}, "column"},
      {{"reproduce", "t_mase"}, "did you mean 't_maze'"},
      {{"run", kTiny, "--method", "random", "--episodes", "1"}, "2 to"},
  };
  for (auto [arguments, message] : cases) {
    arguments.insert(arguments.end(), {"--out", at("never")});
    const auto result = call(arguments);
    EXPECT_EQ(result.code, 2) << arguments[1];
    EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
    EXPECT_FALSE(fs::exists(folder_ / "never")) << arguments[1];
  }
  EXPECT_EQ(call({"evaluate", at("no.policy")}).code, 2);
  write_file(at("bad.policy"), "this is no policy");
  const auto bad = call({"evaluate", at("bad.policy")});
  EXPECT_EQ(bad.code, 2);
  EXPECT_NE(bad.err.find("bad.policy"), std::string::npos) << bad.err;
}

TEST_F(LabCli, DamagedStoresAreReportedAndLeftAlone) {
  ASSERT_EQ(call({"run", kTiny, "--method", "random", "--episodes", "5", "--out", at("a")}).code, 0);
  const std::string whole = read_file(at("a/assay.db"));
  write_file(at("a/assay.db"), whole.substr(0, whole.size() / 2));
  const auto result = call({"run", kTiny, "--method", "random", "--episodes", "6", "--out", at("a")});
  EXPECT_NE(result.code, 0);
  EXPECT_NE(result.err.find("assay.db"), std::string::npos) << result.err;
  EXPECT_EQ(read_file(at("a/assay.db")).size(), whole.size() / 2);
}

TEST_F(LabCli, VerifyFindsWhatIsDamaged) {
  ASSERT_EQ(call({"run", kTiny, "--method", "pcr(epochs=2)", "--episodes", "5", "--out", at("a")}).code, 0);
  const auto sound = call({"verify", at("a")});
  EXPECT_EQ(sound.code, 0) << sound.err;
  EXPECT_NE(sound.out.find("1 runs (0 unfinished) and 1 policy files are as they were written"),
            std::string::npos)
      << sound.out;
  for (const auto& entry : fs::directory_iterator(at("a/policies"))) {
    std::string bytes = read_file(entry.path());
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    write_file(entry.path(), bytes);
  }
  const auto damaged = call({"verify", at("a"), "--json"});
  EXPECT_EQ(damaged.code, 1) << damaged.err;
  const auto said = nlohmann::json::parse(damaged.out);
  EXPECT_EQ(said["sound"], false);
  EXPECT_EQ(said["runs"], 1);
  ASSERT_EQ(said["faults"].size(), 1U);
  EXPECT_NE(said["faults"][0].get<std::string>().find("checksum"), std::string::npos) << said;
  // The database, too: half of it.
  const std::string whole = read_file(at("a/assay.db"));
  write_file(at("a/assay.db"), whole.substr(0, whole.size() / 2));
  const auto half = call({"verify", at("a")});
  EXPECT_EQ(half.code, 1);
  EXPECT_NE(half.out.find("assay.db is damaged"), std::string::npos) << half.out;
  EXPECT_NE(half.err.find("2 places"), std::string::npos) << half.err;
  EXPECT_EQ(call({"verify", at("nowhere")}).code, 2);
}

// Once they ended the process: std::filesystem throws its own errors.
TEST_F(LabCli, NamesThatTheSystemRefusesAreClearErrors) {
  fs::create_symlink(at("loop"), at("loop"));
  const std::string long_name(256, 'x');
  // A canonical name, as assay prints it.
  std::string spec = "pcr(epochs=1";
  while (spec.size() < 307) spec += ",unknown_setting=1";
  spec += ")";
  const std::vector<std::vector<std::string>> commands = {
      {"play", kTiny, "--policy", long_name},
      {"play", kTiny, "--policy", spec},
      {"play", kTiny, "--policy", at("loop")},
      {"solve", kTiny, "--policy", at(long_name)},
      {"solve", kTiny, "--policy", at("loop/x")},
      {"export", at("loop")},
      {"report", at(long_name)},
      {"verify", at("loop")},
      {"check", at("loop")},
      {"check", at(long_name) + ".toml"},
      {"figures", at("loop")},
      {"evaluate", at("loop")},
      {"run", kTiny, "--method", "random", "--out", at("loop")},
      {"run", kTiny, "--method", "random", "--out", at(long_name)},
  };
  for (const std::vector<std::string>& command : commands) {
    const auto result = call(command);
    EXPECT_EQ(result.code, 2) << command[0] << ": " << result.err;
    EXPECT_EQ(result.err.find("assay does not know"), std::string::npos) << result.err;
  }
}

TEST_F(LabCli, AFolderInUseIsRefused) {
  const RunStore holder(at("a"), RunStore::Mode::kReadWrite);
  const auto result = call({"run", kTiny, "--method", "random", "--episodes", "5", "--out", at("a")});
  EXPECT_EQ(result.code, 2) << result.err;
}

TEST_F(LabCli, CompareShowsTimesInATerminalAndAsideOnly) {
  const std::vector<std::string> command = {"compare",    kTiny, "--methods", "random,bamcp(simulations=5)",
                                            "--episodes", "4",   "--out",     at("c")};
  const auto plain = call(command);
  ASSERT_EQ(plain.code, 0) << plain.err;
  EXPECT_EQ(plain.out.find("ms per decision"), std::string::npos) << plain.out;
  EXPECT_EQ(read_file(at("c/report.txt")).find("ms per decision"), std::string::npos);
  EXPECT_NE(read_file(at("c/times.txt")).find("ms per decision"), std::string::npos);
  EXPECT_NE(plain.err.find("times.txt"), std::string::npos) << plain.err;
  std::ostringstream out;
  std::ostringstream err;
  ASSERT_EQ(cli::run_cli(command, {out, err, false, false, false, 400}), 0) << err.str();
  EXPECT_NE(out.str().find("ms per decision"), std::string::npos) << out.str();
}

TEST_F(LabCli, WhatMisleadsAMethodIsSaid) {
  const auto ran = call({"run", "t_maze", "--method", "pcr(preset=paper,epochs=1,samples=2,bound_samples=1)",
                         "--episodes", "2", "--out", at("a")});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("warning: pcr(preset=paper"), std::string::npos) << ran.out;
  const auto played =
      call({"play", "t_maze", "--policy", "pcr(preset=paper,epochs=1,samples=2,bound_samples=1)"});
  EXPECT_EQ(played.code, 0) << played.err;
  EXPECT_NE(played.err.find("lambda=approximate"), std::string::npos) << played.err;
  const auto right = call({"run", kTiny, "--method", "pcr(preset=paper,epochs=1,samples=2,bound_samples=1)",
                           "--episodes", "2", "--out", at("b")});
  EXPECT_EQ(right.out.find("warning"), std::string::npos) << right.out;
}

TEST_F(LabCli, AllIsWithoutPlanningAndTheUnknownIsToldSo) {
  const auto unknown = call({"reproduce", "planing", "--out", at("a")});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("did you mean 'planning'"), std::string::npos) << unknown.err;
  EXPECT_NE(unknown.err.find("'all' is without planning"), std::string::npos) << unknown.err;
  EXPECT_FALSE(fs::exists(at("a")));
}

}  // namespace
}  // namespace assay
