// What a field of Beta draws depends on and what it does not, its tables, and its limits. The laws
// themselves are tested in statistical/beta_field_test.cpp.
#include "assay/beliefs/detail/beta_field.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "assay/core/detail/kernel.hpp"
#include "assay/core/error.hpp"
#include "beliefs/beta_tables.hpp"

namespace assay {
namespace {

constexpr DrawKey kKey{.seed = 11, .episode = 2, .step = 3, .role = 4};

const std::vector<std::pair<double, double>> kManyLaws = {
    {0.1, 1},   {0.1, 7},    {1.1, 6},    {30.1, 31}, {150.1, 1}, {0.1, 151}, {0.01, 0.01},
    {1e4, 1e4}, {0.01, 1e4}, {1e4, 0.01}, {2, 0.3},   {1, 1},     {0.5, 0.5}};

std::uint64_t pack(std::uint64_t successes, std::uint64_t failures) { return failures << 32U | successes; }

/// Cells with all kinds of counts, neighbours alike and different.
std::vector<std::uint64_t> mixed_counts(std::size_t cells) {
  std::vector<std::uint64_t> counts(cells);
  for (std::size_t c = 0; c < cells; ++c) counts[c] = c % 7 < 3 ? 0 : pack(c % 2, c * 31 % 6);
  return counts;
}

Lanes draw(const BetaFieldSampler& sampler, const std::vector<std::uint64_t>& counts, const DrawKey& key,
           std::size_t draws) {
  Lanes out(tiles_for(draws) * counts.size() * kTile);
  sampler.draw(counts, key, draws, out);
  return out;
}

Lanes draw(const std::vector<std::uint64_t>& counts, const DrawKey& key, std::size_t draws) {
  return draw(BetaFieldSampler(0.1, 1), counts, key, draws);
}

/// How many places of two fields hold different bits.
std::size_t differences(const Lanes& one, const Lanes& two) {
  if (one.size() != two.size()) return std::max(one.size(), two.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    count += std::bit_cast<std::uint32_t>(one[i]) != std::bit_cast<std::uint32_t>(two[i]) ? 1 : 0;
  }
  return count;
}

TEST(BetaField, HasTheSameBitsWithEveryKernel) {
  for (const auto& [a, b] : {std::pair{0.1, 1.0}, {0.01, 0.01}, {1e4, 0.01}, {2.0, 0.3}}) {
    const auto counts = mixed_counts(777);  // neither groups of four nor blocks of 64 come out even
    const Lanes first = draw(BetaFieldSampler(a, b, available_kernels().front()), counts, kKey, 100);
    for (const Kernel kernel : available_kernels()) {
      EXPECT_EQ(differences(draw(BetaFieldSampler(a, b, kernel), counts, kKey, 100), first), 0U)
          << kernel_name(kernel) << " Beta(" << a << ", " << b << ")";
    }
  }
}

TEST(BetaField, DoesNotDependOnTheNumberOfDraws) {
  const auto counts = mixed_counts(130);
  const Lanes many = draw(counts, kKey, 200);
  for (const std::size_t draws : {1U, 15U, 16U, 17U, 80U}) {
    const Lanes few = draw(counts, kKey, draws);
    ASSERT_EQ(few.size(), tiles_for(draws) * 130 * kTile);
    EXPECT_EQ(differences(few, Lanes(many.begin(), many.begin() + std::ssize(few))), 0U) << draws;
  }
}

TEST(BetaField, DoesNotDependOnOtherCells) {
  const auto counts = mixed_counts(100);
  const Lanes drawn = draw(counts, kKey, 32);
  for (const std::size_t kept : {0U, 1U, 2U, 3U, 62U, 63U, 64U, 65U, 99U}) {
    // As many cells, with other counts; then fewer cells.
    std::vector<std::uint64_t> others(100, pack(9, 2));
    others[kept] = counts[kept];
    const std::vector<std::uint64_t> fewer(counts.begin(),
                                           counts.begin() + static_cast<std::ptrdiff_t>(kept) + 1);
    const Lanes changed = draw(others, kKey, 32), shorter = draw(fewer, kKey, 32);
    for (std::size_t d = 0; d < 32; ++d) {
      const std::size_t tile = d / kTile, lane = d % kTile;
      const float x = drawn[(tile * 100 + kept) * kTile + lane];
      EXPECT_EQ(changed[(tile * 100 + kept) * kTile + lane], x) << kept;
      EXPECT_EQ(shorter[(tile * fewer.size() + kept) * kTile + lane], x) << kept;
    }
  }
}

TEST(BetaField, DrawsListedCellsAsItDrawsAll) {
  const auto counts = mixed_counts(300);
  const Lanes all = draw(counts, kKey, 48);
  std::vector<std::uint32_t> most(300);
  std::iota(most.begin(), most.end(), 0U);
  std::erase_if(most, [](std::uint32_t c) { return c % 3 == 1; });
  const std::vector<std::vector<std::uint32_t>> lists = {{}, {0}, {299}, {1, 2, 6, 7, 9, 64, 65, 250}, most};
  for (const auto& cells : lists) {
    Lanes some(all.size(), -1.0F);
    BetaFieldSampler(0.1, 1).draw_cells(counts, cells, kKey, 48, some);
    Lanes due(all.size(), -1.0F);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto cell = static_cast<std::uint32_t>(i / kTile % 300);
      if (std::find(cells.begin(), cells.end(), cell) != cells.end()) due[i] = all[i];
    }
    EXPECT_EQ(differences(some, due), 0U) << cells.size() << " cells";
  }
}

TEST(BetaField, DependsOnEveryPartOfTheKey) {
  const std::vector<std::uint64_t> counts(64, pack(1, 5));
  const std::vector<DrawKey> keys = {kKey,
                                     {.seed = 12, .episode = 2, .step = 3, .role = 4},
                                     {.seed = 11, .episode = 3, .step = 3, .role = 4},
                                     {.seed = 11, .episode = 2, .step = 4, .role = 4},
                                     {.seed = 11, .episode = 2, .step = 3, .role = 5},
                                     {.seed = 11, .episode = 3, .step = 2, .role = 4},
                                     {.seed = 4, .episode = 2, .step = 3, .role = 11}};
  std::vector<Lanes> fields;
  for (const DrawKey& key : keys) fields.push_back(draw(counts, key, 64));
  // 4096 pairs of floats with some 2^23 values each: more than 4 equal ones have probability 1e-17.
  for (std::size_t i = 0; i < fields.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_GE(differences(fields[i], fields[j]), fields[i].size() - 4) << i << " " << j;
    }
  }
  // Cells and draws are part of the key as well: 2^23 pairs of one field, about one of them equal.
  std::sort(fields[0].begin(), fields[0].end());
  EXPECT_LE(fields[0].end() - std::unique(fields[0].begin(), fields[0].end()), 12);
}

