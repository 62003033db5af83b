#include "assay/core/workers.hpp"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "assay/core/cores.hpp"

#ifdef ASSAY_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace assay {
namespace {

/// Tells the thread sanitizer what TBB guarantees but does inside a library that it cannot see into: what was
/// written before `reached` can be read after `passed`. Costs nothing elsewhere.
class Milestone {
 public:
  void reached() {
#ifdef ASSAY_THREAD_SANITIZER
    __tsan_release(this);
#endif
  }
  void passed() {
#ifdef ASSAY_THREAD_SANITIZER
    __tsan_acquire(this);
#endif
  }
};

}  // namespace

struct Workers::Arena {
  explicit Arena(int wanted)
      : allowed(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(count_for(wanted))),
        threads(count_for(wanted)) {}
  /// A few more threads than cores do no harm; many only wait for each other.
  static int count_for(int wanted) {
    const int cores = usable_cores();
    return wanted > 0 ? std::min(wanted, 4 * cores) : cores;
  }
  // More threads than cores are granted only on request, and refusing them would be printed.
  tbb::global_control allowed;
  tbb::task_arena threads;
};

Workers::Workers(int threads, Stop stop) : arena_(std::make_unique<Arena>(threads)), stop_(std::move(stop)) {}
Workers::~Workers() = default;

bool Workers::alone() const { return arena_->threads.max_concurrency() == 1; }

std::size_t Workers::slots() const { return 2 * static_cast<std::size_t>(arena_->threads.max_concurrency()); }

void Workers::for_each(std::size_t count, const std::function<void(std::size_t)>& work) {
  if (count == 1 || alone()) {
    for (std::size_t i = 0; i < count; ++i) {
      stop_.check();
      work(i);
    }
    return;
  }
  Milestone begun;
  Milestone done;
  begun.reached();
  arena_->threads.execute([&] {
    tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) {
      begun.passed();
      stop_.check();
      work(i);
      done.reached();
    });
  });
  done.passed();
}

std::size_t Workers::for_as_many(std::size_t count, const std::function<void(std::size_t)>& work) {
  constexpr std::size_t kMostInBlock = 64;
  std::size_t done = 0;
  std::size_t block = alone() ? 1 : slots() / 2;  // small at first: what is begun and not finished is lost
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
  const std::size_t tokens = slots();
  if (count == 1 || alone()) {
    for (std::size_t i = 0; i < count; ++i) {
      stop_.check();
      produce(i, 0);
      consume(i, 0);
    }
    return;
  }
  // At most `tokens` items are under way and they leave in order, so i % tokens is free when i enters.
  std::size_t next = 0;
  const auto number = [&](tbb::flow_control& flow) {
    if (next == count) flow.stop();
    return next++;
  };
  Milestone begun;
  Milestone consumed;
  std::vector<Milestone> handed_over(tokens);  // by the slot
  begun.reached();
  const auto make = [&](std::size_t i) {
    begun.passed();
    handed_over[i % tokens].passed();
    stop_.check();
    produce(i, i % tokens);
    handed_over[i % tokens].reached();
    return i;
  };
  const auto take = [&](std::size_t i) {
    handed_over[i % tokens].passed();
    consumed.passed();
    consume(i, i % tokens);
    consumed.reached();
    handed_over[i % tokens].reached();
  };
  arena_->threads.execute([&] {
    tbb::parallel_pipeline(tokens,
                           tbb::make_filter<void, std::size_t>(tbb::filter_mode::serial_in_order, number) &
                               tbb::make_filter<std::size_t, std::size_t>(tbb::filter_mode::parallel, make) &
                               tbb::make_filter<std::size_t, void>(tbb::filter_mode::serial_in_order, take));
  });
  consumed.passed();
}

}  // namespace assay
