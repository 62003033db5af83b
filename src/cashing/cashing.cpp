#include "assay/cashing/cashing.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "assay/core/detail/workers.hpp"

namespace assay {
namespace {

/// A table of numbers, worlds by plans, as terms of an average.
struct Table {
  std::size_t worlds = 1;
  std::size_t plans = 0;
  bool crossed = false;
  std::vector<double> numbers;  // [world][plan]
};

/// With worlds and plans crossed, numbers in a row or in a column are not independent. Two-way analysis of
/// variance: the mean squares of rows, columns and residuals estimate N a + c, M b + c and c, and the mean's
/// variance is a / M + b / N + c / (M N).
double crossed_variance(const Table& t, double mean) {
  const auto m = static_cast<double>(t.worlds);
  const auto n = static_cast<double>(t.plans);
  if (t.worlds < 2 || t.plans < 2) return std::numeric_limits<double>::quiet_NaN();
  std::vector<double> row(t.worlds, 0.0);
  std::vector<double> column(t.plans, 0.0);
  for (std::size_t i = 0; i < t.worlds; ++i) {
    for (std::size_t j = 0; j < t.plans; ++j) {
      row[i] += t.numbers[i * t.plans + j] / n;
      column[j] += t.numbers[i * t.plans + j] / m;
    }
  }
  double rows = 0;
  double columns = 0;
  double residuals = 0;
  for (const double r : row) rows += (r - mean) * (r - mean) * n / (m - 1);
  for (const double c : column) columns += (c - mean) * (c - mean) * m / (n - 1);
  for (std::size_t i = 0; i < t.worlds; ++i) {
    for (std::size_t j = 0; j < t.plans; ++j) {
      const double residual = t.numbers[i * t.plans + j] - row[i] - column[j] + mean;
      residuals += residual * residual / ((m - 1) * (n - 1));
    }
  }
  return std::max(0.0, rows + columns - residuals) / (m * n);
}

Estimate average(const Table& table) {
  const auto count = static_cast<double>(table.numbers.size());
  double sum = 0;
  for (const double number : table.numbers) sum += number;
  const double mean = sum / count;
  if (table.crossed) return {mean, std::sqrt(crossed_variance(table, mean))};
  double squares = 0;
  for (const double number : table.numbers) squares += (number - mean) * (number - mean);
  return {mean, std::sqrt(squares / (count - 1) / count)};
}

/// weight * draws at a state.
struct Term {
  double weight = 1;
  const Draws& draws;
  int state = 0;

