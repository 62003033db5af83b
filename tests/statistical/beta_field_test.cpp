// Fields of Beta draws against their laws, their independence, and what common random numbers are worth.
//
// Tolerance: Kolmogorov-Smirnov, chi-square and z at level 1e-6 / 500 for every comparison (support/ks.hpp).
// A draw is right if some variate of the law lies within the rounding of floats of it: `variates_of` states
// by how much, and all comparisons with a CDF are made at those bounds.
#include "assay/beliefs/detail/beta_field.hpp"

#include <Random123/philox.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/special_functions/polygamma.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "beliefs/beta_tables.hpp"
#include "support/ks.hpp"
#include "support/reference_laws.hpp"

namespace assay {
namespace {

using laws::logit_beta_cdf;

struct Law {
  double prior_a, prior_b;
  std::uint64_t successes = 0, failures = 0;

  [[nodiscard]] double a() const { return prior_a + static_cast<double>(successes); }
  [[nodiscard]] double b() const { return prior_b + static_cast<double>(failures); }
  [[nodiscard]] std::uint64_t counts() const { return failures << 32U | successes; }  // as BetaBelief does
  [[nodiscard]] boost::math::beta_distribution<> boosts() const { return {a(), b()}; }
  [[nodiscard]] double cdf(double log_odds) const { return logit_beta_cdf(a(), b(), log_odds); }
  [[nodiscard]] std::string name() const {
    return "Beta(" + std::to_string(a()) + ", " + std::to_string(b()) + ")";
  }
};

/// A belief about a cell of the treasure map.
Law treasure(std::uint64_t successes, std::uint64_t failures) { return {0.1, 1, successes, failures}; }

const std::vector<Law> kLaws = {
    {0.1, 1, 0, 0},  {0.1, 1, 0, 5},   {0.1, 1, 0, 6},   {0.1, 1, 1, 5},   {0.1, 1, 3, 6}, {0.1, 1, 6, 0},
    {0.1, 1, 5, 25}, {0.1, 1, 30, 30}, {0.1, 1, 0, 150}, {0.1, 1, 150, 0}, {0.5, 0.5},     {1, 1},
    {0.01, 0.01},    {1e4, 1e4},       {2, 0.3},         {0.01, 1e4},      {1e4, 0.01}};

constexpr std::size_t kCells = 256;

std::size_t place_of(std::size_t cell, std::size_t draw) {
  return (draw / kTile * kCells + cell) * kTile + draw % kTile;
}

/// Fields of kCells cells that all have this law.
Lanes draw(const Law& law, const DrawKey& key, std::size_t draws) {
  const std::vector<std::uint64_t> counts(kCells, law.counts());
  Lanes out(kCells * draws);
  BetaFieldSampler(law.prior_a, law.prior_b).draw(counts, key, draws, out);
  return out;
}

struct Bounds {
  double lower, upper;
};

/// Fast draws stop at log-odds of -87, which is 1.6e-38: what is not above this is "very small".
constexpr float kFloor = 1.7e-38F;

/// The log-odds of the variates that may have become this float. On the fast way the log-odds t are a sum of
/// floats: three roundings of |t| 2^-24 each; then the logistic is good to a few units of 2^-24 of x, of
/// which those near 1 are lost to the sum 1 + e^-t.
Bounds variates_of(float x) {
  const auto log_odds = [](double v) { return v < 1 ? std::log(v / (1 - v)) : HUGE_VAL; };
  const double v = std::max(x, kFloor);
  const double upper = log_odds(v * (1 + 0x1p-22));
  const double lower = x <= kFloor ? -HUGE_VAL : log_odds(v * (1 - 0x1p-22));
  return {lower - 0x1p-22 * std::abs(lower), upper + 0x1p-22 * std::abs(upper)};
}

/// By how much the share of draws up to some value differs from the CDF, whichever variates within rounding
/// the draws come from. At most the Kolmogorov-Smirnov distance of the variates themselves.
template <class Cdf>
double distance(std::vector<float> draws, const Cdf& cdf) {
  std::sort(draws.begin(), draws.end());
  constexpr std::size_t kStride = 32;
  const auto n = static_cast<double>(draws.size());
  double furthest = 0;
  std::size_t compared = 0;
  for (std::size_t first = 0, end = 0; first < draws.size(); first = end) {
    const float x = std::max(draws[first], kFloor);
    while (end < draws.size() && draws[end] <= x) ++end;
    if (end - compared < kStride && end < draws.size()) continue;
    compared = end;
    const Bounds bounds = variates_of(x);
    furthest = std::max(furthest, static_cast<double>(end) / n - cdf(bounds.upper));
    furthest = std::max(furthest, cdf(bounds.lower) - static_cast<double>(first) / n);
  }
  return furthest;
}

TEST(BetaField, HasItsLaw) {
  std::uint64_t seed = 100;
  for (const Law& law : kLaws) {
    const Lanes drawn = draw(law, {.seed = ++seed}, 1024);
    for (const float x : drawn) ASSERT_TRUE(x >= 0 && x <= 1) << law.name() << " " << x;
    EXPECT_LT(distance({drawn.begin(), drawn.end()}, [&](double t) { return law.cdf(t); }),
              laws::ks_threshold(drawn.size()))
        << law.name();
  }
}

TEST(BetaField, HasItsLawInAThousandClasses) {
  // 2 million draws, 2100 to a class: KS is nearly blind to errors within one of the table's many strips.
  std::uint64_t seed = 300;
  for (const Law& law : {treasure(0, 0), treasure(1, 5), treasure(30, 30)}) {
    std::vector<double> ends;
    for (int i = 1; i < 1000; ++i) ends.push_back(quantile(law.boosts(), i / 1000.0));
    std::vector<double> counts(1000);
    for (const float x : draw(law, {.seed = ++seed}, 8192)) {
      counts[static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), x) - ends.begin())] += 1;
    }
    const laws::ChiSquare fit = laws::chi_square_uniform(counts);
    EXPECT_LT(fit.statistic, fit.threshold) << law.name();
  }
}

