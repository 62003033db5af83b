#include "assay/core/detail/workers.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/cores.hpp"

namespace assay {
namespace {

/// A few more threads than cores do no harm; many would only wait for each other.
int most_threads() { return 4 * usable_cores(); }

/// Work that several threads do together. Each thread calls `body` once, which returns when there is nothing
/// left to begin, and never throws.
struct SharedWork {
  const std::function<void()>& body;
  int wanted = 0;  // how many helpers may still join
  int inside = 0;  // how many helpers have joined and not left
};

/// The process's threads that help wherever work is shared. They are started when they are first needed. If
/// the system gives fewer threads than wanted, the caller does more of the work itself, if necessary all of
/// it.
class Helpers {
 public:
  static Helpers& of_the_process() {
    static Helpers all;
    return all;
  }
  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;
  ~Helpers() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    called_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  /// Calls `body` here and on up to `helpers` other threads; returns when all of them have returned.
  void share(int helpers, const std::function<void()>& body) {
    SharedWork work{body, helpers};
    {
      const std::lock_guard lock(mutex_);
      open_.push_back(&work);
      hire();
    }
    called_.notify_all();
    body();
    std::unique_lock lock(mutex_);
    std::erase(open_, &work);
    left_.wait(lock, [&] { return work.inside == 0; });
  }

 private:
  Helpers() = default;

  /// Starts as many threads as are wanted and the system gives.
  void hire() {
    int due = busy_;
    for (const SharedWork* work : open_) due += work->wanted;
    due = std::min(due, most_threads());
    try {
      while (static_cast<int>(threads_.size()) < due) threads_.emplace_back([this] { help(); });
    } catch (const std::system_error&) {  // the limit of threads is reached
    } catch (const std::bad_alloc&) {     // or that of memory
    }
  }

  SharedWork* next_work() {
    const auto found = std::ranges::find_if(open_, [](const SharedWork* work) { return work->wanted > 0; });
    return found == open_.end() ? nullptr : *found;
  }

  void help() {
    std::unique_lock lock(mutex_);
    while (true) {
      SharedWork* work = nullptr;
      called_.wait(lock, [&] { return ending_ || (work = next_work()) != nullptr; });
      if (ending_) return;
      --work->wanted;
      ++work->inside;
      ++busy_;
      lock.unlock();
      work->body();
      lock.lock();
      --busy_;
      if (--work->inside == 0) left_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable called_, left_;
  std::vector<std::thread> threads_;
  std::vector<SharedWork*> open_;
  int busy_ = 0;
  bool ending_ = false;
};

/// The exception of the first call that failed.
class FirstFailure {
 public:
  void note() {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr failure_;
};

/// Hands out 0 .. count-1 in ranges that become shorter towards the end.
class Stretches {
 public:
  Stretches(std::size_t count, int threads) : count_(count), parts_(4 * static_cast<std::size_t>(threads)) {}

  /// False if nothing is left.
  bool take(std::size_t& first, std::size_t& end) {
    first = next_;
    do {
      if (first >= count_) return false;
      end = first + std::max<std::size_t>(1, (count_ - first) / parts_);
    } while (!next_.compare_exchange_weak(first, end));
    return true;
  }
  void drop_the_rest() { next_ = count_; }

 private:
  const std::size_t count_, parts_;
  std::atomic<std::size_t> next_ = 0;
};

/// The state of a pipeline: what has begun, what waits to be consumed, and how far that is.
class Line {
 public:
  Line(std::size_t count, std::size_t slots) : count_(count), made_(slots, false) {}

  using Step = std::function<void(std::size_t, std::size_t)>;

  /// Takes part until everything has been consumed.
  void work(const Step& produce, const Step& consume) {
    std::unique_lock lock(mutex_);
    while (consumed_ < count_) {
      const std::size_t slots = made_.size();
      if (!consuming_ && made_[consumed_ % slots]) {
        consuming_ = true;
        step(lock, consume, consumed_);
        consuming_ = false;
        made_[consumed_ % slots] = false;
        if (consumed_ < count_) ++consumed_;
      } else if (begun_ < count_ && begun_ - consumed_ < slots) {
        const std::size_t i = begun_++;
        step(lock, produce, i);
        made_[i % slots] = true;
      } else {
        changed_.wait(lock);
        continue;
      }
      changed_.notify_all();
    }
  }
  void rethrow() const { failure_.rethrow(); }

 private:
  void step(std::unique_lock<std::mutex>& lock, const Step& call, std::size_t i) {
    lock.unlock();
    try {
      call(i, i % made_.size());
      lock.lock();
    } catch (...) {
      failure_.note();
      lock.lock();
      begun_ = consumed_ = count_;  // nothing more begins
    }
  }

  const std::size_t count_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<bool> made_;  // by slot
  std::size_t begun_ = 0, consumed_ = 0;
  bool consuming_ = false;
  FirstFailure failure_;
};

}  // namespace

struct Workers::Arena {
  int threads;
};

Workers::Workers(int threads, Stop stop)
    : arena_(
          std::make_unique<Arena>(Arena{threads > 0 ? std::min(threads, most_threads()) : usable_cores()})),
      stop_(std::move(stop)) {}
Workers::~Workers() = default;

bool Workers::alone() const { return arena_->threads == 1; }

std::size_t Workers::slots() const { return 2 * static_cast<std::size_t>(arena_->threads); }

void Workers::for_each(std::size_t count, const std::function<void(std::size_t)>& work) {
  if (count <= 1 || alone()) {
    for (std::size_t i = 0; i < count; ++i) {
      stop_.check();
      work(i);
    }
    return;
  }
  Stretches stretches(count, arena_->threads);
  FirstFailure failure;
  const auto helpers =
      static_cast<int>(std::min<std::size_t>(count, static_cast<std::size_t>(arena_->threads))) - 1;
  Helpers::of_the_process().share(helpers, [&] {
    try {
      for (std::size_t i = 0, end = 0; stretches.take(i, end);) {
        for (; i < end; ++i) {
          stop_.check();
          work(i);
        }
      }
    } catch (...) {
      failure.note();
      stretches.drop_the_rest();
    }
  });
  failure.rethrow();
}

std::size_t Workers::for_as_many(std::size_t count, const std::function<void(std::size_t)>& work) {
  constexpr std::size_t kMostInBlock = 64;
  std::size_t done = 0;
  std::size_t block = alone() ? 1 : slots() / 2;  // small: a stop loses unfinished work
  while (done < count) {
    const std::size_t size = std::min(block, count - done);
    try {
      for_each(size, [&](std::size_t i) { work(done + i); });
    } catch (const Stopped&) {
      return done;
    }
    done += size;
    if (!alone()) block = std::min(2 * block, std::max(kMostInBlock, slots()));
  }
  return done;
}

void Workers::pipeline(std::size_t count, const std::function<void(std::size_t, std::size_t)>& produce,
                       const std::function<void(std::size_t, std::size_t)>& consume) {
  if (count <= 1 || alone()) {
    for (std::size_t i = 0; i < count; ++i) {
      stop_.check();
      produce(i, 0);
      consume(i, 0);
    }
    return;
  }
  Line line(count, slots());
  const auto make = [&](std::size_t i, std::size_t slot) {
    stop_.check();
    produce(i, slot);
  };
  Helpers::of_the_process().share(arena_->threads - 1, [&] { line.work(make, consume); });
  line.rethrow();
}

}  // namespace assay
