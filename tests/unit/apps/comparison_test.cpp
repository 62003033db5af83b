// `assay compare`: what is compared, and what happens to methods that cannot be.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "assay/core/detail/memory.hpp"
#include "assay/problem/registry.hpp"
#include "lab/atomic_file.hpp"
#include "lab/run_store.hpp"
#include "lab/statistics.hpp"
#include "source_dir.hpp"
#include "support/cli.hpp"
#include "support/folder.hpp"

namespace assay {
namespace {

using test::call;
using Comparisons = test::TemporaryFolder;

const std::string kTiny = "treasure_map(size=3,horizon=5)";

std::vector<std::string> compare(const std::string& methods, const std::string& out,
                                 const std::string& family = kTiny) {
  return {"compare", family, "--methods", methods, "--episodes", "30", "--out", out};
}

/// By method.
std::vector<double> discounted(const RunStore& store, const std::string& method) {
  std::vector<double> returns;
  for (const RunStore::Id id : store.runs()) {
    if (!store.settings(id).method.starts_with(method)) continue;
    for (const EpisodeRecord& e : store.episodes(id)) returns.push_back(e.discounted);
  }
  return returns;
}

TEST_F(Comparisons, PairWhatTheMethodsMaximise) {
  const auto result = call(compare("vi_greedy,random", at("a")));
  ASSERT_EQ(result.code, 0) << result.err;
  const RunStore store(at("a"), RunStore::Mode::kReadOnly);
  const std::vector<double> greedy = discounted(store, "vi_greedy");
  const std::vector<double> random = discounted(store, "random");
  ASSERT_EQ(random.size(), 30U);
  double difference = 0;
  for (std::size_t i = 0; i < 30; ++i) difference += (random[i] - greedy[i]) / 30;
  EXPECT_NE(result.out.find(fmt::format("{:+.3f} [", difference)), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("(discount 0.96)"), std::string::npos) << result.out;
  const std::string both = fmt::format("{:.3f} +- ", mean(random));
  EXPECT_NE(result.out.find(both), std::string::npos) << result.out;
  EXPECT_NE(read_file(at("a/report.html")).find("discounted return"), std::string::npos);
}

TEST_F(Comparisons, ShowOneReturnWhereNothingIsDiscounted) {
  const auto result = call(compare("vi_greedy,random", at("a"), "treasure_map(size=3,horizon=5,discount=1)"));
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out.find("discounted"), std::string::npos) << result.out;
}

TEST_F(Comparisons, GoOnWithoutAMethodThatFails) {
  // The first one hits its limit while the policy is made, the last one objects to the problem.
  const auto result = call(compare("exact(max_states=10),random,vi_greedy,search", at("a")));
  EXPECT_EQ(result.code, 1);
  for (const char* row : {"\n  random ", "\n  vi_greedy ", "Not in the table:", "\n  exact(max_states=10): ",
                          "\n  search: cannot be used on treasure_map(size=3"}) {
    EXPECT_NE(result.out.find(row), std::string::npos) << row << "\n" << result.out;
  }
  EXPECT_NE(result.err.find("2 of the methods could not be compared: "), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("finitely many"), std::string::npos) << result.err;
  EXPECT_NE(read_file(at("a/report.txt")).find("Not in the table:"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(at("a/report.html")));
  const RunStore store(at("a"), RunStore::Mode::kReadOnly);
  EXPECT_EQ(store.runs().size(), 2U);
  EXPECT_EQ(store.unfinished(), 0) << "what could not be begun must not ask for --resume";
}

TEST_F(Comparisons, OfNothingAreAnError) {
  const auto limit = call({"run", kTiny, "--method", "exact(max_states=10)", "--out", at("a")});
  EXPECT_EQ(limit.code, 1);
  EXPECT_NE(limit.err.find("exact(max_states=10): "), std::string::npos) << limit.err;
  EXPECT_FALSE(std::filesystem::exists(at("a/report.txt")));
  const auto objection = call(compare("vi_greedy,via", at("b"), "bbrl_chain(horizon=3)"));
  EXPECT_EQ(objection.code, 2);
  EXPECT_NE(objection.err.find("vi_greedy cannot be used"), std::string::npos) << objection.err;
  EXPECT_NE(objection.err.find("via cannot be used"), std::string::npos) << objection.err;
  EXPECT_FALSE(std::filesystem::exists(at("b")));
}

TEST(MemoryForecast, RefusesBeforeAnythingIsTaken) {
  EXPECT_NO_THROW(need_memory(1e6, "a little", "nothing"));
  const std::size_t before = resident_memory();
  // 10201 places in 2.5 million steps: 1.5e11 numbers.
  const std::unique_ptr<Problem> large = make_problem("treasure_map(size=101)");
  try {
    (void)make_method("td(batch=100000)")->learner(*large, Rng(1), 1);
    FAIL() << "nobody has that much memory";
  } catch (const LimitError& error) {
    const std::string why = error.what();
    for (const char* part :
         {"td(", "parameters would take ", " GB of memory, but ", " GB can be used; ", "use a smaller one"}) {
      EXPECT_NE(why.find(part), std::string::npos) << why;
    }
  }
  EXPECT_LT(resident_memory(), before + 500'000'000);
}

TEST(MemoryForecast, LetsTheRepeatedGoalSearchPass) {
  // Every place was shown every feature once: 7 GB.
  const std::unique_ptr<Problem> problem =
      make_problem(ASSAY_SOURCE_DIR "/examples/problems/goal_search_episodes.toml");
  const std::size_t before = resident_memory();
  const std::unique_ptr<Learner> learner = make_method("td(epochs=1,batch=1)")->learner(*problem, Rng(1), 1);
  learner->advance();
  EXPECT_LT(resident_memory(), before + 700'000'000);
}

}  // namespace
}  // namespace assay
