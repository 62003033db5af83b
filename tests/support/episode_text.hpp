// Episodes as text, byte for byte, and the ways in which an agent can think ahead.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "assay/core/episode.hpp"
#include "assay/problem/registry.hpp"

namespace assay::test {

/// Every bit of a step, as text: doubles in hexadecimal.
inline std::string bytes(const Outcome& outcome) {
  char reward[64];
  std::snprintf(reward, sizeof reward, "%a", outcome.reward);
  std::string text = "next " + std::to_string(outcome.next) + " reward " + reward + " seen";
  for (const int seen : outcome.observation) text += " " + std::to_string(seen);
  return text + "; ";
}

inline std::string bytes(const StepRecord& r) {
  return "step " + std::to_string(r.step) + " state " + std::to_string(r.state) + " arrival " +
         bytes(r.arrival) + " action " + std::to_string(r.action) + " outcome " + bytes(r.outcome) + "\n";
}

inline std::string bytes_of_key(const Situation& now) {
  std::string text;
  for (const std::uint64_t word : now.belief().key()) text += std::to_string(word) + " ";
  return text;
}

inline std::unique_ptr<Policy> random_policy(const Problem& problem) {
  return make_method("random")->policy(problem, "", 1);
}

/// An episode with random actions, as text.
inline std::string played_text(const Problem& problem, Policy& policy, Rng rng) {
  std::string text;
  const EpisodeWatches watches{
      .acted = [&](const Situation& after,
                   const StepRecord& r) { text += bytes(r) + after.belief().text() + bytes_of_key(after); },
      .arrived = [&](const Situation& now, const StepRecord&) { text += now.belief().text(); }};
  play_episode(problem, policy, rng, watches);
  return text;
}

/// The rest of an episode that has begun, with random actions, as text.
inline std::string play_on(Episode& episode, Policy& policy, Rng rng) {
  std::string text;
  while (!episode.done()) {
    text += bytes(episode.arrive());
    const int action = policy.act(episode.situation(), rng);
    text += std::to_string(action) + " " + bytes(episode.act(action)) + bytes_of_key(episode.situation());
  }
  return text;
}

/// Everything that an agent sees, as text.
inline std::string seen_in(const Situation& now) {
  std::vector<double> features(now.belief().feature_count());
  now.belief().features(features);
  std::string text = bytes_of_key(now) + now.belief().text();
  for (const double f : features) text += " " + std::to_string(f);
  text += " state " + std::to_string(now.state()) + " step " + std::to_string(now.step());
  if (now.last()) {
    text += " from " + std::to_string(now.last()->state) + " by " + std::to_string(now.last()->action);
    text += " for " + std::to_string(now.last()->reward) + " and " + std::to_string(now.last()->arrival);
  }
  return text;
}

/// The same environment, at the same moment; steps draw what they draw there if `rng` is the episode's own.
inline Episode copy_of(Episode& episode, Rng rng) {
  return {episode.situation(), episode.truth().clone(), rng};
}

/// What an agent can imagine: its situation, in an environment that is drawn from its belief.
inline Episode imagined(const Situation& now, Rng rng) {
  std::unique_ptr<Environment> drawn = now.belief().environment();
  drawn->draw(rng);
  return {now, std::move(drawn), rng};
}

}  // namespace assay::test
