// Finds the numbers of names, millions of times: by their bytes, without copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::files {

class NameIndex {
 public:
  /// The names must outlive the index. Of two equal names the first counts.
  explicit NameIndex(const std::vector<std::string>& names);

  /// The number of a name; -1 if it is unknown.
  [[nodiscard]] int find(std::string_view name) {
    // The lines of a table are in order: the same name again, or the next one.
    if (last_ < names_->size() && (*names_)[last_] == name) return static_cast<int>(last_);
    if (last_ + 1 < names_->size() && (*names_)[last_ + 1] == name) return static_cast<int>(++last_);
    const int found = numbered_ ? number_of(name) : slot_of(name).number;
    if (found >= 0) last_ = static_cast<std::size_t>(found);
    return found;
  }

  /// Adds the last of the names, which was appended.
  void add_last();

 private:
  [[nodiscard]] int number_of(std::string_view name) const;
  struct Slot {
    std::uint32_t hash = 0;
    int number = -1;  // -1: the slot is free
  };
  /// The slot of the name, or the slot where it belongs.
  [[nodiscard]] const Slot& slot_of(std::string_view name) const;
  void put(std::size_t number);
  void fill();

  const std::vector<std::string>* names_;
  std::vector<Slot> slots_;  // a hash table with linear probing
  std::size_t last_ = 0;
  bool numbered_ = true;  // the names are "0", "1", "2", ...
};

}  // namespace assay::files
