// When long work ends early: deadlines, requests and memory limits, and what counts as done by then.
#include "assay/core/detail/stop.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <cstring>
#include <vector>

#include "assay/core/detail/memory.hpp"
#include "assay/core/detail/workers.hpp"
#include "assay/problem/registry.hpp"
#include "assay/solver/detail/information.hpp"
#include "assay/solver/detail/mdp.hpp"
#include "assay/solver/exact_solution.hpp"
#include "support/random_mdp.hpp"

namespace assay {
namespace {

/// Says stop when it is asked for the n-th time.
class AfterQuestions {
 public:
  explicit AfterQuestions(int questions) : left_(std::make_shared<std::atomic<int>>(questions)) {}
  [[nodiscard]] Stop stop() const {
    return Stop({.asked = [left = left_] { return left->fetch_sub(1) <= 1; }});
  }

 private:
  std::shared_ptr<std::atomic<int>> left_;
};

TEST(Stops, HaveAReason) {
  EXPECT_EQ(Stop().reason(), StopReason::kNone);
  EXPECT_EQ(Stop().seconds_left(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(Stop().within(0).reason(), StopReason::kTime);
  EXPECT_EQ(Stop().within(-5).seconds_left(), 0);
  const Stop later = Stop().within(1000);
  EXPECT_FALSE(later.now());
  EXPECT_LE(later.seconds_left(), 1000);
  EXPECT_EQ(later.within(2000).within(1e300).seconds_left() > 1000, false) << "no part outlives the whole";
  EXPECT_EQ(Stop({.asked = [] { return true; }}).within(1000).reason(), StopReason::kAsked);
  EXPECT_THROW(Stop().within(0).check(), Stopped);
  EXPECT_NO_THROW(later.check());
}

TEST(Stops, MeasureMemory) {
  constexpr std::size_t kBytes = std::size_t{64} << 20U;
  const std::size_t before = resident_memory();
  ASSERT_GT(before, std::size_t{1} << 20U);
  const Stop roomy({.bytes = before + 16 * kBytes});
  const Stop tight({.bytes = before + kBytes / 2});
  EXPECT_FALSE(tight.now());
  EXPECT_NEAR(static_cast<double>(tight.bytes_left()), static_cast<double>(kBytes) / 2, kBytes / 4.0);
  void* block = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(block, MAP_FAILED);
  std::memset(block, 1, kBytes);
  EXPECT_EQ(Stop({.bytes = before + kBytes / 2}).reason(), StopReason::kMemory);
  EXPECT_EQ(tight.bytes_left(), 0U);
  EXPECT_FALSE(roomy.now());
  munmap(block, kBytes);
  EXPECT_GT(usable_memory(), std::size_t{16} << 20U);
}

/// However many threads there are, what counts as done is a beginning, and all of it is done.
TEST(Stops, ThreadsLeaveABeginning) {
  for (const int threads : {1, 2, 4}) {
    for (const int questions : {1, 2, 7, 50, 300}) {
      constexpr std::size_t kCount = 200;
      std::vector<int> done(kCount);
      Workers workers(threads, AfterQuestions(questions).stop());
      const std::size_t count = workers.for_as_many(kCount, [&](std::size_t i) { ++done[i]; });
      ASSERT_LE(count, kCount);
      EXPECT_LT(count, static_cast<std::size_t>(questions)) << "each piece asks first";
      for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(done[i], 1);
      if (threads == 1) {
        EXPECT_EQ(count, std::min<std::size_t>(kCount, static_cast<std::size_t>(questions) - 1));
      }
    }
    EXPECT_EQ(Workers(threads).for_as_many(200, [](std::size_t) {}), 200U);
  }
}

TEST(Stops, ThreadsGiveUpTheirWork) {
  for (const int threads : {1, 2}) {
    Workers workers(threads, AfterQuestions(5).stop());
    EXPECT_THROW(workers.for_each(100, [](std::size_t) {}), Stopped);
    Workers others(threads, AfterQuestions(5).stop());
    EXPECT_THROW(others.pipeline(
                     100, [](std::size_t, std::size_t) {}, [](std::size_t, std::size_t) {}),
                 Stopped);
  }
}

/// Without keeping plans: the same bits as with them.
TEST(PlanWorths, AreThoseOfThePlans) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    support::RandomMdps random(Rng(seed), {});
    const Mdp planned = random.draw();
    const std::vector<Mdp> worlds = {random.draw(), planned, random.draw()};
    const int horizon = 1 + static_cast<int>(seed % 7);
    const Plan plan = optimal_plan(planned, horizon);
    const PlanWorth worth = plan_worth(planned, worlds, horizon);
    EXPECT_EQ(worth.own, plan.value.back());
    for (std::size_t w = 0; w < worlds.size(); ++w) {
      EXPECT_EQ(worth.other[w], plan_value(worlds[w], plan, horizon).back());
    }
  }
}

/// Fewer samples are the first of them, and their standard error is larger.
TEST(Stops, LeaveEstimatesOfFewerSamples) {
  const auto problem = make_problem("treasure_map(size=3)");
  const auto whole = problem->information({.seed = 3, .samples = 400, .threads = 1});
  const auto part =
      problem->information({.seed = 3, .samples = 400, .threads = 1, .stop = AfterQuestions(101).stop()});
  const auto few = problem->information({.seed = 3, .samples = 100, .threads = 1});
  EXPECT_GT(part.full.standard_error, whole.full.standard_error);
  EXPECT_EQ(part.full.value, few.full.value);
  EXPECT_EQ(part.full.standard_error, few.full.standard_error);
  EXPECT_THROW((void)problem->information({.samples = 400, .threads = 1, .stop = AfterQuestions(2).stop()}),
               Stopped);
}

/// Asked at any moment, the exact solver stops.
TEST(Stops, EndTheExactSolver) {
  const auto problem = make_problem("bandit(arms=2,horizon=20)");
  const std::uint64_t states = problem->exact({.threads = 1})->states();
  for (const int questions : {1, 2, 5, 20}) {
    EXPECT_THROW((void)problem->exact({.threads = 1, .stop = AfterQuestions(questions).stop()}), Stopped);
  }
  EXPECT_EQ(problem->exact({.threads = 1, .stop = Stop().within(1000)})->states(), states);
}

}  // namespace
}  // namespace assay
