// habit: at every state the action after which practice episodes paid most, on average. A method that learns,
// in one file.
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "assay/core/error.hpp"
#include "assay/core/rng.hpp"
#include "assay/problem/registry.hpp"

namespace assay {
namespace {

struct HabitSettings {
  int epochs = 20;
  int episodes = 50;
};

/// What followed each action at each state: how often it was taken, and the sum of what came after it.
struct Table {
  explicit Table(const Problem& problem)
      : actions(problem.actions()), cells(static_cast<std::size_t>(2 * problem.states() * actions)) {}

  double& times(int x, int a) { return cells[static_cast<std::size_t>(2 * (x * actions + a))]; }
  double& paid(int x, int a) { return cells[static_cast<std::size_t>(2 * (x * actions + a) + 1)]; }
  std::string bytes() const {
    return {reinterpret_cast<const char*>(cells.data()), cells.size() * sizeof(double)};
  }
  void read(std::string_view bytes) {
    if (bytes.size() != cells.size() * sizeof(double)) throw CorruptError("not a habit of this problem");
    std::memcpy(cells.data(), bytes.data(), bytes.size());
  }

  int actions;
  std::vector<double> cells;  // [state][action][times, paid]
};

class HabitPolicy final : public Policy {
 public:
  explicit HabitPolicy(Table table) : table_(std::move(table)) {}
  int act(const Situation& situation, Rng& /*rng*/) override {
    int best = -1;
    double most = -std::numeric_limits<double>::infinity();
    for (int a = 0; a < situation.actions(); ++a) {
      if (!situation.allowed(a)) continue;
      const double times = table_.times(situation.state(), a);
      const double mean = times > 0 ? table_.paid(situation.state(), a) / times : 0;
      if (best >= 0 && mean <= most) continue;
      best = a;
      most = mean;
    }
    return best;
  }
  std::unique_ptr<Policy> clone() const override { return std::make_unique<HabitPolicy>(*this); }

 private:
  Table table_;
};

class HabitLearner final : public Learner {
 public:
  HabitLearner(const Problem& problem, const HabitSettings& settings, Rng rng)
      : problem_(problem), settings_(settings), rng_(rng), table_(problem) {}

  int epochs() const override { return settings_.epochs; }
  int done() const override { return done_; }
  double seconds_per_epoch() const override { return 1e-3; }
  EpochReport advance() override {
    double sum = 0;
    for (int i = 0; i < settings_.episodes; ++i) sum += practise(rng_.split(next_episode(i)));
    ++done_;
    return {sum / settings_.episodes, 0};
  }
  std::string save() const override { return std::to_string(done_) + ' ' + table_.bytes(); }
  void restore(std::string_view state) override {
    const std::size_t space = state.find(' ');
    if (space == state.npos) throw CorruptError("not a habit");
    table_.read(state.substr(space + 1));
    done_ = std::stoi(std::string(state.substr(0, space)));
  }
  std::string policy_state() const override { return table_.bytes(); }

 private:
  std::uint64_t next_episode(int i) const {
    return static_cast<std::uint64_t>(done_ * settings_.episodes + i);
  }

  /// Plays an episode at random and notes what followed. Returns what it paid.
  double practise(Rng rng) {
    Episode episode = problem_.practice(rng.split(0));
    Rng choice = rng.split(1);
    std::vector<StepRecord> steps;
    while (!episode.done()) {
      StepRecord& step = steps.emplace_back();
      step.arrival = episode.arrive();
      step.state = episode.situation().state();
      do {
        step.action = static_cast<int>(uniform_index(choice, static_cast<std::uint64_t>(table_.actions)));
      } while (!episode.situation().allowed(step.action));
      step.outcome = episode.act(step.action);
    }
    double after = 0;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      after = step->outcome.reward + problem_.discount() * after;
      table_.times(step->state, step->action) += 1;
      table_.paid(step->state, step->action) += after;
      after += step->arrival.reward;
    }
    return after;
  }

  const Problem& problem_;
  HabitSettings settings_;
  Rng rng_;
  Table table_;
  int done_ = 0;
};

class Habit final : public Method {
 public:
  explicit Habit(const HabitSettings& settings) : settings_(settings) {}
  std::vector<Need> needs() const override { return {}; }
  std::unique_ptr<Learner> learner(const Problem& problem, Rng rng,
                                   const Resources& /*resources*/) const override {
    return std::make_unique<HabitLearner>(problem, settings_, rng);
  }
  std::unique_ptr<Policy> policy(const Problem& problem, std::string_view state,
                                 const Resources& /*resources*/) const override {
    Table table(problem);
    table.read(state);
    return std::make_unique<HabitPolicy>(std::move(table));
  }

 private:
  HabitSettings settings_;
};

const RegisterMethod<Habit, HabitSettings> kRegistered(
    "habit", "the action after which practice episodes paid most",
    Schema<HabitSettings>({integer("epochs", &HabitSettings::epochs, 1, 1000, "how often it learns"),
                           integer("episodes", &HabitSettings::episodes, 1, 10'000,
                                   "practice episodes in an epoch")}));

}  // namespace
}  // namespace assay
