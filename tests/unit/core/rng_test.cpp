#include "assay/core/rng.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <set>
#include <vector>

namespace assay {
namespace {

using Block = std::array<std::uint64_t, 4>;
using Key = std::array<std::uint64_t, 2>;

/// The high and the low half of a 128-bit product, by schoolbook multiplication.
std::array<std::uint64_t, 2> multiply(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t a1 = a >> 32, a0 = a & 0xffffffff;
  const std::uint64_t b1 = b >> 32, b0 = b & 0xffffffff;
  const std::uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
  const std::uint64_t carry = a0 * b1 + (middle & 0xffffffff);
  return {a1 * b1 + (middle >> 32) + (carry >> 32), a * b};
}

/// Philox4x64-10 from its publication (Salmon et al. 2011), independent of the implementation that the
/// library uses.
Block plain_philox(Block counter, Key key) {
  for (int round = 0; round < 10; ++round) {
    if (round > 0) {
      key[0] += 0x9E3779B97F4A7C15;
      key[1] += 0xBB67AE8584CAA73B;
    }
    const auto [high0, low0] = multiply(0xD2E7470EE14C6C93, counter[0]);
    const auto [high1, low1] = multiply(0xCA5A826395121157, counter[2]);
    counter = {high1 ^ counter[1] ^ key[0], low1, high0 ^ counter[3] ^ key[1], low0};
  }
  return counter;
}

std::vector<std::uint64_t> draw(Rng rng, std::size_t n) {
  std::vector<std::uint64_t> drawn(n);
  for (auto& value : drawn) value = rng.next64();
  return drawn;
}

/// The first n draws of the stream with this key, as they should be.
std::vector<std::uint64_t> expected_draws(Key key, std::size_t n) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t block = 0; all.size() < n; ++block) {
    for (const std::uint64_t word : plain_philox({block, 0, 0, 0}, key)) all.push_back(word);
  }
  all.resize(n);
  return all;
}

TEST(PlainPhilox, GivesThePublishedAnswerForAllZeroCounterAndKey) {
  // The first philox4x64-10 line of Random123's kat_vectors.
  const Block published = {0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b};
  EXPECT_EQ(plain_philox({0, 0, 0, 0}, {0, 0}), published);
}

TEST(Rng, DrawsThePublishedAnswerForSeedZeroAndRunZero) {
  EXPECT_EQ(draw(Rng(0, 0), 4), (std::vector<std::uint64_t>{0x16554d9eca36314c, 0xdb20fe9d672d0fdc,
                                                            0xd7e772cee186176b, 0x7e68b68aec7ba23b}));
}

RC_GTEST_PROP(Rng, DrawsTheBlocksOfPhiloxKeyedBySeedAndRun, (std::uint64_t seed, std::uint64_t run)) {
  RC_ASSERT(draw(Rng(seed, run), 41) == expected_draws({seed, run}, 41));
}

RC_GTEST_PROP(Rng, SplitsIntoTheStreamKeyedByAnotherDomainOfItsOwnKey,
              (std::uint64_t seed, std::uint64_t run, std::uint64_t tag)) {
  const Block derived = plain_philox({tag, 1, 0, 0}, {seed, run});
  RC_ASSERT(draw(Rng(seed, run).split(tag), 9) == expected_draws({derived[0], derived[1]}, 9));
}

RC_GTEST_PROP(Rng, IsTheSameStreamWheneverItIsMadeFromTheSameSeedAndRun,
              (std::uint64_t seed, std::uint64_t run)) {
  RC_ASSERT(draw(Rng(seed, run), 20) == draw(Rng(seed, run), 20));
}

TEST(Rng, TakesRunZeroUnlessToldOtherwise) { EXPECT_EQ(draw(Rng(7), 8), draw(Rng(7, 0), 8)); }

TEST(Rng, ContinuesFromACopyAsTheOriginalDoes) {
  // From every position within a block, and across its end.
  for (int already = 0; already < 9; ++already) {
    Rng original(11, 22);
    for (int i = 0; i < already; ++i) original.next64();
    const Rng copy = original;
    const std::vector<std::uint64_t> first = draw(original, 10);
    EXPECT_EQ(draw(copy, 10), first) << "copied after " << already << " draws";
    EXPECT_EQ(draw(copy, 10), first) << "replayed after " << already << " draws";
  }
}

TEST(Rng, IsNotDisturbedByItsCopies) {
  Rng original(1);
  original.next64();
  const std::vector<std::uint64_t> expected = expected_draws({1, 0}, 12);
  Rng copy = original;
  for (int i = 0; i < 5; ++i) copy.next64();
  EXPECT_EQ(draw(original, 11), std::vector<std::uint64_t>(expected.begin() + 1, expected.end()));
}

TEST(Rng, SplitsTheSameHoweverMuchHasBeenDrawn) {
  Rng rng(5, 6);
  const std::vector<std::uint64_t> at_first = draw(rng.split(3), 10);
  for (int i = 1; i < 20; ++i) {
    rng.next64();
    EXPECT_EQ(draw(rng.split(3), 10), at_first) << "after " << i << " draws";
  }
}

TEST(Rng, DrawsTheSameHoweverOftenItWasSplit) {
  Rng rng(5, 6);
  for (std::uint64_t tag = 0; tag < 10; ++tag) (void)rng.split(tag);
  EXPECT_EQ(draw(rng, 10), draw(Rng(5, 6), 10));
}

TEST(Rng, NeverRepeatsAWordAcrossSeedsRunsTagsAndPathsOfSplits) {
  // 64-bit words: among the 60 000 drawn here a chance repetition has probability 1e-10.
  std::multiset<std::uint64_t> words;
  const auto take = [&](const Rng& rng) {
    for (const std::uint64_t word : draw(rng, 10)) words.insert(word);
  };
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    for (std::uint64_t run = 0; run < 10; ++run) {
      const Rng rng(seed, run);
      take(rng);
      for (std::uint64_t tag = 0; tag < 20; ++tag) {
        take(rng.split(tag));
        take(rng.split(tag).split(tag));
        take(rng.split(tag).split(tag + 100));
      }
    }
  }
  EXPECT_EQ(words.size(), 61000U);
  EXPECT_EQ(std::set<std::uint64_t>(words.begin(), words.end()).size(), words.size());
}

TEST(Rng, TellsTheOrderOfSplitsApart) {
  const Rng rng(1);
  EXPECT_NE(draw(rng.split(1).split(2), 4), draw(rng.split(2).split(1), 4));
  EXPECT_NE(draw(rng.split(0), 4), draw(rng, 4));
}

TEST(Rng, TellsSeedAndRunApart) { EXPECT_NE(draw(Rng(1, 2), 4), draw(Rng(2, 1), 4)); }

TEST(Rng, DrawsNoWordThatIsTheKeyOfASplit) {
  // A key that can be drawn would make a stream's numbers predict one of its splits.
  const Key key = {2024, 3};
  std::set<std::uint64_t> keys;
  for (std::uint64_t tag = 0; tag < 2000; ++tag) {
    const Block derived = plain_philox({tag, 1, 0, 0}, key);
    keys.insert(derived.begin(), derived.end());
  }
  for (const std::uint64_t word : draw(Rng(key[0], key[1]), 8000)) EXPECT_FALSE(keys.contains(word)) << word;
}

}  // namespace
}  // namespace assay