TEST(BetaField, DoesNotDependOnWhatWasDrawnBefore) {
  // 2100 different counts: more than the sampler keeps tables for.
  const BetaFieldSampler sampler(0.1, 1);
  const auto counts = mixed_counts(50);
  const Lanes first = draw(sampler, counts, kKey, 16);
  std::vector<std::uint64_t> many(2100);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = pack(10 + i % 50, i / 50);
  const Lanes many_drawn = draw(sampler, many, kKey, 1);
  EXPECT_EQ(differences(draw(sampler, counts, kKey, 16), first), 0U);
  for (const std::size_t cell : {0U, 1000U, 2040U, 2099U}) {
    const std::vector<std::uint32_t> cells = {static_cast<std::uint32_t>(cell)};
    const auto from = static_cast<std::ptrdiff_t>(cell * kTile), to = from + std::ptrdiff_t{kTile};
    Lanes again(many_drawn.size()), afresh(many_drawn.size());
    sampler.draw_cells(many, cells, kKey, 1, again);
    BetaFieldSampler(0.1, 1).draw_cells(many, cells, kKey, 1, afresh);
    EXPECT_TRUE(std::equal(again.begin() + from, again.begin() + to, many_drawn.begin() + from)) << cell;
    EXPECT_TRUE(std::equal(afresh.begin() + from, afresh.begin() + to, many_drawn.begin() + from)) << cell;
  }
  EXPECT_EQ(differences(draw(counts, kKey, 16), first), 0U);
}

TEST(BetaField, DoesNotDependOnThreads) {
  const auto counts = mixed_counts(200);
  const Lanes due = draw(counts, kKey, 16);
  const BetaFieldSampler sampler(0.1, 1);
  std::vector<Lanes> drawn(4);
  {
    std::vector<std::jthread> threads;
    for (Lanes& mine : drawn) threads.emplace_back([&] { mine = draw(sampler, counts, kKey, 16); });
  }
  for (const Lanes& field : drawn) EXPECT_EQ(differences(field, due), 0U);
}

