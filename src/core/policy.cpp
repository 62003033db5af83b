#include "assay/core/policy.hpp"

namespace assay {
namespace {
enum Stream : std::uint64_t { kWorldStream, kPolicyStream };
}  // namespace

EpisodeReturn run_episode(World& world, Policy& policy, Rng rng, const EpisodeWatch& acted,
                          const EpisodeWatch& arrived, const Stop& stop) {
  const bool watched = acted || arrived;
  EpisodeReturn total;
  const int each = world.horizon() / world.repeats();  // steps
  if (world.repeats() > 1) total.repeated.resize(static_cast<std::size_t>(world.repeats()));
  double weight = 1;
  Rng policy_rng = rng.split(kPolicyStream);
  world.begin(rng.split(kWorldStream));
  policy.begin(world);
  if (auto* oracle = dynamic_cast<Oracle*>(&policy)) oracle->reveal(world);
  while (!world.done()) {
    stop.check();
    StepRecord record;
    record.step = world.step();
    record.state = world.state();
    record.arrival = world.arrive();
    if (watched) record.arrival_belief = world.belief_text();
    if (arrived) arrived(world, record);
    record.action = policy.act(world, policy_rng);
    record.outcome = world.act(record.action);
    if (watched) record.outcome_belief = world.belief_text();

    const double reward = record.arrival.reward + record.outcome.reward;
    total.undiscounted += reward;
    if (!total.repeated.empty()) total.repeated[static_cast<std::size_t>(record.step / each)] += reward;
    total.discounted += weight * reward;
    ++total.decisions;
    weight *= world.discount();
    if (acted) acted(world, record);
  }
  return total;
}

}  // namespace assay
