// A fixed number of threads that share out independent pieces of work.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "assay/core/detail/stop.hpp"

namespace assay {

class Workers {
 public:
  /// 0 threads means usable_cores() of them. At most four times as many are started.
  /// `stop` is asked before each piece of work, which then throws Stopped.
  explicit Workers(int threads, Stop stop = {});
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Calls work(i) for i = 0 .. count-1, in any order and on any thread; rethrows what a call throws. Results
  /// must not depend on the order: write to slot i, draw from a stream split by i.
  void for_each(std::size_t count, const std::function<void(std::size_t)>& work);

  /// The same in the order of blocks, until all are done or there is a reason to stop. Returns n such that
  /// exactly i = 0 .. n-1 count as done: which pieces count depends on how many there are, not on threads.
  std::size_t for_as_many(std::size_t count, const std::function<void(std::size_t)>& work);

  /// For i = 0 .. count-1: produce(i, slot) on any thread, then consume(i, slot) one at a time and in the
  /// order of i, while later ones are being produced. A slot (below `slots()`) belongs to i from its
  /// production to its consumption: a place for the product.
  void pipeline(std::size_t count, const std::function<void(std::size_t, std::size_t)>& produce,
                const std::function<void(std::size_t, std::size_t)>& consume);
  [[nodiscard]] std::size_t slots() const;

 private:
  [[nodiscard]] bool alone() const;

  struct Arena;
  std::unique_ptr<Arena> arena_;
  Stop stop_;
};

}  // namespace assay
