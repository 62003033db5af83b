#include "lab/laboratory.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

#include "assay/core/detail/spec.hpp"
#include "assay/lab/evaluation.hpp"
#include "core/cores.hpp"

namespace assay {
namespace {

using LabClock = std::chrono::steady_clock;

double seconds_since(LabClock::time_point start) {
  return std::chrono::duration<double>(LabClock::now() - start).count();
}

/// An estimate in seconds: a test episode of a method that learns takes as long as a tenth of an epoch, and
/// that of another method as long as its decisions.
double work_in_test(const Run& run, const Learner* learner) {
  const double episode = learner != nullptr ? 0.1 * learner->seconds_per_epoch()
                                            : run.method->cost(*run.problem) * run.problem->horizon();
  return run.episodes * episode;
}

double work_in(const Run& run, const Learner* learner) {
  const double training = learner == nullptr ? 0 : learner->epochs() * learner->seconds_per_epoch();
  return training + work_in_test(run, learner);
}

/// Collects the progress of all threads.
class ProgressBook {
 public:
  ProgressBook(std::size_t runs, std::size_t finished, const LabOptions& options) : options_(options) {
    now_.runs = runs;
    now_.finished = finished;
  }
  void expect(double work) { all_ += work; }
  void add(double work, int epochs, bool finished) {
    const std::lock_guard lock(mutex_);
    done_ += work;
    epochs_ += epochs;
    now_.finished += finished ? 1 : 0;
    const double seconds = seconds_since(start_);
    const bool due = seconds - now_.seconds > 0.1 || finished;
    if (!due || !options_.watch) return;
    now_.seconds = seconds;
    now_.share = all_ > 0 ? std::min(1.0, done_ / all_) : 1;
    now_.epoch_rate = epochs_ / seconds;
    options_.watch(now_);
  }

 private:
  const LabOptions& options_;
  std::mutex mutex_;
  LabClock::time_point start_ = LabClock::now();
  double all_ = 0;
  double done_ = 0;
  double epochs_ = 0;
  LabProgress now_;
};

/// Trains with checkpoints and returns the epochs that are not in the store yet.
std::vector<EpochRecord> train_stored(Learner& learner, RunStore& store, RunStore::Id id, double work,
                                      const LabOptions& options, ProgressBook& book) {
  if (const std::optional<Checkpoint> last = store.checkpoint(id)) {
    learner.restore(last->state);
    if (learner.done() != last->epoch) throw CorruptError("a checkpoint is of another epoch than it says");
  }
  const double each = work / learner.epochs();
  book.add(each * learner.done(), 0, false);
  std::vector<EpochRecord> pending;
  LabClock::time_point saved = LabClock::now();
  double pause = options.checkpoint_seconds;
  while (learner.done() < learner.epochs()) {
    const int epoch = learner.done();
    bool stop = false;
    try {
      const EpochReport report = learner.advance();
      pending.push_back({epoch, report.mean_return, report.loss});
      book.add(each, 1, false);
      stop = options.stop.now();
    } catch (const Stopped&) {
      stop = true;  // in the middle of an epoch, which is repeated later
    }
    if (!stop && seconds_since(saved) < pause) continue;
    const LabClock::time_point saving = LabClock::now();
    store.save_progress(id, pending, {learner.done(), learner.save()});
    if (stop) throw Interrupted("interrupted");
    pending.clear();
    saved = LabClock::now();
    // Saving a large state takes long. It must not take more than a tenth of the time.
    pause = std::max(options.checkpoint_seconds, 10 * seconds_since(saving));
  }
  return pending;
}

/// Collects the results of a test from several threads. In tests that take long, the store receives episodes
/// on the way.
class TestBook {
 public:
  TestBook(const Run& run, RunStore& store, RunStore::Id id, double work, const LabOptions& options,
           ProgressBook& book)
      : run_(run), store_(store), id_(id), work_(work), options_(options), book_(book) {}

