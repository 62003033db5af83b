// Are the beliefs calibrated? Simulation-based calibration (Cook, Gelman and Rubin 2006; Talts et al. 2018):
// draw an environment from the prior, play an episode in it, draw kPosterior environments from the belief at
// the end. Truth and draws are exchangeable, so the truth's rank among them is uniform on 0 .. kPosterior,
// whatever was seen. A belief that is too sure, too unsure or shifted makes the ranks lopsided.
//
// Tolerances: Pearson's chi-square over the 20 ranks at level 1e-6 / 500; for stated probabilities, z-scores
// at the same level (support/ks.hpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "assay/beliefs/beta.hpp"
#include "assay/beliefs/finite.hpp"
#include "families/bandit.hpp"
#include "families/t_maze.hpp"
#include "families/treasure_map.hpp"
#include "support/ks.hpp"

namespace assay {
namespace {

constexpr int kPosterior = 19;
constexpr int kEpisodes = 20000;

/// Sees the belief before an outcome, and the outcome.
template <class B>
using Watch = std::function<void(const B& before, int x, int a, const Outcome&)>;

/// Plays an episode with random actions in `e` through the family's own functions; returns the belief at its
/// end.
template <class F, class B>
B belief_after_episode(const F& family, const typename F::Hidden& e, Rng& rng, const Watch<B>& watch = {}) {
  B belief(family);
  const std::vector<Start> starts = family.starts();
  std::vector<double> chances;
  for (const Start& start : starts) chances.push_back(start.probability);
  int x = starts[categorical(rng, chances)].state;

  const auto happen = [&](int a) {
    const Outcome outcome = sample_outcome(family, x, a, e, rng);
    if (watch) watch(belief, x, a, outcome);
    belief.observe(family, x, a, outcome);
    x = outcome.next;
  };
  for (int step = 0; step < family.horizon(); ++step) {
    happen(kArrive);
    std::vector<int> possible;
    for (int a = 0; a < family.actions(); ++a) {
      if (allowed(family, x, a)) possible.push_back(a);
    }
    happen(possible[uniform_index(rng, possible.size())]);
  }
  return belief;
}

/// The rank of `truth` among `draws`. Ties (two environments are few; probabilities can underflow) are broken
/// by lot, which keeps a uniform rank uniform.
std::size_t rank_of(double truth, const std::vector<double>& draws, Rng& rng) {
  const auto below = std::count_if(draws.begin(), draws.end(), [&](double d) { return d < truth; });
  const auto equal = std::count(draws.begin(), draws.end(), truth);
  return static_cast<std::size_t>(below) + uniform_index(rng, static_cast<std::uint64_t>(equal) + 1);
}

/// Rank counts, one histogram per quantity that `quantities` reads off an environment.
template <class F, class B>
std::vector<std::vector<double>> rank_histograms(
    const F& family, const std::function<std::vector<double>(const typename F::Hidden&)>& quantities,
    std::uint64_t seed) {
  std::vector<std::vector<double>> histograms;
  for (int episode = 0; episode < kEpisodes; ++episode) {
    Rng rng(seed, static_cast<std::uint64_t>(episode));
    const auto e = B(family).sample(family, rng);
    const B belief = belief_after_episode<F, B>(family, e, rng);
    const std::vector<double> truth = quantities(e);
    std::vector<std::vector<double>> draws(truth.size());
    for (int i = 0; i < kPosterior; ++i) {
      const std::vector<double> drawn = quantities(belief.sample(family, rng));
      for (std::size_t q = 0; q < truth.size(); ++q) draws[q].push_back(drawn[q]);
    }
    histograms.resize(truth.size(), std::vector<double>(kPosterior + 1));
    for (std::size_t q = 0; q < truth.size(); ++q) histograms[q][rank_of(truth[q], draws[q], rng)] += 1;
  }
  return histograms;
}

template <class F, class B>
void expect_uniform_ranks(const F& family,
                          const std::function<std::vector<double>(const typename F::Hidden&)>& quantities,
                          std::uint64_t seed) {
  const auto histograms = rank_histograms<F, B>(family, quantities, seed);
  ASSERT_FALSE(histograms.empty());
  for (std::size_t q = 0; q < histograms.size(); ++q) {
    const laws::ChiSquare fit = laws::chi_square_uniform(histograms[q]);
    EXPECT_LT(fit.statistic, fit.threshold) << "quantity " << q;
  }
}

/// Collects stated probabilities and whether what they were stated of came true.
class Statements {
 public:
  void add(double stated, bool came_true) {
    constexpr double kCalibrationRounding = 1e-12;  // of the sums that make a probability
    if (std::abs(stated - 1) < kCalibrationRounding) stated = 1;
    if (stated == 0 || stated == 1) {  // certainty allows no exception
      EXPECT_EQ(came_true, stated == 1);
      ++certain_;
      return;
    }
    ASSERT_TRUE(stated > 0 && stated < 1) << stated;
    Bin& bin = bins_[static_cast<std::size_t>(stated * kBins)];
    bin.stated += stated;
    bin.variance += stated * (1 - stated);
    bin.came_true += came_true ? 1 : 0;
    bin.count += 1;
  }