TEST(BetaField, RejectsWhatDoesNotFit) {
  const BetaFieldSampler sampler(0.1, 1);
  const auto counts = mixed_counts(10);
  const std::vector<std::uint32_t> cells = {1};
  for (const std::size_t size : {0U, 159U, 161U, 10U, 320U}) {
    Lanes out(size);
    EXPECT_THROW(sampler.draw(counts, kKey, 16, out), UsageError) << size;
    EXPECT_THROW(sampler.draw_cells(counts, cells, kKey, 16, out), UsageError) << size;
  }
  Lanes out(160);
  EXPECT_NO_THROW(sampler.draw(counts, kKey, 1, out));
  EXPECT_THROW(sampler.draw(counts, kKey, 17, out), UsageError);
  const std::vector<std::uint32_t> beyond = {3, 10};
  EXPECT_THROW(sampler.draw_cells(counts, beyond, kKey, 16, out), UsageError);
  Lanes none;
  EXPECT_NO_THROW(sampler.draw(counts, kKey, 0, none));
  EXPECT_NO_THROW(sampler.draw({}, kKey, 16, none));
}

TEST(BetaField, RejectsPriorsThatAreNotPositive) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {0.0, -0.0, -1e-9, -1.0, kInfinity, -kInfinity, kNan}) {
    EXPECT_THROW(draw(BetaFieldSampler(bad, 1), {0}, kKey, 16), UsageError) << bad;
    EXPECT_THROW(draw(BetaFieldSampler(1, bad), {0}, kKey, 16), UsageError) << bad;
    EXPECT_THROW(BetaTable(bad, 1), UsageError) << bad;
    EXPECT_THROW(BetaTable(1, bad), UsageError) << bad;
  }
}

TEST(BetaField, StaysBetweenZeroAndOneForExtremeParameters) {
  constexpr std::uint64_t kMost = 0xffffffff;
  for (const auto& [a, b] : {std::pair{0.01, 0.01}, {0.01, 1e4}, {1e4, 0.01}, {1e4, 1e4}, {1e-6, 1e-6}}) {
    const std::vector<std::uint64_t> counts = {
        0,          pack(kMost, 0),     pack(0, kMost),      pack(1, kMost),
        pack(3, 0), pack(kMost, kMost), pack(100'000'000, 0)};
    for (const float x : draw(BetaFieldSampler(a, b), counts, kKey, 2000)) {
      ASSERT_TRUE(x >= 0 && x <= 1) << x << " Beta(" << a << ", " << b << ")";  // and not NaN
    }
  }
}

TEST(BetaField, DrawsTheLargestTreasureMap) {
  const std::size_t cells = 101 * 101;
  const auto counts = mixed_counts(cells);
  const Lanes drawn = draw(counts, kKey, 16);
  std::vector<std::uint32_t> backwards(cells);
  std::iota(backwards.rbegin(), backwards.rend(), 0U);
  Lanes one_by_one(drawn.size());
  const BetaFieldSampler sampler(0.1, 1);
  for (const std::uint32_t& cell : backwards) {
    sampler.draw_cells(counts, std::span(&cell, 1), kKey, 16, one_by_one);
  }
  EXPECT_EQ(differences(drawn, one_by_one), 0U);
}

/// The word of a draw as Philox4x32-10 (Salmon et al. 2011) gives it, written down from the publication. The
/// key and the upper half of the counter are the first numbers of the key's stream; the lower half is (group
/// of four cells, draw), and each cell of the group takes one word.
std::uint32_t word_of(const DrawKey& key, std::uint32_t cell, std::uint32_t draw) {
  Rng rng = key.rng();
  const std::uint64_t one = rng.next64(), two = rng.next64();
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32U); };
  std::array<std::uint32_t, 4> counter = {cell / 4, draw, low(two), high(two)};
  std::array<std::uint32_t, 2> keys = {low(one), high(one)};
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {high(p1) ^ counter[1] ^ keys[0], low(p1), high(p0) ^ counter[3] ^ keys[1], low(p0)};
    keys = {keys[0] + 0x9E3779B9, keys[1] + 0xBB67AE85};
  }
  return counter[cell % 4];
}

TEST(BetaField, LooksUpTheWordsOfPhiloxAndTakesTheLogistic) {
  constexpr std::uint32_t kCells = 67, kDraws = 160, kTile = assay::kTile;
  for (const auto& [a, b] : {std::pair{0.1, 1.0}, {1.1, 6.0}, {0.01, 0.01}, {30.0, 0.5}}) {
    const BetaTable table(a, b);
    const Lanes drawn = draw(BetaFieldSampler(a, b), std::vector<std::uint64_t>(kCells), kKey, kDraws);
    std::size_t slow = 0;
    for (std::uint32_t i = 0; i < kCells * kDraws; ++i) {
      const std::uint32_t tile = i / kTile, cell = tile % kCells;
      const std::uint32_t word = word_of(kKey, cell, tile / kCells * kTile + i % kTile);
      const BetaTable::Strip& strip = table.strips()[word >> BetaTable::kPlaceBits];
      const std::uint32_t place = word & ((1U << BetaTable::kPlaceBits) - 1);
      if (place >= strip.limit()) {
        ++slow;
        continue;
      }
      const float t = std::clamp(strip.left + static_cast<float>(place) * strip.step(), -87.0F, 87.0F);
      const double x = 1 / (1 + std::exp(-static_cast<double>(t)));
      // "A few units in the last place": a float's are 2^-24 to 2^-23 of it.
      ASSERT_NEAR(drawn[i], x, 3 * 0x1p-24 * x) << "Beta(" << a << ", " << b << ") at log-odds " << t;
    }
    EXPECT_LT(static_cast<double>(slow), 0.05 * kCells * kDraws);
  }
}

