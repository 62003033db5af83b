#include "assay/problem/problem.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <mutex>

#include "assay/core/rng.hpp"

namespace assay {

struct Problem::Computed {
  std::once_flag prior_once, traits_once;
  std::unique_ptr<const Belief> prior;
  Traits traits;
};

Problem::Problem(std::string name, std::shared_ptr<const Outline> outline)
    : name_(std::move(name)), outline_(std::move(outline)), computed_(std::make_unique<Computed>()) {}

Problem::~Problem() = default;

const Traits& Problem::traits() const {
  std::call_once(computed_->traits_once, [this] { computed_->traits = traits_of(*prior(), hidden_moves()); });
  return computed_->traits;
}

std::unique_ptr<Belief> Problem::prior() const {
  // Copies share what is expensive to make.
  std::call_once(computed_->prior_once, [this] { computed_->prior = prior(default_kernel()); });
  return computed_->prior->clone();
}

Situation Problem::beginning(Rng rng) const {
  std::vector<double> chances;
  for (const Start& start : starts()) chances.push_back(start.probability);
  return {prior(), starts()[categorical(rng, chances)].state, 0};
}

Episode Problem::episode(Rng rng) const {
  return {beginning(rng.split(detail::kStartStream)), environment(rng, false), rng};
}

Episode Problem::practice(Rng rng) const {
  return {beginning(rng.split(detail::kStartStream)), environment(rng, true), rng};
}

InformationValues Problem::information(const Sampling& sampling) const {
  return information_values(*prior(), starts(), horizon(), sampling);
}

EpisodeReturn play_episode(const Problem& problem, Policy& policy, Rng rng, const EpisodeWatches& watches) {
  Episode episode = problem.episode(rng.split(kEpisodeStream));
  return run_episode(episode, policy, rng.split(kPolicyStream), watches);
}

std::string numbers_text(const Observation& observation) {
  return fmt::format("{}", fmt::join(observation, " "));
}

std::optional<Observation> numbers_in(std::string_view text) {
  Observation numbers;
  while (!text.empty()) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (error != std::errc{} || !(text.empty() || text.front() == ' ')) return std::nullopt;
    numbers.push_back(number);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  }
  return numbers;
}

}  // namespace assay