struct Moments {
  double mean, variance, fourth;  // the last two about the mean
};

/// A mean has the standard error sqrt(variance / n), a variance sqrt((fourth moment - variance^2) / n).
template <class Map>
void expect_moments(const Lanes& draws, const Map& map, const Moments& due, const std::string& of) {
  const auto n = static_cast<double>(draws.size());
  double sum = 0, squares = 0;
  for (const float x : draws) sum += map(x);
  for (const float x : draws) squares += (map(x) - sum / n) * (map(x) - sum / n);
  const double z = laws::z_threshold();
  EXPECT_NEAR(sum / n, due.mean, z * std::sqrt(due.variance / n)) << of;
  EXPECT_NEAR(squares / n, due.variance, z * std::sqrt((due.fourth - due.variance * due.variance) / n)) << of;
}

TEST(BetaField, HasTheMeanAndTheVarianceOfItsLaw) {
  std::uint64_t seed = 400;
  for (const Law& law : kLaws) {
    if (std::min(law.a(), law.b()) < 0.1) continue;  // sums of a million of those are not nearly normal
    const Lanes draws = draw(law, {.seed = ++seed}, 4096);
    const double variance = boost::math::variance(law.boosts());
    expect_moments(
        draws, [](double x) { return x; },
        {mean(law.boosts()), variance, kurtosis(law.boosts()) * variance * variance}, law.name());
    // The cumulants of log x are differences of polygamma functions.
    const auto cumulant = [&](int k) {
      return boost::math::polygamma(k - 1, law.a()) - boost::math::polygamma(k - 1, law.a() + law.b());
    };
    // Floats end at 1e-45: look at log x down to -80. Below that, -80 - log x is exponential with rate a.
    const double p = law.cdf(-80), rate = law.a();
    Moments logs = {cumulant(1) + p / rate, 0, cumulant(4) + 3 * cumulant(2) * cumulant(2)};
    logs.variance = cumulant(2) + cumulant(1) * cumulant(1) - p * 2 * (80 / rate + 1 / (rate * rate)) -
                    logs.mean * logs.mean;
    expect_moments(
        draws, [](double x) { return std::max(-80.0, std::log(x)); }, logs, "log of " + law.name());
  }
}

constexpr double kPlaces = 1U << BetaTable::kPlaceBits;

