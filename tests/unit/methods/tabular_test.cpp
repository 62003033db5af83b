// Tabular learners against exact solutions, and against each other where theory says that they are the same.
#include "methods/tabular.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>

#include "assay/lab/evaluation.hpp"
#include "assay/problem/registry.hpp"
#include "assay/solver/exact_solution.hpp"
#include "core/bytes.hpp"
#include "source_dir.hpp"
#include "support/complaint.hpp"

namespace assay {
namespace {

struct Training {
  Training(const std::string& family, const TabularSettings& settings, std::uint64_t seed = 1)
      : problem(make_problem(family)),
        model(std::make_shared<const TabularModel>(*problem, settings)),
        learner(model, *problem, Rng(seed)) {}

  Training& all() {
    while (learner.done() < learner.epochs()) learner.advance();
    return *this;
  }

  std::unique_ptr<Problem> problem;
  std::shared_ptr<const TabularModel> model;
  TabularLearner learner;
};

TabularSettings converging(CrossSource cross) {
  TabularSettings s;
  s.cross = cross;
  s.clock = TableClock::kRemaining;
  s.epochs = 20000;
  s.rate = 0.5;
  s.decay = 0.002;  // the sum of rates diverges, that of their squares does not
  s.first_epoch = 0;
  s.greedy_episodes = 0;
  return s;
}

/// The value that the learner gives the prior at the start, where the exact solver gives v*. The learner's
/// error there is that of averages over outcomes of the cue with a rate of about 1/80 at the end: with
/// returns between -7 T and T it stays within a few tenths; a wrong algorithm is off by whole units.
void expect_optimal_start(const std::string& family, CrossSource cross, double tolerance,
                          FutureStart from = FutureStart::kBound) {
  SCOPED_TRACE(family + " " + std::to_string(static_cast<int>(cross)));
  TabularSettings settings = converging(cross);
  settings.future_start = from;
  Training training(family, settings);
  training.all();
  const double due = training.problem->exact({})->value();
  const std::unique_ptr<Belief> prior = training.problem->prior();
  const int start = training.problem->starts().front().state;
  const int horizon = training.problem->horizon();
  TabularValues values = training.learner.values();
  const SparseRow* row = training.model->row(values, *prior);
  const double current = training.model->current(values, *prior, horizon, start);
  const double learned = current + training.model->future(values, row, *prior, horizon, start, current);
  EXPECT_NEAR(learned, due, tolerance);
}

TEST(Tabular, LearnersConvergeToTheExactValue) {
  for (const CrossSource cross :
       {CrossSource::kNone, CrossSource::kIteration, CrossSource::kKnown, CrossSource::kHorizon}) {
    expect_optimal_start("t_maze(distance=2,arm=1,horizon=8,discount=0.9)", cross, 0.05);
    expect_optimal_start("t_maze(distance=2,arm=1,horizon=8,discount=0.9)", cross, 0.05, FutureStart::kZero);
  }
}

TEST(Tabular, LearnersConvergeWithACueThatMayLie) {
  for (const CrossSource cross : {CrossSource::kNone, CrossSource::kIteration, CrossSource::kKnown}) {
    expect_optimal_start("t_maze(distance=2,arm=1,horizon=6,punishment=-2,discount=0.9,cue_accuracy=0.8)",
                         cross, 0.1);
  }
}

TEST(Tabular, BeliefHorizonSamplingConvergesToTheExactCrossValues) {
  // The tables are learned along episodes that end with a known environment or with none of the evidence, so
  // attributing a transition to a drawn environment is never wrong (paper, appendix B).
  for (const CrossSource cross : {CrossSource::kHorizon, CrossSource::kKnown}) {
    TabularSettings settings = converging(cross);
    settings.epsilon = 1;  // every place is visited at every clock
    Training training("t_maze(distance=2,arm=1,horizon=6,discount=0.9)", settings);
    training.all();
    const std::unique_ptr<Belief> prior = training.problem->prior();
    const Places& places = training.model->places();
    const CrossTable exact = CrossTable::exact(*prior, places, 6);
    const CrossTable& learned = *training.learner.values().cross;
    double largest = 0;
    // From the start (state 2) with 6 collections to come; later clocks reach places within as many moves.
    for (int clock = 1; clock <= 6; ++clock) {
      for (std::size_t plan = 0; plan < 2; ++plan) {
        for (std::size_t world = 0; world < 2; ++world) {
          for (int p = 0; p < places.count(); ++p) {
            if (std::abs(p - 2) > 6 - clock || learned.at(clock, plan, world, p) == 0) continue;
            largest = std::max(largest,
                               std::abs(learned.at(clock, plan, world, p) - exact.at(clock, plan, world, p)));
          }
        }
      }
    }
    EXPECT_LT(largest, 0.02);
    EXPECT_LT(exact.at(6, 0, 1, 2), -5) << "the test would see nothing if wrong plans were not punished";
    EXPECT_NEAR(learned.at(6, 0, 1, 2), exact.at(6, 0, 1, 2), 0.02);
  }
}

TEST(Tabular, CashingAndPlainTdMakeTheSameUpdates) {
  // v = v^c + v^f with exact v^c: TD on lambda for v^f and TD on the reward for v, both from v^c, are one
  // algorithm (potential-based shaping). Same seed, so the same moves as long as the values agree.
  TabularSettings pcr = converging(CrossSource::kIteration);
  pcr.future_start = FutureStart::kZero;
  pcr.epochs = 300;
  pcr.rate = 0.1;
  TabularSettings td = pcr;
  td.cross = CrossSource::kNone;
  td.start = TableStart::kCurrent;
  const std::string family = "t_maze(distance=2,arm=2,horizon=9,discount=0.95,cue_accuracy=0.9)";
  Training cashing(family, pcr);
  Training plain(family, td);
  for (int epoch = 0; epoch < 300; ++epoch) {
    const EpochReport one = cashing.learner.advance();
    const EpochReport other = plain.learner.advance();
    ASSERT_NEAR(one.loss, other.loss, 1e-8 * (1 + other.loss)) << "epoch " << epoch;
  }
  const std::unique_ptr<Belief> prior = cashing.problem->prior();
  TabularValues future = cashing.learner.values();
  TabularValues whole = plain.learner.values();
  const SparseRow* f = cashing.model->row(future, *prior);
  const SparseRow* v = plain.model->row(whole, *prior);
  double moved = 0;
  for (int clock = 0; clock <= 9; ++clock) {
    for (int p = 0; p < cashing.model->places().count(); ++p) {
      const double now = cashing.model->current(future, *prior, clock, p);
      const double later = cashing.model->future(future, f, *prior, clock, p, now);
      EXPECT_NEAR(later + now, plain.model->future(whole, v, *prior, clock, p, 0), 1e-9);
      moved += std::abs(later);
    }
  }
  EXPECT_GT(moved, 1) << "nothing was learned";
}

TEST(Tabular, FutureInformationStartsFromItsBound) {
  // v^c + B is the value of full information, which no value exceeds; with v^f = 0 the start is v^c.
  for (const FutureStart from : {FutureStart::kBound, FutureStart::kZero}) {
    TabularSettings settings;
    settings.cross = CrossSource::kIteration;
    settings.future_start = from;
    const Training training("t_maze", settings);
    const std::unique_ptr<Belief> prior = training.problem->prior();
    const InformationValues due = training.problem->information({});
    const int start = training.problem->starts().front().state;
    const TabularValues& values = training.learner.values();
    const double current = training.model->current(values, *prior, 20, start);
    EXPECT_NEAR(current, due.current.value, 1e-9);
    EXPECT_NEAR(training.model->future(values, nullptr, *prior, 20, start, current),
                from == FutureStart::kBound ? due.bound.value : 0, 1e-9);
  }
}

/// What the policy earns in the environment with this sign of the reward at state `end`, if it is met within
/// a hundred draws.
double earned_in(const Problem& problem, const Policy& policy, int end, bool positive) {
  for (std::uint64_t i = 0; i < 100; ++i) {
    Episode episode = problem.episode(Rng(77).split(i));
    if ((episode.truth().expected_reward(end, 0) > 0) != positive) continue;
    const auto own = policy.clone();
    Rng unused(0);
    double sum = 0;
    while (!episode.done()) {
      sum += episode.arrive().reward;
      sum += episode.act(own->act(episode.situation(), unused)).reward;
    }
    return sum;
  }
  return std::nan("");
}

TEST(Tabular, TheLearningCurveIsOfBothEnvironments) {
  // TD tries an arm here, which pays in one environment and hurts in the other. Every epoch's return must be
  // the mean of the two, whatever was drawn.
  const std::string family = "t_maze(distance=2,arm=1,discount=0.95)";
  const auto problem = make_problem(family);
  const int right_end = problem->states() - 1;
  const auto method = make_method("tabular_td(preset=paper,epochs=400)");
  const auto learner = method->learner(*problem, Rng(4), 1);
  int different = 0;
  while (learner->done() < learner->epochs()) {
    const double reported = learner->advance().mean_return;
    if (learner->done() % 20 != 0) continue;
    const auto policy = method->policy(*problem, learner->policy_state(), 1);
    const double one = earned_in(*problem, *policy, right_end, true);
    const double other = earned_in(*problem, *policy, right_end, false);
    EXPECT_DOUBLE_EQ(reported, (one + other) / 2) << "epoch " << learner->done();
    different += one != other;
  }
  EXPECT_GE(different, 3) << "the policies never depended on luck: the test would see nothing";
}

TEST(Tabular, FutureInformationIsKeptOnlyWhereThereIsSomethingToFindOut) {
  TabularSettings settings;
  settings.epochs = 300;
  settings.greedy_episodes = 0;
  Training training("t_maze", settings);
  training.all();
  EXPECT_EQ(training.learner.values().future.size(), 1U) << "only the prior: the cue and the arms tell all";
}

TEST(Tabular, FutureInformationWaitsForItsFirstEpoch) {
  TabularSettings settings = paper_tabular_settings();
  settings.epochs = 101;
  settings.rate = 0.5;
  Training training("t_maze", settings);
  while (training.learner.done() < 100) training.learner.advance();
  for (const auto& [key, row] : training.learner.values().future) {
    ASSERT_TRUE(row.entries().empty());
  }
  training.learner.advance();
  double moved = 0;
  for (const auto& [key, row] : training.learner.values().future) {
    for (const SparseRow::Entry& entry : row.entries()) moved += std::abs(entry.value);
  }
  EXPECT_GT(moved, 0);
}

TEST(Tabular, AResumedTrainingGoesOnToTheSameBits) {
  for (const char* method :
       {"tabular_pcr(epochs=60,first_epoch=10)", "tabular_td(epochs=60)",
        "tabular_pcr(cross=known,epochs=60)", "tabular_pcr(preset=paper,epochs=60,first_epoch=10)"}) {
    SCOPED_TRACE(method);
    const std::unique_ptr<Problem> problem = make_problem("t_maze(cue_accuracy=0.9)");
    const std::unique_ptr<Method> made = make_method(method);
    const auto whole = made->learner(*problem, Rng(3), 1);
    const auto first = made->learner(*problem, Rng(3), 1);
    while (first->done() < 25) first->advance();
    const auto second = made->learner(*problem, Rng(3), 1);
    second->restore(first->save());
    EXPECT_EQ(second->done(), 25);
    std::vector<double> curve;
    while (whole->done() < 60) curve.push_back(whole->advance().loss);
    while (second->done() < 60) {
      const auto epoch = static_cast<std::size_t>(second->done());
      EXPECT_EQ(second->advance().loss, curve[epoch]);
    }
    EXPECT_EQ(whole->policy_state(), second->policy_state());
    EXPECT_EQ(whole->save(), second->save());
  }
}

/// As before there were sparse tables: all clocks and places of every belief, and of the cross-values.
std::string dense_state(const Training& training) {
  const TabularModel& model = *training.model;
  const TabularValues& values = training.learner.values();
  ByteWriter writer;
  writer.u64(values.future.size());
  for (const auto& [key, row] : values.future) {
    writer.u64(key.size());
    for (const std::uint64_t word : key) writer.u64(word);
    std::vector<double> numbers(model.index(model.clocks(), 0));
    for (const SparseRow::Entry& entry : row.entries()) numbers[entry.index] = entry.value;
    writer.f64s(numbers);
  }
  writer.u64(values.cross ? 1 : 0);
  if (values.cross) {
    const std::vector<double>& learned = values.cross->values();
    std::vector<double> numbers(learned.size() * static_cast<std::size_t>(model.clocks()));
    std::ranges::copy(learned, numbers.end() - static_cast<std::ptrdiff_t>(learned.size()));
    writer.f64s(numbers);
  }
  return writer.take();
}

TEST(Tabular, TablesOfTheFirstVersionAreRead) {
  for (const CrossSource cross : {CrossSource::kHorizon, CrossSource::kNone}) {
    TabularSettings settings;
    settings.cross = cross;
    settings.epochs = 200;
    settings.rate = 0.3;
    Training training("t_maze(cue_accuracy=0.9)", settings);
    training.all();
    const TabularValues& due = training.learner.values();
    const TabularValues found = training.model->decode(dense_state(training));
    ASSERT_EQ(found.future.size(), due.future.size());
    std::size_t learned = 0;
    for (const auto& [key, row] : due.future) {
      for (const SparseRow::Entry& entry : row.entries()) {
        EXPECT_EQ(*found.future.at(key).find(entry.index), entry.value);
        ++learned;
      }
    }
    EXPECT_GT(learned, 10U);
    ASSERT_EQ(found.cross.has_value(), due.cross.has_value());
    if (due.cross) {
      EXPECT_EQ(found.cross->values(), due.cross->values());
    }
  }
}

TEST(Tabular, StatesGrowWithWhatWasLearnedNotWithTheProblem) {
  // 20 beliefs or so at each of 30 steps: whole rows of them would take more than 100 MB.
  TabularSettings settings;
  settings.cross = CrossSource::kNone;
  settings.clock = TableClock::kRemaining;
  settings.epochs = 50;
  settings.greedy_episodes = 0;
  Training training(ASSAY_SOURCE_DIR "/examples/problems/goal_search_episodes.toml", settings);
  training.all();
  EXPECT_LT(training.learner.save().size(), 1'000'000U);
}

TEST(Tabular, StatesOfOthersAreRefused) {
  const auto td = make_method("tabular_td(epochs=3)");
  const auto pcr = make_method("tabular_pcr(epochs=3)");
  const auto maze = make_problem("t_maze");
  const auto larger = make_problem("t_maze(distance=5)");
  const auto learner = pcr->learner(*maze, Rng(1), 1);
  learner->advance();
  const std::string state = learner->policy_state();
  EXPECT_THROW((void)td->policy(*maze, state, 1), CorruptError);
  EXPECT_THROW((void)pcr->policy(*larger, state, 1), CorruptError);
  const auto plain = td->learner(*maze, Rng(1), 1);
  plain->advance();
  EXPECT_THROW((void)td->policy(*larger, plain->policy_state(), 1), CorruptError);
  EXPECT_NO_THROW((void)td->policy(*maze, plain->policy_state(), 1));
  EXPECT_THROW((void)pcr->policy(*maze, state.substr(0, state.size() - 1), 1), CorruptError);
  EXPECT_THROW((void)pcr->policy(*maze, state + "x", 1), CorruptError);
  // Eight bytes at a time are numbers; those of one value are made into another, which no table holds.
  const double infinite = INFINITY;
  int refused = 0;
  for (std::size_t place = 0; place + 8 <= state.size(); place += 8) {
    std::string changed = state;
    std::memcpy(changed.data() + place, &infinite, sizeof infinite);
    try {
      (void)pcr->policy(*maze, changed, 1);
    } catch (const CorruptError& error) {
      refused += test::contains(error.what(), "not a finite number") ? 1 : 0;
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_THROW(learner->restore("nonsense"), CorruptError);
  EXPECT_NO_THROW((void)pcr->policy(*maze, state, 1));
}

}  // namespace
}  // namespace assay
