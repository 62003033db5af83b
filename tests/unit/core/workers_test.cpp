#include "assay/core/detail/workers.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

namespace assay {
namespace {

TEST(WorkersThreads, DoEachPieceOnce) {
  for (const int threads : {0, 1, 2, 3, 7}) {
    Workers workers(threads);
    for (const std::size_t count : {0U, 1U, 2U, 3U, 17U, 1000U}) {
      std::vector<int> done(count, 0);
      workers.for_each(count, [&](std::size_t i) { ++done[i]; });
      EXPECT_EQ(done, std::vector<int>(count, 1)) << threads << " threads";
    }
  }
}

TEST(WorkersThreads, ShareOutWhatIsSharedOutInside) {
  Workers outer(3);
  std::vector<long> sums(40, 0);
  outer.for_each(sums.size(), [&](std::size_t i) {
    std::vector<long> parts(50, 0);
    Workers(4).for_each(parts.size(), [&](std::size_t k) { parts[k] = static_cast<long>(i * k); });
    sums[i] = std::accumulate(parts.begin(), parts.end(), 0L);
  });
  for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_EQ(sums[i], static_cast<long>(i * 1225));
}

TEST(WorkersThreads, ServeSeveralThreadsAtOnce) {
  std::vector<long> sums(4, 0);
  {
    std::vector<std::jthread> callers;
    for (long& sum : sums) {
      callers.emplace_back([&sum] {
        std::vector<long> parts(100, 0);
        for (int round = 0; round < 50; ++round) {
          Workers(3).for_each(parts.size(), [&](std::size_t k) { parts[k] += static_cast<long>(k); });
        }
        sum = std::accumulate(parts.begin(), parts.end(), 0L);
      });
    }
  }
  EXPECT_EQ(sums, std::vector<long>(4, 50 * 4950));
}

TEST(WorkersThreads, PassOnWhatAPieceThrows) {
  Workers workers(3);
  std::atomic<int> begun = 0;
  EXPECT_THROW(workers.for_each(10'000,
                                [&](std::size_t i) {
                                  ++begun;
                                  if (i == 5) throw std::out_of_range("five");
                                }),
               std::out_of_range);
  EXPECT_LT(begun, 10'000) << "what had not begun is left";
  const auto nothing = [](std::size_t, std::size_t) {};
  const auto throws = [](std::size_t i, std::size_t) {
    if (i == 30) throw std::out_of_range("thirty");
  };
  EXPECT_THROW(workers.pipeline(100, throws, nothing), std::out_of_range);
  EXPECT_THROW(workers.pipeline(100, nothing, throws), std::out_of_range);
  EXPECT_NO_THROW(workers.for_each(10, [](std::size_t) {})) << "they can be used again";
}

TEST(WorkersThreads, ConsumeInOrderAndOneAtATime) {
  for (const int threads : {1, 2, 5}) {
    Workers workers(threads);
    std::vector<std::size_t> slots(workers.slots(), 0);
    std::vector<std::size_t> consumed;
    std::atomic<int> inside = 0;
    workers.pipeline(
        500, [&](std::size_t i, std::size_t slot) { slots[slot] = i * i; },
        [&](std::size_t i, std::size_t slot) {
          EXPECT_EQ(++inside, 1);
          EXPECT_EQ(slots[slot], i * i) << "the product is where it was put";
          consumed.push_back(i);
          --inside;
        });
    std::vector<std::size_t> due(500);
    std::iota(due.begin(), due.end(), std::size_t{0});
    EXPECT_EQ(consumed, due);
  }
}

}  // namespace
}  // namespace assay