/// The draws of 16 million words that go the slow way. Which those are is seen from the words, here made by
/// Philox as its authors have written it: four at a time, for four cells.
std::vector<float> slow_draws(const Law& law, const BetaTable& table, std::uint64_t seed) {
  constexpr std::uint32_t kFieldDraws = 4096;
  std::vector<float> slow;
  for (std::uint64_t episode = 0; episode < 16; ++episode) {
    const DrawKey key{.seed = seed, .episode = episode};
    const Lanes drawn = draw(law, key, kFieldDraws);
    Rng rng = key.rng();
    std::uint32_t parts[4];
    for (std::size_t i = 0; i < 4; i += 2) {
      const std::uint64_t both = rng.next64();
      parts[i] = static_cast<std::uint32_t>(both);
      parts[i + 1] = static_cast<std::uint32_t>(both >> 32U);
    }
    for (std::uint32_t k = 0; k < kFieldDraws * kCells / 4; ++k) {
      const std::uint32_t group = k / kFieldDraws, d = k % kFieldDraws;
      const auto words = r123::Philox4x32{}({{group, d, parts[2], parts[3]}}, {{parts[0], parts[1]}});
      for (std::size_t i = 0; i < 4; ++i) {
        const BetaTable::Strip& strip = table.strips()[words[i] >> BetaTable::kPlaceBits];
        const std::uint32_t place = words[i] & ((1U << BetaTable::kPlaceBits) - 1);
        if (place >= strip.limit()) slow.push_back(drawn[place_of(4 * group + i, d)]);
      }
    }
  }
  return slow;
}

TEST(BetaField, TakesFromTheSlowWayWhatTheFastWayLacks) {
  // Slow draws are one in 50, so tests of all draws hardly see them. They have a law of their own: what is
  // left of the density after the fast way's share. Classes are the halves of strips, which tell a wedge
  // from a rectangle, and the tails.
  std::uint64_t seed = 500;
  for (const Law& law : {treasure(0, 0), treasure(1, 5), Law{30, 2}}) {
    const BetaTable table(law.a(), law.b());
    std::vector<double> ends;  // of classes, in log-odds
    std::vector<double> fast = {0};
    double last_end = 0;
    for (std::size_t i = 0; i < BetaTable::kStrips; ++i) {
      const BetaTable::Strip& strip = table.strips()[i];
      if (strip.limit() == 0) continue;
      const double step = strip.step(), left = strip.left - step / 2, width = strip.limit() * step;
      ends.insert(ends.end(), {left, left + width / 2});
      fast.insert(fast.end(), 2, strip.limit() / (2 * kPlaces * BetaTable::kStrips));
      last_end = left + width;
    }
    ends.push_back(last_end);
    fast.push_back(0);

    const std::vector<float> slow = slow_draws(law, table, ++seed);
    std::vector<double> counts(fast.size()), expected(fast.size());
    std::vector<float> tails[2];
    for (const float x : slow) {
      const double t = std::log(static_cast<double>(x)) - std::log1p(-static_cast<double>(x));
      counts[static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), t) - ends.begin())] += 1;
      if (t < ends.front()) tails[0].push_back(x);
      if (t > ends.back()) tails[1].push_back(x);
    }
    for (std::size_t i = 0; i < fast.size(); ++i) {
      const double below = i > 0 ? law.cdf(ends[i - 1]) : 0;
      const double upto = i < ends.size() ? law.cdf(ends[i]) : 1;
      expected[i] = static_cast<double>(slow.size()) * (upto - below - fast[i]) / table.slow_share();
    }
    const laws::ChiSquare fit = laws::chi_square(counts, expected);
    EXPECT_LT(fit.statistic, fit.threshold) << law.name();

    const double left = law.cdf(ends.front()), right = 1 - law.cdf(ends.back());
    EXPECT_LT(distance(tails[0], [&](double t) { return std::min(1.0, law.cdf(t) / left); }),
              laws::ks_threshold(tails[0].size()))
        << law.name();
    EXPECT_LT(distance(tails[1], [&](double t) { return std::max(0.0, 1 - (1 - law.cdf(t)) / right); }),
              laws::ks_threshold(tails[1].size()))
        << law.name();
  }
}

