#include "assay/core/workers.hpp"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>

namespace assay {

struct Workers::Arena {
  explicit Arena(int count)
      : allowed(tbb::global_control::max_allowed_parallelism,
                static_cast<std::size_t>(std::max(count, tbb::info::default_concurrency()))),
        threads(count > 0 ? count : tbb::task_arena::automatic) {}
  // More threads than cores are granted only on request, and refusing them would be printed.
  tbb::global_control allowed;
  tbb::task_arena threads;
};

Workers::Workers(int threads) : arena_(std::make_unique<Arena>(threads)) {}
Workers::~Workers() = default;

bool Workers::alone() const { return arena_->threads.max_concurrency() == 1; }

std::size_t Workers::slots() const { return 2 * static_cast<std::size_t>(arena_->threads.max_concurrency()); }

void Workers::for_each(std::size_t count, const std::function<void(std::size_t)>& work) {
  if (count == 1 || alone()) {
    for (std::size_t i = 0; i < count; ++i) work(i);
    return;
  }
  arena_->threads.execute([&] { tbb::parallel_for(std::size_t{0}, count, work); });
}

void Workers::pipeline(std::size_t count, const std::function<void(std::size_t, std::size_t)>& produce,
                       const std::function<void(std::size_t, std::size_t)>& consume) {
  const std::size_t tokens = slots();
  if (count == 1 || alone()) {
    for (std::size_t i = 0; i < count; ++i) {
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
  const auto make = [&](std::size_t i) {
    produce(i, i % tokens);
    return i;
  };
  const auto take = [&](std::size_t i) { consume(i, i % tokens); };
  arena_->threads.execute([&] {
    tbb::parallel_pipeline(tokens,
                           tbb::make_filter<void, std::size_t>(tbb::filter_mode::serial_in_order, number) &
                               tbb::make_filter<std::size_t, std::size_t>(tbb::filter_mode::parallel, make) &
                               tbb::make_filter<std::size_t, void>(tbb::filter_mode::serial_in_order, take));
  });
}

}  // namespace assay
