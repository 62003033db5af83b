#include "methods/replay.hpp"

#include <algorithm>

#include "assay/core/rng.hpp"

namespace assay {

Replay::Replay(std::size_t episodes, std::size_t length, std::size_t numbers)
    : episodes_(episodes),
      length_(length),
      numbers_(numbers),
      kept_(episodes * length),
      kept_numbers_(episodes * length * numbers) {}

void Replay::add(const Played& episode) {
  const std::size_t at = index(added_, 0);
  std::ranges::copy(episode.decisions, kept_.begin() + static_cast<std::ptrdiff_t>(at));
  std::ranges::copy(episode.numbers, kept_numbers_.begin() + static_cast<std::ptrdiff_t>(at * numbers_));
  ++added_;
}

std::size_t Replay::episodes() const {
  return static_cast<std::size_t>(std::min<std::uint64_t>(added_ - first_, episodes_));
}

std::size_t Replay::draw(Rng& rng) const {
  // The episodes that there are fill the ring from its beginning.
  return static_cast<std::size_t>(uniform_index(rng, decisions()));
}

Replay::Return Replay::steps_from(std::size_t index, int steps, double discount, bool cut) const {
  Return total;
  const std::size_t end = (index / length_ + 1) * length_;
  std::size_t at = index;
  for (int k = 0; k < steps && at < end; ++k, ++at) {
    if (cut && k > 0 && kept_[at].explored) break;
    total.reward += total.weight * static_cast<double>(kept_[at].reward);
    total.weight *= discount;
  }
  if (at < end) total.next = at;
  return total;
}

}  // namespace assay
