// The belief states of one step of an episode: a set of fixed-size keys, numbered in the order of insertion.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace assay {

using Key = std::span<const std::uint64_t>;

inline std::uint64_t hash_key(Key key) {
  std::uint64_t h = 0x9e3779b97f4a7c15U;
  for (const std::uint64_t word : key) {
    h = (h ^ word) * 0xd6e8feb86659fd93U;
    h ^= h >> 32U;
  }
  return h * 0xd6e8feb86659fd93U;
}

/// Open addressing with linear probing. A slot holds 32 bits of the hash beside the number, so that nearly
/// every probe with a wrong key is rejected without reading the key. The slots are needed only while keys
/// are added. A closed table passes them on to the next table, which then works in memory that is already
/// allocated and cached. Lookups in a closed table build the slots again, once.
class StateTable {
 public:
  static constexpr std::uint32_t kAbsent = 0xffffffffU;
  using Slots = std::vector<std::uint64_t>;  // hash tag << 32 | number; their number is a power of two

  /// Keys have `words` words; there is room for `expected` of them without growing. `slots` is a buffer to
  /// work in.
  StateTable(std::size_t words, std::size_t expected, std::pmr::memory_resource* memory, Slots slots = {})
      : words_(words), keys_(memory), slots_(std::move(slots)) {
    keys_.reserve(expected * words);
    empty_slots(expected);
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] Key key(std::size_t i) const { return {keys_.data() + i * words_, words_}; }

  /// The number of `key`, which is added if it is new. The table must not have been closed.
  std::uint32_t insert(Key key, std::uint64_t hash) {
    const std::size_t at = probe(key, hash);
    if (slots_[at] != kEmpty) return number(slots_[at]);
    slots_[at] = entry(hash, size_);
    for (std::size_t w = 0; w < words_; ++w) keys_.push_back(key[w]);
    if (++size_ > slots_.size() / 4 * 3) fill_slots(2 * size_);
    return static_cast<std::uint32_t>(size_ - 1);
  }

  /// No keys will be added: gives the slots away.
  Slots close() { return std::exchange(slots_, {}); }

  /// A hint to the processor that a key of this hash will be looked up soon.
  void prefetch(std::uint64_t hash) const {
    __builtin_prefetch(slots_.data() + ((hash >> 16U) & (slots_.size() - 1)));
  }

  /// The number of `key`, or kAbsent. Several threads may call it when the table is closed.
  [[nodiscard]] std::uint32_t find(Key key, std::uint64_t hash) const {
    std::call_once(*reopened_, [this] {
      if (slots_.empty()) const_cast<StateTable*>(this)->fill_slots(size_);
    });
    const std::size_t at = probe(key, hash);
    return slots_[at] == kEmpty ? kAbsent : number(slots_[at]);
  }

 private:
  static constexpr std::size_t kFewestSlots = 16;
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};

  static std::uint64_t entry(std::uint64_t hash, std::size_t i) { return (hash << 32U) | i; }
  static std::uint32_t number(std::uint64_t slot) { return static_cast<std::uint32_t>(slot); }

  [[nodiscard]] std::size_t probe(Key key, std::uint64_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = (hash >> 16U) & mask;
    while (slots_[at] != kEmpty) {
      const bool tag_matches = (slots_[at] >> 32U) == (hash & 0xffffffffU);
      if (tag_matches && same(keys_.data() + number(slots_[at]) * words_, key.data())) break;
      at = (at + 1) & mask;
    }
    return at;
  }

  bool same(const std::uint64_t* a, const std::uint64_t* b) const {
    for (std::size_t w = 0; w < words_; ++w) {
      if (a[w] != b[w]) return false;
    }
    return true;
  }

  void empty_slots(std::size_t expected) {
    std::size_t count = kFewestSlots;
    while (count / 4 * 3 < expected) count *= 2;
    slots_.assign(count, kEmpty);
  }

  void fill_slots(std::size_t expected) {
    empty_slots(expected);
    for (std::size_t i = 0; i < size_; ++i) {
      const std::uint64_t hash = hash_key(key(i));
      slots_[probe(key(i), hash)] = entry(hash, i);
    }
  }

  std::size_t words_;
  std::size_t size_ = 0;
  std::pmr::vector<std::uint64_t> keys_;  // [state][word]
  Slots slots_;
  std::unique_ptr<std::once_flag> reopened_ = std::make_unique<std::once_flag>();
};

}  // namespace assay