TEST(BetaTable, StaysUnderTheDensityOnTheFastWayAndAboveItInAll) {
  // A word falls into a strip with probability 1 / kStrips and is then accepted at once with probability
  // limit / kPlaces. Where f is the density of the log-odds, this is right if there is one c such that in
  // every strip c f is at most 1 / kStrips / width, what the slow way can fill up, and at least the density
  // of the fast way. f is largest and smallest at the strip's ends.
  constexpr double kPlaces = 1U << BetaTable::kPlaceBits, kStrips = BetaTable::kStrips;
  for (const auto& [a, b] : kManyLaws) {
    const BetaTable table(a, b);
    const double log_norm = std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b);
    const auto f = [&, a = a, b = b](double t) {
      const double softplus = std::max(t, 0.0) + std::log1p(std::exp(-std::abs(t)));
      return std::exp(a * t - (a + b) * softplus + log_norm);
    };
    double least_c = 0, greatest_c = 1, fast_share = 0, end = 0;
    std::size_t first = 0, last = 0;  // strips that have a fast way
    for (std::size_t i = 0; i < BetaTable::kStrips; ++i) {
      const BetaTable::Strip& strip = table.strips()[i];
      if (strip.limit() == 0) continue;
      const double share = strip.limit() / kPlaces, step = strip.step();
      const double left = strip.left - step / 2, width = strip.limit() * step;
      // Their ends are floats: strips meet up to their rounding, and f is off by its slope times that.
      const double rounding = 0x1p-23 * (std::abs(left) + width);
      const double slope = std::max(std::abs(a - (a + b) / (1 + std::exp(-left))),
                                    std::abs(a - (a + b) / (1 + std::exp(-left - width))));
      if (last == 0) first = i;
      ASSERT_NEAR(left, last == 0 ? left : end, rounding) << a << " " << b << " strip " << i;
      ASSERT_EQ(i, last == 0 ? i : last + 1) << a << " " << b;
      last = i;
      end = left + width;
      fast_share += share / kStrips;
      const double slack = 1 + rounding * (1 + slope) + 1e-7;
      least_c = std::max(least_c, share / kStrips / width / std::min(f(left), f(end)) / slack);
      greatest_c = std::min(greatest_c, 1 / kStrips / width / std::max(f(left), f(end)) * slack);
    }
    EXPECT_LE(least_c, greatest_c) << a << " " << b;
    // One strip is the left tail, one the right, and a few are left over.
    EXPECT_EQ(first, 1U) << a << " " << b;
    EXPECT_GE(last, BetaTable::kStrips - 8) << a << " " << b;
    EXPECT_LT(last, BetaTable::kStrips - 1) << a << " " << b;
    EXPECT_NEAR(table.slow_share(), 1 - fast_share, 1e-12) << a << " " << b;
    EXPECT_GT(greatest_c, fast_share) << a << " " << b;
  }
}

TEST(BetaTable, SeldomNeedsTheSlowWayAndHasRoomForTheTailsForAllCounts) {
  // The speed rests on the first. For the second the last strip must not be one that has a fast way: the
  // number of strips is found by trial, for each law anew.
  const auto check = [](std::uint32_t successes, std::uint32_t failures) {
    const BetaTable table(0.1 + successes, 1.0 + failures);
    EXPECT_GT(table.slow_share(), 0) << successes << "/" << failures;
    EXPECT_LT(table.slow_share(), 0.03) << successes << "/" << failures;
    EXPECT_EQ(table.strips()[0].limit(), 0U) << successes << "/" << failures;
    EXPECT_EQ(table.strips()[BetaTable::kStrips - 1].limit(), 0U) << successes << "/" << failures;
  };
  for (std::uint32_t s = 0; s <= 42; ++s) {
    for (std::uint32_t f = 0; f <= 10; ++f) check(s, f);
  }
  for (std::uint32_t s = 0; s <= 150; s += 25) {
    for (std::uint32_t f = 25; f <= 150; f += 25) check(s, f);
  }
}

}  // namespace
}  // namespace assay