  /// In every bin the statements came true as often as stated, up to z_threshold() standard deviations.
  void expect_calibrated(int least_bins) const {
    int used = 0;
    for (std::size_t i = 0; i < bins_.size(); ++i) {
      const Bin& bin = bins_[i];
      if (bin.variance < 10) continue;  // too few for the normal approximation
      ++used;
      EXPECT_NEAR(bin.came_true, bin.stated, laws::z_threshold() * std::sqrt(bin.variance))
          << "of " << bin.count << " statements between " << static_cast<double>(i) / kBins << " and "
          << static_cast<double>(i + 1) / kBins;
    }
    EXPECT_GE(used, least_bins) << "too few different statements to judge by";
  }

  int certain() const { return certain_; }

 private:
  static constexpr std::size_t kBins = 20;
  struct Bin {
    double stated = 0, variance = 0, came_true = 0, count = 0;
  };
  std::vector<Bin> bins_ = std::vector<Bin>(kBins);
  int certain_ = 0;
};

std::vector<double> each_cell(const std::vector<double>& e) { return e; }

// Short enough that most episodes end undecided, long enough to reach the cue several times.
TMaze noisy_maze() { return TMaze({.distance = 1, .arm = 1, .horizon = 4, .cue_accuracy = 0.8}); }

TEST(FiniteBeliefOnTMaze, RanksTheTruthUniformlyAmongItsDraws) {
  expect_uniform_ranks<TMaze, FiniteBelief<TMaze>>(
      noisy_maze(), [](int e) { return std::vector<double>{static_cast<double>(e)}; }, 1);
}

TEST(FiniteBeliefOnTMaze, IsRightAsOftenAsItsWeightsSay) {
  const TMaze maze = noisy_maze();
  Statements left;
  for (int episode = 0; episode < 5 * kEpisodes; ++episode) {
    Rng rng(2, static_cast<std::uint64_t>(episode));
    const int e = FiniteBelief<TMaze>(maze).sample(maze, rng);
    const auto belief = belief_after_episode<TMaze, FiniteBelief<TMaze>>(maze, e, rng);
    left.add(belief.weights()[0], e == 0);
  }
  left.expect_calibrated(5);  // 1/2, and one or two cues more for either side
  EXPECT_GT(left.certain(), 1000);
}

TEST(BetaBeliefOnBandit, RanksTheTruthUniformlyAmongItsDraws) {
  expect_uniform_ranks<Bandit, BetaBelief>(Bandit({.arms = 3, .horizon = 10, .prior_a = 1, .prior_b = 1}),
                                           each_cell, 3);
}

TEST(BetaBeliefOnBandit, RanksTheTruthUniformlyUnderASkewedPrior) {
  expect_uniform_ranks<Bandit, BetaBelief>(Bandit({.arms = 2, .horizon = 6, .prior_a = 0.5, .prior_b = 3}),
                                           each_cell, 4);
}

TreasureMap small_map(CollectionOrder order) {
  return TreasureMap({.size = 3, .looks = 5, .horizon = 4, .prior_a = 0.1, .prior_b = 1, .order = order});
}

TEST(BetaBeliefOnTreasureMap, RanksTheTruthUniformlyAmongItsDraws) {
  expect_uniform_ranks<TreasureMap, BetaBelief>(small_map(CollectionOrder::kCollectThenMove), each_cell, 5);
}

TEST(BetaBeliefOnTreasureMap, RanksTheTruthUniformlyWhenMovingComesFirst) {
  expect_uniform_ranks<TreasureMap, BetaBelief>(small_map(CollectionOrder::kMoveThenCollect), each_cell, 6);
}

TEST(BetaBeliefOnTreasureMap, RanksTheBestCellUniformly) {
  // A joint quantity: cells that are right one by one but wrong together would show here.
  const auto best_cell = [](const std::vector<double>& e) {
    return std::vector{*std::ranges::max_element(e)};
  };
  expect_uniform_ranks<TreasureMap, BetaBelief>(small_map(CollectionOrder::kCollectThenMove), best_cell, 7);
}

/// All predictions of payments along episodes, against the payments.
template <class F>
Statements payment_statements(const F& family, int episodes, std::uint64_t seed) {
  Statements paid;
  for (int episode = 0; episode < episodes; ++episode) {
    Rng rng(seed, static_cast<std::uint64_t>(episode));
    const auto e = BetaBelief(family).sample(family, rng);
    belief_after_episode<F, BetaBelief>(
        family, e, rng, [&](const BetaBelief& before, int x, int a, const Outcome& outcome) {
          if (family.pulls(x, a).size() != 1) return;  // a map has millions of outcomes; nothing pays nothing
          double stated = 0;
          before.predict(family, x, a, [&](double p, const Outcome& o) { stated += o.reward > 0 ? p : 0; });
          paid.add(stated, outcome.reward > 0);
        });
  }
  return paid;
}

TEST(BetaBeliefOnBandit, IsPaidAsOftenAsItPredicts) {
  payment_statements(Bandit({.arms = 2, .horizon = 10, .prior_a = 1, .prior_b = 1}), kEpisodes, 8)
      .expect_calibrated(10);
}

TEST(BetaBeliefOnTreasureMap, IsPaidAsOftenAsItPredicts) {
  payment_statements(small_map(CollectionOrder::kCollectThenMove), kEpisodes, 9).expect_calibrated(10);
}

TEST(BetaBeliefOnTreasureMap, SeesPaymentsAndSuccessesTogetherAsOftenAsItPredicts) {
  // One statement per joint result of a visit: payment and looks are draws of one cell, so each tells of the
  // other.
  const TreasureMap map = small_map(CollectionOrder::kCollectThenMove);
  const auto result = [](const Outcome& o) {
    return static_cast<std::size_t>(o.observation[0] + (o.reward > 0 ? 6 : 0));
  };
  std::vector<Statements> of_result(12);
  for (int episode = 0; episode < kEpisodes; ++episode) {
    Rng rng(10, static_cast<std::uint64_t>(episode));
    const auto e = BetaBelief(map).sample(map, rng);
    belief_after_episode<TreasureMap, BetaBelief>(
        map, e, rng, [&](const BetaBelief& before, int x, int a, const Outcome& outcome) {
          if (map.pulls(x, a).size() != 1) return;
          std::vector<double> stated(of_result.size());
          before.predict(map, x, a, [&](double p, const Outcome& o) { stated[result(o)] += p; });
          for (std::size_t r = 0; r < stated.size(); ++r) of_result[r].add(stated[r], result(outcome) == r);
        });
  }
  for (const Statements& statements : of_result) statements.expect_calibrated(1);
}

}  // namespace
}  // namespace assay