  [[nodiscard]] Estimate estimate() const {
    if (draws.is_exact()) return {weight * draws.exact.at(static_cast<std::size_t>(state)), 0};
    return average(table());
  }
  [[nodiscard]] Table table() const {
    Table t{draws.worlds, draws.plans, draws.crossed, {}};
    t.numbers.reserve(draws.size());
    for (std::size_t m = 0; m < t.worlds; ++m) {
      for (std::size_t n = 0; n < t.plans; ++n) t.numbers.push_back(weight * draws.at(m, state, n));
    }
    return t;
  }
};

/// The sum of two terms whose draws have nothing to do with each other.
Estimate separate_sum(const Term& one, const Term& two) {
  const Estimate a = one.estimate();
  const Estimate b = two.estimate();
  return {a.value + b.value, std::hypot(a.standard_error, b.standard_error)};
}

/// The sum of two terms that were drawn together: draw by draw. One world's draws pair with every world's.
Estimate joint_sum(const Term& one, const Term& two) {
  if (one.draws.is_exact() || two.draws.is_exact() || one.draws.plans != two.draws.plans) {
    return separate_sum(one, two);
  }
  Table sum = one.draws.worlds >= two.draws.worlds ? one.table() : two.table();
  sum.crossed = one.draws.crossed || two.draws.crossed;
  const Term& fewer = one.draws.worlds >= two.draws.worlds ? two : one;
  if (fewer.draws.worlds != sum.worlds && fewer.draws.worlds != 1) return separate_sum(one, two);
  for (std::size_t m = 0; m < sum.worlds; ++m) {
    const std::size_t world = fewer.draws.worlds == 1 ? 0 : m;
    for (std::size_t n = 0; n < sum.plans; ++n) {
      sum.numbers[m * sum.plans + n] += fewer.weight * fewer.draws.at(world, fewer.state, n);
    }
  }
  return average(sum);
}

bool drawn_together(const CrossSamples& one, const CrossSamples& other) {
  return one.key == other.key && one.paired && other.paired;
}

/// What the belief becomes when one has arrived at `state` and, unless it is kArrive, done `action`.
struct Branch {
  double probability = 1;
  std::unique_ptr<Belief> after;
};

/// Every way in which a finite belief can change in a step.
std::vector<Branch> all_branches(const Belief& knowledge, int state, int action) {
  std::vector<Branch> branches;
  for (const Belief::Prediction& arrival : knowledge.predict(state, kArrive)) {
    std::unique_ptr<Belief> arrived = knowledge.clone();
    arrived->observe(state, kArrive, arrival.outcome);
    if (action == kArrive) {
      branches.push_back({arrival.probability, std::move(arrived)});
      continue;
    }
    for (const Belief::Prediction& acted : arrived->predict(state, action)) {
      Branch branch{arrival.probability * acted.probability, arrived->clone()};
      branch.after->observe(state, action, acted.outcome);
      branches.push_back(std::move(branch));
    }
  }
  return branches;
}

std::unique_ptr<Belief> drawn_branch(const Belief& knowledge, int state, int action, Rng& rng) {
  std::unique_ptr<Belief> after = knowledge.clone();
  after->observe(state, kArrive, after->draw_outcome(state, kArrive, rng));
  if (action != kArrive) after->observe(state, action, after->draw_outcome(state, action, rng));
  return after;
}

/// What can be done in a state to learn something there.
struct Visit {
  std::size_t place = 0;  // of the state among those asked for
  int state = 0;
  int action = kArrive;
};

std::vector<Visit> visits_to(const Belief& knowledge, std::span<const int> states) {
  std::vector<Visit> visits;
  for (std::size_t place = 0; place < states.size(); ++place) {
    const std::size_t before = visits.size();
    for (int a = 0; a < knowledge.actions(); ++a) {
      if (knowledge.allowed(states[place], a) && knowledge.learns(states[place], a)) {
        visits.push_back({place, states[place], a});
      }
    }
    if (visits.size() == before) visits.push_back({place, states[place], kArrive});
  }
  return visits;
}

Estimate expected_by_sum(const Belief& knowledge, const Visit& visit, const Expectation& how,
                         const CrossSamples& before) {
  CrossSampler sampler(how.estimator, how.ending, how.kernel);
  Estimate sum;
  for (const Branch& branch : all_branches(knowledge, visit.state, visit.action)) {
    const Estimate gain =
        approximate_cashed_reward(visit.state, before, sampler.sample(*branch.after, how.key));
    sum.value += branch.probability * gain.value;
    sum.standard_error += branch.probability * gain.standard_error;  // drawn together: errors may add up
  }
  return sum;
}

/// The gains of the i-th drawn outcome of every visit. Each i has random numbers of its own, common to before
/// and after: so the gains of a visit are independent draws with little noise.
std::vector<double> drawn_gains(const Belief& knowledge, std::span<const Visit> visits,
                                const Expectation& how, std::size_t i) {
  CrossSampler sampler(how.estimator, how.ending, how.kernel);
  DrawKey key = how.key;
  key.step += i;
  DrawKey outcomes = key;  // what is imagined must have nothing to do with the plans and worlds that value it
  outcomes.role += std::uint64_t{1} << 63U;
  const CrossSamples before = sampler.sample(knowledge, key);
  CrossSamples after;
  std::vector<double> gains;
  for (const Visit& visit : visits) {
    Rng rng = outcomes.rng().split(static_cast<std::uint64_t>(visit.state));
    sampler.sample(*drawn_branch(knowledge, visit.state, visit.action, rng), key, after);
    gains.push_back(approximate_cashed_reward(visit.state, before, after).value);
  }
  return gains;
}

}  // namespace

Estimate current_information(const CrossSamples& samples, int state) {
  return Term{1, samples.current, state}.estimate();
}

Estimate full_information(const CrossSamples& samples, int state) {
  return Term{1, samples.full, state}.estimate();
}

Estimate information_bound(const CrossSamples& samples, int state) {
  const Term full{1, samples.full, state};
  const Term current{-1, samples.current, state};
  return samples.paired ? joint_sum(full, current) : separate_sum(full, current);
}

Estimate cashed_reward(const Step& step, double discount, const CrossSamples& before,
                       const CrossSamples& after) {
  const Term next{discount, after.current, step.next};
  const Term now{-1, before.current, step.state};
  Estimate lambda = drawn_together(before, after) ? joint_sum(next, now) : separate_sum(next, now);
  lambda.value += step.reward;
  return lambda;
}

Estimate approximate_cashed_reward(int state, const CrossSamples& before, const CrossSamples& after) {
  return cashed_reward({state, 0, state}, 1, before, after);
}

std::vector<Estimate> expected_cashed_reward(const Belief& knowledge, std::span<const int> states,
                                             const Expectation& how) {
  const std::vector<Visit> visits = visits_to(knowledge, states);
  std::vector<Estimate> gains(visits.size());
  Workers workers(how.threads);
  std::atomic<std::size_t> done = 0;
  if (knowledge.finite()) {
    CrossSampler sampler(how.estimator, how.ending, how.kernel);
    const CrossSamples before = sampler.sample(knowledge, how.key);
    workers.for_each(visits.size(), [&](std::size_t v) {
      gains[v] = expected_by_sum(knowledge, visits[v], how, before);
      how.watch(static_cast<double>(++done) / static_cast<double>(visits.size()));
    });
  } else {
    if (how.outcomes < 2) throw UsageError("a standard error needs at least 2 outcomes");
    std::vector<std::vector<double>> drawn(how.outcomes);  // [outcome][visit]
    workers.for_each(how.outcomes, [&](std::size_t i) {
      drawn[i] = drawn_gains(knowledge, visits, how, i);
      how.watch(static_cast<double>(++done) / static_cast<double>(how.outcomes));
    });
    for (std::size_t v = 0; v < visits.size(); ++v) {
      Table table{1, how.outcomes, false, {}};
      for (const std::vector<double>& outcome : drawn) table.numbers.push_back(outcome[v]);
      gains[v] = average(table);
    }
  }
  std::vector<Estimate> best(states.size(), {-std::numeric_limits<double>::infinity(), 0});
  for (std::size_t v = 0; v < visits.size(); ++v) {
    Estimate& most = best[visits[v].place];
    if (gains[v].value > most.value) most = gains[v];
  }
  return best;
}

}  // namespace assay