  std::vector<EpisodeRecord> test(const Policy& policy, int threads) {
    TestEpisodes test{.seed = run_.test_seed, .episodes = run_.episodes, .threads = threads};
    for (const EpisodeRecord& e : store_.tested(id_)) {
      test.known[e.episode] = {e.discounted, e.undiscounted, 0, e.repeated};
    }
    add_work(static_cast<int>(test.known.size()));
    test.watch = [this](const TestedBlock& block) { take(block); };
    test.stop = options_.stop;
    std::vector<EpisodeReturn> returns;
    try {
      returns = evaluate(*run_.problem, policy, test);
    } catch (const Stopped&) {
      store_.save_tested(id_, pending_, time_);
      throw Interrupted("interrupted");
    }
    std::vector<EpisodeRecord> episodes;
    for (std::size_t i = 0; i < returns.size(); ++i) {
      episodes.push_back(
          {static_cast<int>(i), returns[i].undiscounted, returns[i].discounted, returns[i].repeated});
    }
    return episodes;
  }
  /// Those that the store does not have yet.
  [[nodiscard]] const TestTime& time_left() const { return time_; }

 private:
  void add_work(int episodes) { book_.add(work_ * episodes / run_.episodes, 0, false); }

  void take(const TestedBlock& block) {
    add_work(static_cast<int>(block.returns.size()));
    const std::lock_guard lock(mutex_);
    int episode = block.first;
    for (const EpisodeReturn& r : block.returns) {
      pending_.push_back({episode++, r.undiscounted, r.discounted, r.repeated});
      time_.decisions += r.decisions;
    }
    time_.seconds += block.seconds;
    if (seconds_since(saved_) < options_.checkpoint_seconds) return;
    store_.save_tested(id_, pending_, time_);
    pending_.clear();
    time_ = {};
    saved_ = LabClock::now();
  }

  const Run& run_;
  RunStore& store_;
  RunStore::Id id_;
  double work_;
  const LabOptions& options_;
  ProgressBook& book_;
  std::mutex mutex_;
  LabClock::time_point saved_ = LabClock::now();
  std::vector<EpisodeRecord> pending_;
  TestTime time_;
};

/// Records why runs fail. If a method itself fails, that is reported and the other runs continue. Any other
/// failure, such as a full disk or a request to stop, ends all runs.
class FailureBook {
 public:
  explicit FailureBook(const LabOptions& options) : options_(options) {}

  template <class Make>
  void attempt(const Run& run, const Make& make) {
    try {
      make();
    } catch (const Stopped& stopped) {
      if (stopped.reason() != StopReason::kAsked) return tell(run, stopped.what());
      const std::lock_guard lock(mutex_);
      if (!first_) first_ = std::make_exception_ptr(Interrupted("interrupted"));
      over_ = true;
    } catch (const LimitError& error) {
      tell(run, error.what());
    } catch (const UsageError& error) {
      tell(run, error.what());
    } catch (const CorruptError& error) {  // a training that diverged leaves no readable policy
      tell(run, error.what());
    } catch (const ImpossibleEvidence& error) {
      tell(run, error.what());
    } catch (const std::bad_alloc&) {
      tell(run, "out of memory");
    } catch (...) {
      end();
    }
  }
  [[nodiscard]] bool over() const { return over_; }
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  /// This must be called while the exception is being handled; the same is true of `end`.
  void tell(const Run& run, const std::string& why) {
    bool goes_on = false;
    if (options_.failed) {
      const std::lock_guard lock(mutex_);
      goes_on = options_.failed(run, why);
    }
    if (!goes_on) end();
  }
  void end() {
    const std::lock_guard lock(mutex_);
    if (!first_) first_ = std::current_exception();
    over_ = true;  // no new run begins
  }

