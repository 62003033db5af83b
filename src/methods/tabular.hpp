// Tabular learning over beliefs and places: the common machine of tabular_td and tabular_pcr.
//
// A value is v(p,b) = v^c(p,b) + v^f(p,b). TD learns all of it as one table; PCR takes v^c from cross-values
// and learns v^f from the cashed reward lambda (paper, eq. "v update rule"). Both learn towards the best
// place that can be chosen next: q-learning, in terms of places.
//
// With exact cross-values the two are one algorithm that differs only in where its values start (cashing is
// shaping by a potential). PCR with v^f = 0 starts from v^c, which is far below the truth near anything that
// may hurt: such a learner flees, and what it flees from it does not get to know. With v^f = B it starts from
// E[v^e], which no value exceeds: what it overrates it visits, and corrects.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/core/policy.hpp"
#include "assay/problem/method.hpp"
#include "assay/problem/problem.hpp"
#include "cashing/cross_table.hpp"
#include "cashing/place_values.hpp"
#include "core/bytes.hpp"
#include "methods/counted_environments.hpp"

namespace assay {

/// Where cross-values come from:
///   iteration  backward induction in the model
///   known      TD for all plans, told the true environment after each episode (eq. "cross update")
///   horizon    the same, told nothing: the environment is drawn from the belief that the episode ended with
///              (belief horizon sampling)
///   policy     the paper's rule as printed: before each action a plan e' is drawn from the belief and
///   followed,
///              and TD is for that plan alone. Every other episode is played so; the others follow v^c + v^f.
///   counts     backward induction in environments that were counted from experience
///   none       there are none: plain TD
enum class CrossSource { kIteration, kKnown, kHorizon, kPolicy, kCounts, kNone };
/// In which environment an episode is taken to have happened by `policy` and `counts`.
enum class LearnedWorld { kHorizon, kKnown };
/// Auto: stationary where places are states, remaining where they are actions.
enum class TableClock { kStationary, kRemaining, kAuto };
enum class TableStart { kZero, kCurrent };  // of TD's table: zero, or v^c by iteration
/// Of PCR's v^f: its bound B, by the cross-values of the moment (the table then holds how far v^f is from
/// it), or zero.
enum class FutureStart { kBound, kZero };
enum class TabularPreset { kBest, kPaper };

struct TabularSettings {
  TabularPreset preset = TabularPreset::kBest;
  PlaceForm form = PlaceForm::kAuto;
  CrossSource cross = CrossSource::kHorizon;
  LearnedWorld world = LearnedWorld::kHorizon;
  int solve_every = 20;  // episodes between two solutions of what was counted
  TableStart start = TableStart::kZero;
  FutureStart future_start = FutureStart::kBound;
  TableClock clock = TableClock::kAuto;
  int epochs = 1500;
  int episodes = 1;  // per epoch
  double epsilon = 0.5;
  double sticky = 1;
  double rate = 0.1;
  double decay = 0.001;     // the rate in epoch n is rate / (1 + decay n)
  int first_epoch = 0;      // of learning v^f
  int greedy_episodes = 2;  // per epoch, for the learning curve
};

/// As the paper describes it: v^f starts from zero, and cross-values settle before it is learned.
inline TabularSettings paper_tabular_settings() {
  TabularSettings s;
  s.preset = TabularPreset::kPaper;
  s.future_start = FutureStart::kZero;
  s.clock = TableClock::kStationary;
  s.rate = 0.01;
  s.first_epoch = 100;
  return s;
}

/// The values of one belief that have been learned: few of all, since most places are never met with it.
class SparseRow {
 public:
  struct Entry {
    std::size_t index = 0;
    double value = 0;
  };

  /// Nothing if it was never learned.
  [[nodiscard]] const double* find(std::size_t index) const {
    const auto at = place_of(index);
    return at != entries_.end() && at->index == index ? &at->value : nullptr;
  }
  void set(std::size_t index, double value) {
    const auto at = entries_.begin() + (place_of(index) - entries_.begin());
    if (at != entries_.end() && at->index == index) {
      at->value = value;
    } else {
      entries_.insert(at, {index, value});
    }
  }
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

 private:
  [[nodiscard]] std::vector<Entry>::const_iterator place_of(std::size_t index) const {
    return std::ranges::lower_bound(entries_, index, {}, &Entry::index);
  }

  std::vector<Entry> entries_;  // by index
};

/// What is learned.
struct TabularValues {
  using BeliefKey = std::vector<std::uint64_t>;

  std::map<BeliefKey, SparseRow> future;  // by clock and place; TD: all of the value
  std::optional<CrossTable> cross;
};

/// v^c and B by drawn environments, remembered by belief. May be used by several threads.
class DrawnCash {
 public:
  explicit DrawnCash(PlaceValuer valuer) : valuer_(std::move(valuer)) {}
  struct Cash {
    double current = 0;
    double bound = 0;
  };
  [[nodiscard]] Cash at(const Belief& belief, int clock, int place);

 private:
  using Key = std::pair<int, TabularValues::BeliefKey>;

  std::mutex mutex_;
  PlaceValuer valuer_;
  std::map<Key, PlaceValues> known_;
};

/// What does not change while it is being learned.
class TabularModel {
 public:
  TabularModel(const Problem& problem, const TabularSettings& settings);