/// Pairs of numbers that should be independent.
class Pairs {
 public:
  explicit Pairs(const Law& law) : law_(law) {
    for (int i = 1; i < kClasses; ++i) ends_.push_back(quantile(law.boosts(), 1.0 * i / kClasses));
  }
  void add(float x, float y) {
    ++n_;
    sum_ += (x - mean(law_.boosts())) * (y - mean(law_.boosts()));
    joint_[class_of(x) * kClasses + class_of(y)] += 1;
  }
  /// A correlation within 5 standard errors, and all pairs of 8 x 8 equally likely classes equally often.
  void expect_independent(const std::string& what) const {
    const double correlation = sum_ / n_ / variance(law_.boosts());
    EXPECT_LT(std::abs(correlation), 5 / std::sqrt(n_)) << what;
    const laws::ChiSquare fit = laws::chi_square_uniform(joint_);
    EXPECT_LT(fit.statistic, fit.threshold) << what;
  }

 private:
  static constexpr int kClasses = 8;
  [[nodiscard]] std::size_t class_of(double x) const {
    std::size_t c = 0;
    for (const double end : ends_) c += x > end ? 1 : 0;
    return c;
  }
  Law law_;
  std::vector<double> ends_;
  std::vector<double> joint_ = std::vector<double>(kClasses * kClasses);
  double n_ = 0, sum_ = 0;
};

constexpr std::size_t kPairDraws = 2048;  // in kCells cells: half a million pairs

TEST(BetaField, IsIndependentAcrossCellsAndDraws) {
  const Law law = treasure(1, 5);
  const Lanes drawn = draw(law, {.seed = 600}, kPairDraws);
  for (const auto& [cells, draws] :
       {std::pair{1, 0}, {2, 0}, {3, 0}, {4, 0}, {64, 0}, {0, 1}, {0, 4}, {0, 16}, {1, 1}, {4, 16}}) {
    Pairs pairs(law);
    for (std::size_t c = 0; c < kCells; ++c) {
      const std::size_t to = (c + static_cast<std::size_t>(cells)) % kCells;
      for (std::size_t d = 0; d < kPairDraws; ++d) {
        pairs.add(drawn[place_of(c, d)],
                  drawn[place_of(to, (d + static_cast<std::size_t>(draws)) % kPairDraws)]);
      }
    }
    pairs.expect_independent(std::to_string(cells) + " cells and " + std::to_string(draws) + " draws away");
  }
}

TEST(BetaField, IsIndependentAcrossKeys) {
  const Law law = treasure(1, 5);
  const DrawKey key{.seed = 700, .episode = 3, .step = 5, .role = 1};
  const Lanes drawn = draw(law, key, kPairDraws);
  const std::vector<std::pair<std::string, DrawKey>> others = {
      {"seed", {.seed = 701, .episode = 3, .step = 5, .role = 1}},
      {"episode", {.seed = 700, .episode = 4, .step = 5, .role = 1}},
      {"step", {.seed = 700, .episode = 3, .step = 6, .role = 1}},
      {"role", {.seed = 700, .episode = 3, .step = 5, .role = 2}},
      {"episode and step swapped", {.seed = 700, .episode = 5, .step = 3, .role = 1}}};
  for (const auto& [what, other] : others) {
    const Lanes others_drawn = draw(law, other, kPairDraws);
    Pairs pairs(law);
    for (std::size_t i = 0; i < drawn.size(); ++i) pairs.add(drawn[i], others_drawn[i]);
    pairs.expect_independent(what);
  }
}

TEST(BetaField, GivesEachCellAndDrawSlowWordsOfItsOwn) {
  // In the tail a draw is a function of slow words alone; where two share them, they are equal. By chance,
  // with exponential log-odds of rate 0.1 and 2^23 / ln 2 floats to a unit, n draws make 2e-9 n^2 equal
  // pairs, here below 0.03: more than four with probability 1e-10.
  const Law law = treasure(0, 0);
  const BetaTable table(law.a(), law.b());
  const auto* first = std::find_if(table.strips(), table.strips() + BetaTable::kStrips,
                                   [](const BetaTable::Strip& s) { return s.limit() > 0; });
  std::vector<float> tail;
  for (const float x : draw(law, {.seed = 800}, 8192)) {
    if (x > kFloor && std::log(x) < first->left - 1e-3F) tail.push_back(x);
  }
  EXPECT_GT(tail.size(), 500U);
  std::sort(tail.begin(), tail.end());
  EXPECT_LE(tail.end() - std::unique(tail.begin(), tail.end()), 4);
}

