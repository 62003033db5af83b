// Random numbers as a pure function of (seed, run, path of splits, draw number).
//
// Philox (Salmon et al. 2011) is counter-based: the n-th block of a stream is a keyed bijection of n. A
// stream is therefore a small value. It can be copied, replayed, and split into streams that are independent
// however much the others have drawn. Results cannot depend on threads or on the order of calls.
#pragma once

#include <array>
#include <cstdint>

namespace assay {

class Rng {
 public:
  explicit Rng(std::uint64_t seed, std::uint64_t run = 0);

  /// An independent stream named `tag`. It depends on the identity of this stream only, not on what was
  /// drawn.
  [[nodiscard]] Rng split(std::uint64_t tag) const;

  std::uint64_t next64() {
    if (next_ == block_.size()) refill();
    return block_[next_++];
  }

 private:
  using Block = std::array<std::uint64_t, 4>;
  struct Key {
    std::uint64_t low, high;
  };

  explicit Rng(Key key) : key_(key) {}
  static Block philox(Key key, std::uint64_t counter, std::uint64_t domain);
  void refill();

  Key key_;
  std::uint64_t blocks_drawn_ = 0;
  Block block_{};
  std::size_t next_ = 4;  // an empty block: the first draw refills
};

}  // namespace assay
