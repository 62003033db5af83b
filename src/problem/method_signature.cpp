#include <fmt/format.h>

#include <memory>

#include "assay/problem/method.hpp"
#include "assay/problem/registry.hpp"
#include "core/bytes.hpp"
#include "problem/signature.hpp"

namespace assay {
namespace {

std::uint64_t hash_behaviour(const Method& method, const Problem& problem, int threads) {
  ByteWriter bytes;
  std::string learned;
  if (const auto learner = method.learner(problem, Rng(1), threads)) {
    while (learner->done() < learner->epochs()) learner->advance();
    learned = learner->policy_state();
  }
  bytes.u64(checksum(learned));
  const std::unique_ptr<Policy> policy = method.policy(problem, learned, threads);
  for (std::uint64_t episode = 0; episode < 2; ++episode) {
    const auto acted = [&](const Situation&, const StepRecord& step) {
      bytes.u64(static_cast<std::uint64_t>(step.action));
    };
    const EpisodeReturn earned = play_episode(problem, *policy, Rng(episode, 2), {.acted = acted});
    bytes.f64(earned.discounted);
    bytes.f64(earned.undiscounted);
  }
  return checksum(bytes.take());
}

}  // namespace

Signature method_signature(int threads) {
  Signature all;
  ByteWriter bytes;
  for (const Entry<Method>& entry : methods().entries()) {
    for (const std::string& spec : entry.small) {
      const std::unique_ptr<Method> method = make_method(spec);
      for (const Entry<Problem>& family : families().entries()) {
        for (const std::string& small : family.small) {
          const std::unique_ptr<Problem> problem = make_problem(small);
          if (!method->objection(*problem).empty()) continue;
          const std::uint64_t hash = hash_behaviour(*method, *problem, threads);
          all.parts.push_back({fmt::format("{} on {}", spec, small), hash});
          bytes.u64(hash);
        }
      }
    }
  }
  all.hash = checksum(bytes.take());
  return all;
}

}  // namespace assay