/// The correlation of two laws' quantiles at the same uniform number: no coupling has more.
double comonotone_correlation(const Law& one, const Law& two) {
  const auto product = [&](double u) { return quantile(one.boosts(), u) * quantile(two.boosts(), u); };
  const double both = boost::math::quadrature::gauss_kronrod<double, 61>::integrate(product, 0, 1, 6, 1e-6);
  return (both - mean(one.boosts()) * mean(two.boosts())) /
         std::sqrt(variance(one.boosts()) * variance(two.boosts()));
}

/// The variance, over draws, of the difference of two fields' means.
double variance_of_difference(const Lanes& one, const Lanes& two, std::size_t draws) {
  double sum = 0, squares = 0;
  for (std::size_t d = 0; d < draws; ++d) {
    double difference = 0;
    for (std::size_t c = 0; c < kCells; ++c) {
      difference += static_cast<double>(one[place_of(c, d)]) - static_cast<double>(two[place_of(c, d)]);
    }
    sum += difference / kCells;
    squares += difference / kCells * difference / kCells;
  }
  return (squares - sum * sum / static_cast<double>(draws)) / static_cast<double>(draws - 1);
}

TEST(BetaField, MakesTheMostOfCommonRandomNumbers) {
  constexpr std::size_t kFieldDraws = 4096, kEvery = 4;  // one cell of four is learned about
  std::uint64_t seed = 900;
  for (const auto& [before, after] : {std::pair{treasure(0, 0), treasure(0, 6)},
                                      {treasure(0, 0), treasure(1, 5)},
                                      {treasure(1, 5), treasure(1, 11)},
                                      {treasure(2, 4), treasure(3, 9)}}) {
    const std::string what = before.name() + " to " + after.name();
    const Lanes old_field = draw(before, {.seed = ++seed}, kFieldDraws);
    std::vector<std::uint64_t> counts(kCells, before.counts());
    for (std::size_t c = 0; c < kCells; c += kEvery) counts[c] = after.counts();
    Lanes common(old_field.size()), separate(old_field.size());
    const BetaFieldSampler sampler(0.1, 1);
    sampler.draw(counts, {.seed = seed}, kFieldDraws, common);
    sampler.draw(counts, {.seed = seed, .role = 1}, kFieldDraws, separate);

    double sum = 0;
    for (std::size_t c = 0; c < kCells; ++c) {
      for (std::size_t d = 0; d < kFieldDraws; ++d) {
        const float x = old_field[place_of(c, d)], y = common[place_of(c, d)];
        ASSERT_TRUE(x == y || c % kEvery == 0) << what;
        if (c % kEvery == 0) sum += (x - mean(before.boosts())) * (y - mean(after.boosts()));
      }
    }
    const double var_x = variance(before.boosts()), var_y = variance(after.boosts());
    const double covariance = sum / (kFieldDraws * kCells / kEvery);
    // The covariance of a quarter of a million pairs is off by less than 0.02 of the deviations' product.
    EXPECT_GT(covariance / std::sqrt(var_x * var_y), 0.9 * comonotone_correlation(before, after)) << what;

    // Var(x - y) for a changed cell; for another one 0 instead of 2 Var(x). Each sample variance of nearly
    // normal means has a relative standard error of sqrt(2 / kFieldDraws).
    const double promised = (var_x + var_y - 2 * covariance) / (var_x + var_y + (kEvery - 1) * 2 * var_x);
    const double ratio = variance_of_difference(old_field, common, kFieldDraws) /
                         variance_of_difference(old_field, separate, kFieldDraws);
    EXPECT_NEAR(ratio, promised, laws::z_threshold() * std::sqrt(4.0 / kFieldDraws) * promised) << what;
    EXPECT_LT(ratio, 0.15) << what;
  }
}

}  // namespace
}  // namespace assay
