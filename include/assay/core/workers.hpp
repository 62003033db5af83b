// A fixed number of threads that share out independent pieces of work.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace assay {

class Workers {
 public:
  /// 0 threads means usable_cores() of them. At most four times as many are started.
  explicit Workers(int threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Calls work(i) for i = 0 .. count-1, in any order and on any thread; rethrows what a call throws. Results
  /// must not depend on the order: write to slot i, draw from a stream split by i.
  void for_each(std::size_t count, const std::function<void(std::size_t)>& work);

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
};

}  // namespace assay
