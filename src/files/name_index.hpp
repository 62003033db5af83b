// Names to numbers, millions of times: looked up by their bytes, without a copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::files {

class NameIndex {
 public:
  /// The names must outlive it. Of two that are the same the first counts.
  explicit NameIndex(const std::vector<std::string>& names);

  /// -1 if there is none of that name.
  [[nodiscard]] int find(std::string_view name) {
    // Lines of a table follow each other: the same name again, or the one after it.
    if (last_ < names_->size() && (*names_)[last_] == name) return static_cast<int>(last_);
    if (last_ + 1 < names_->size() && (*names_)[last_ + 1] == name) return static_cast<int>(++last_);
    const int found = numbered_ ? number_of(name) : slot_of(name).number;
    if (found >= 0) last_ = static_cast<std::size_t>(found);
    return found;
  }

  /// Takes in the last of the names, which has come since.
  void add_last();

 private:
  [[nodiscard]] int number_of(std::string_view name) const;
  struct Slot {
    std::uint32_t hash = 0;
    int number = -1;  // -1: free
  };
  /// Where it is, or where it would be.
  [[nodiscard]] const Slot& slot_of(std::string_view name) const;
  void put(std::size_t number);
  void fill();

  const std::vector<std::string>* names_;
  std::vector<Slot> slots_;  // a hash table: each in the first free slot from the one that it hashes to
  std::size_t last_ = 0;
  bool numbered_ = true;  // the names are "0", "1", "2", ...
};

}  // namespace assay::files