  const LabOptions& options_;
  std::mutex mutex_;
  std::exception_ptr first_;
  std::atomic<bool> over_ = false;
};

void make_run_stored(const Run& run, RunStore& store, int threads, const LabOptions& options,
                     ProgressBook& book) {
  const LabClock::time_point start = LabClock::now();
  // This comes first, so that a run that cannot begin leaves nothing in the store.
  const Resources resources(threads, options.stop);
  const std::unique_ptr<Learner> learner = run.method->learner(*run.problem, Rng(run.seed), resources);
  std::unique_ptr<Policy> policy;
  if (!learner) policy = run.method->policy(*run.problem, "", resources);
  const RunStore::Id id = store.add(run.settings(), options.context);
  const double all = work_in(run, learner.get());
  const double testing = work_in_test(run, learner.get());
  std::vector<EpochRecord> rest;
  std::string state;
  if (learner) {
    rest = train_stored(*learner, store, id, all - testing, options, book);
    state = learner->policy_state();
    policy = run.method->policy(*run.problem, state, resources);
  }
  TestBook tests(run, store, id, testing, options, book);
  const std::vector<EpisodeRecord> episodes = tests.test(*policy, threads);
  store.finish(id, rest, episodes, state, learner ? learner->epochs() : 0, seconds_since(start),
               tests.time_left());
  book.add(0, 0, true);
}

}  // namespace

Run make_run(std::shared_ptr<const Problem> problem, const std::string& method, std::uint64_t seed,
             int episodes, std::uint64_t test_seed) {
  Run run{std::move(problem), make_method(method), seed, episodes, test_seed};
  const std::string why = run.method->objection(*run.problem);
  if (!why.empty()) throw UsageError(method + " cannot be used on " + run.problem->name() + ": " + why);
  return run;
}

void make_runs(const std::vector<Run>& runs, RunStore& store, const LabOptions& options) {
  std::vector<const Run*> open;
  for (const Run& run : runs) {
    const std::optional<RunStore::Id> id = store.find(run.settings());
    const bool same =
        std::ranges::any_of(open, [&](const Run* o) { return o->settings() == run.settings(); });
    if (!same && !(id && store.finished(*id))) open.push_back(&run);
  }
  ProgressBook book(runs.size(), runs.size() - open.size(), options);
  FailureBook failures(options);
  std::vector<std::pair<double, const Run*>> order;  // the longest first
  for (const Run* run : open) {
    failures.attempt(*run, [&] {
      order.emplace_back(work_in(*run, run->method->learner(*run->problem, Rng(run->seed), 1).get()), run);
      book.expect(order.back().first);
    });
  }
  std::ranges::stable_sort(order, std::greater<>(), &std::pair<double, const Run*>::first);

  const int cores = options.threads > 0 ? options.threads : usable_cores();
  const int workers = std::max(1, std::min(cores, static_cast<int>(order.size())));
  std::atomic<std::size_t> next = 0;
  const auto work_on = [&] {
    for (std::size_t i = next++; i < order.size() && !failures.over(); i = next++) {
      const Run& run = *order[i].second;
      failures.attempt(run, [&] {
        if (options.stop.now()) throw Interrupted("interrupted");
        make_run_stored(run, store, std::max(1, cores / workers), options, book);
      });
    }
  };
  {
    std::vector<std::jthread> others;
    try {
      for (int i = 1; i < workers; ++i) others.emplace_back(work_on);
    } catch (const std::system_error&) {  // no more threads can be made: the existing ones do everything
    }
    work_on();
  }
  failures.rethrow();
}

std::size_t interrupted_runs(const std::vector<Run>& runs, const RunStore& store) {
  return static_cast<std::size_t>(std::ranges::count_if(runs, [&](const Run& run) {
    const std::optional<RunStore::Id> id = store.find(run.settings());
    return id && !store.finished(*id);
  }));
}

bool is_finished(const RunStore& store, const Run& run) {
  const std::optional<RunStore::Id> id = store.find(run.settings());
  return id && store.finished(*id);
}

std::optional<double> seconds_per_decision(const RunStore& store, const Run& run) {
  const std::optional<RunStore::Id> id = store.find(run.settings());
  const std::optional<TestTime> time = id ? store.test_time(*id) : std::nullopt;
  if (!time || time->decisions <= 0) return std::nullopt;
  return time->seconds / static_cast<double>(time->decisions);
}

namespace {
std::vector<EpisodeRecord> finished_episodes(const RunStore& store, const Run& run) {
  const std::optional<RunStore::Id> id = store.find(run.settings());
  if (!id || !store.finished(*id)) throw Error("the store has no finished run of " + run.method->name());
  return store.episodes(*id);
}
}  // namespace

std::vector<double> test_returns(const RunStore& store, const Run& run) {
  std::vector<double> returns;
  for (const EpisodeRecord& e : finished_episodes(store, run)) returns.push_back(e.undiscounted);
  return returns;
}

std::vector<double> discounted_test_returns(const RunStore& store, const Run& run) {
  std::vector<double> returns;
  for (const EpisodeRecord& e : finished_episodes(store, run)) returns.push_back(e.discounted);
  return returns;
}

bool has_diverged(std::span<const EpochRecord> epochs, double limit) {
  const std::size_t last = (epochs.size() + 9) / 10;
  double sum = 0;
  for (const EpochRecord& epoch : epochs.last(last)) sum += epoch.loss;
  return last > 0 && !(sum / static_cast<double>(last) <= limit);  // NaN counts as above
}

}  // namespace assay
