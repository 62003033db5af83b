#include "files/name_index.hpp"

#include <charconv>
#include <functional>

namespace assay::files {
namespace {

std::uint32_t hash_of(std::string_view name) {
  return static_cast<std::uint32_t>(std::hash<std::string_view>{}(name));
}

}  // namespace

NameIndex::NameIndex(const std::vector<std::string>& names) : names_(&names) {
  for (std::size_t i = 0; i < names.size() && numbered_; ++i) numbered_ = names[i] == std::to_string(i);
  if (!numbered_) fill();
}

void NameIndex::add_last() {
  numbered_ = numbered_ && names_->back() == std::to_string(names_->size() - 1);
  if (numbered_) return;
  if (2 * names_->size() > slots_.size()) {
    fill();
    return;
  }
  put(names_->size() - 1);
}

void NameIndex::put(std::size_t number) {
  const std::string& name = (*names_)[number];
  const Slot& slot = slot_of(name);
  if (slot.number >= 0) return;
  slots_[static_cast<std::size_t>(&slot - slots_.data())] = {hash_of(name), static_cast<int>(number)};
}

void NameIndex::fill() {
  std::size_t size = 16;
  while (size < 3 * names_->size()) size *= 2;
  slots_.assign(size, {});
  for (std::size_t i = 0; i < names_->size(); ++i) put(i);
}

const NameIndex::Slot& NameIndex::slot_of(std::string_view name) const {
  const std::uint32_t hash = hash_of(name);
  std::size_t at = hash & (slots_.size() - 1);
  while (slots_[at].number >= 0 &&
         (slots_[at].hash != hash || (*names_)[static_cast<std::size_t>(slots_[at].number)] != name)) {
    at = (at + 1) & (slots_.size() - 1);
  }
  return slots_[at];
}

int NameIndex::number_of(std::string_view name) const {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool plain = error == std::errc() && end == name.data() + name.size() &&
                     (name.size() == 1 || name.front() != '0');  // "07" is another name
  return plain && number < names_->size() ? static_cast<int>(number) : -1;
}

}  // namespace assay::files
