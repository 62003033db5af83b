#include "assay/core/episode.hpp"

#include <fmt/format.h>

#include "assay/core/error.hpp"

namespace assay {

Outcome Episode::happen(int action) {
  const auto step = static_cast<std::uint64_t>(situation_.step());
  Rng draw = rng_.split(detail::kFirstStepStream + 2 * step + (action == kArrive ? 0 : 1));
  return truth_->outcome(situation_.state(), action, draw);
}

Outcome Episode::arrive() {
  Outcome outcome = happen(kArrive);
  situation_.arrive(outcome);
  return outcome;
}

Outcome Episode::act(int action) {
  if (done()) throw UsageError("the episode is over; begin another before acting");
  if (!situation_.allowed(action)) {
    throw UsageError(fmt::format("action {} is not allowed in state {} (actions are 0 to {})", action,
                                 situation_.state(), situation_.actions() - 1));
  }
  Outcome outcome = happen(action);
  situation_.act(action, outcome);
  return outcome;
}

EpisodeReturn run_episode(Episode& episode, Policy& policy, Rng rng, const EpisodeWatches& watches) {
  const Situation& situation = episode.situation();
  const Outline& outline = situation.outline();
  EpisodeReturn total;
  const int each = outline.horizon / outline.repeats;  // steps
  if (outline.repeats > 1) total.repeated.resize(static_cast<std::size_t>(outline.repeats));
  double weight = 1;
  policy.begin(situation);
  if (Oracle* oracle = policy.oracle()) oracle->reveal(situation, episode.truth());
  while (!episode.done()) {
    watches.stop.check();
    StepRecord record;
    record.step = situation.step();
    record.state = situation.state();
    record.arrival = episode.arrive();
    if (watches.arrived) watches.arrived(situation, record);
    record.action = policy.act(situation, rng);
    record.outcome = episode.act(record.action);

    const double reward = record.arrival.reward + record.outcome.reward;
    total.undiscounted += reward;
    if (!total.repeated.empty()) total.repeated[static_cast<std::size_t>(record.step / each)] += reward;
    total.discounted += weight * reward;
    ++total.decisions;
    weight *= outline.discount;
    if (watches.acted) watches.acted(situation, record);
  }
  return total;
}

}  // namespace assay