  [[nodiscard]] const TabularSettings& settings() const { return settings_; }
  [[nodiscard]] const Belief& prior() const { return *prior_; }
  [[nodiscard]] const Places& places() const { return *places_; }
  [[nodiscard]] double discount() const { return discount_; }
  [[nodiscard]] bool cashes() const { return settings_.cross != CrossSource::kNone; }
  /// The index of the clock with so many collections to come.
  [[nodiscard]] int clock(int collections) const {
    return settings_.clock == TableClock::kRemaining ? collections : horizon_;
  }
  [[nodiscard]] int clocks() const { return horizon_ + 1; }
  /// Are there tables of cross-values to learn? They need finitely many environments with numbers, not too
  /// many; otherwise cross-values are of environments that are drawn from the belief.
  [[nodiscard]] bool learns_cross() const;
  /// Into a table of learned cross-values, which has one clock if there is one value for all times.
  [[nodiscard]] int cross_clock(int clock) const {
    return settings_.clock == TableClock::kRemaining ? clock : 0;
  }
  /// Into a row.
  [[nodiscard]] std::size_t index(int clock, int place) const {
    return static_cast<std::size_t>(clock) * static_cast<std::size_t>(places_->count()) +
           static_cast<std::size_t>(place);
  }
  [[nodiscard]] TabularValues initial_values() const;

  struct Best {
    const Places::Option* option = nullptr;
    double current = 0;
    double future = 0;
  };
  [[nodiscard]] double current(const TabularValues& values, const Belief& belief, int clock, int place) const;
  /// v^f by the belief's row, or what it is thought to be as long as nothing was learned there. `now` is v^c.
  [[nodiscard]] double future(const TabularValues& values, const SparseRow* row, const Belief& belief,
                              int clock, int place, double now) const;
  /// What the row holds: v^f, or how far it is from the bound if it starts there.
  [[nodiscard]] double learned(const SparseRow* row, const Belief& belief, int clock, int place) const;
  [[nodiscard]] static const SparseRow* known_row(const TabularValues& values, const Belief& belief);
  [[nodiscard]] Best best(const TabularValues& values, const Belief& belief, int clock, int state) const;
  /// Where v^f is kept; nothing for PCR where the environment is known, since there is nothing to find out.
  [[nodiscard]] SparseRow* row(TabularValues& values, const Belief& belief) const;

  [[nodiscard]] std::string encode(const TabularValues& values) const;
  /// Throws CorruptError.
  [[nodiscard]] TabularValues decode(std::string_view bytes) const;

 private:
  /// What is thought of a place as long as nothing was learned there.
  [[nodiscard]] double first_value(const Belief& belief, int clock, int place) const;
  [[nodiscard]] double known_current(const Belief& belief, int clock, int place) const;
  [[nodiscard]] double known_full(const Belief& belief, int clock, int place) const;
  [[nodiscard]] SparseRow read_row(ByteReader& reader, bool sparse) const;

  TabularSettings settings_;
  int horizon_;
  double discount_;
  std::shared_ptr<const Belief> prior_;
  std::shared_ptr<const Places> places_;
  bool tables_ = false;  // are there few enough environments, with numbers?
  std::optional<CrossTable> exact_;
  std::unique_ptr<DrawnCash> drawn_;
};

/// Greedy in the learned values.
class TabularPolicy final : public Policy {
 public:
  TabularPolicy(std::shared_ptr<const TabularModel> model, std::shared_ptr<const TabularValues> values)
      : model_(std::move(model)), values_(std::move(values)) {}

  int act(const Situation& situation, Rng& rng) override;
  [[nodiscard]] Appraisal appraise(const Situation& situation, Rng& rng) override;
  [[nodiscard]] std::unique_ptr<Policy> clone() const override {
    return std::make_unique<TabularPolicy>(model_, values_);
  }

 private:
  std::shared_ptr<const TabularModel> model_;
  std::shared_ptr<const TabularValues> values_;
};

/// The problem must outlive it.
class TabularLearner final : public Learner {
 public:
  TabularLearner(std::shared_ptr<const TabularModel> model, const Problem& problem, Rng rng);

  [[nodiscard]] int epochs() const override { return model_->settings().epochs; }
  [[nodiscard]] int done() const override { return done_; }
  EpochReport advance() override;
  [[nodiscard]] double seconds_per_epoch() const override;
  [[nodiscard]] std::string save() const override;
  void restore(std::string_view state) override;
  [[nodiscard]] std::string policy_state() const override { return model_->encode(*values_); }
  [[nodiscard]] const TabularValues& values() const { return *values_; }

 private:
  /// A collection, and the state that the next place was chosen in.
  struct Event {
    int place = 0;
    int clock = 0;
    double reward = 0;
    int state = 0;
    bool last = false;  // nothing comes after it
    int plan = -1;      // of which environment the agent followed the plan; -1: of none
  };

  class Practice;

  void play(Rng rng);
  /// An event is over, with so many collections left when it began.
  void collected(Event event, int left, double rate);
  double learn_event(const Event& event, double rate);
  void learn_cross(Rng rng, double rate);
  void learn_from(const Event& event, std::size_t plan, std::size_t world, double rate);
  void solve_counted();
  double greedy_return(Rng rng);
  [[nodiscard]] Episode practice_in(int environment, Rng rng) const;

  std::shared_ptr<const TabularModel> model_;
  const Problem& problem_;
  std::shared_ptr<TabularValues> values_;
  std::unique_ptr<Belief> before_;  // the event under way
  std::unique_ptr<Belief> after_;
  int true_environment_ = 0;  // of the last episode
  Rng rng_;
  int done_ = 0;
  double loss_ = 0;
  std::vector<Event> events_;
  std::vector<ExperiencedStep> steps_;  // of the last episode
  std::optional<CountedEnvironments> counted_;
  bool follows_plans_ = false;  // in the present episode
};

}  // namespace assay
