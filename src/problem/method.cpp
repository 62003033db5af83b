#include "assay/problem/method.hpp"

#include <fmt/format.h>

#include <limits>

#include "assay/core/error.hpp"

namespace assay {

std::string Method::objection(const Problem& problem) const {
  const std::string why = objection_of(needs(), problem.traits());
  return why.empty() ? refusal(problem) : why;
}

double Method::cost(const Problem& problem) const {
  constexpr double kSecondsPerState = 10e-9;  // of a backup, for each remaining step
  return kSecondsPerState * problem.states() * problem.horizon();
}

Solved Method::solve(const Problem& problem, const SolveRequest& request) const {
  const std::string why = objection(problem);
  if (!why.empty()) throw UsageError(name_ + " cannot be used on " + problem.name() + ": " + why);
  return find(problem, request);
}

Solved Method::find(const Problem& problem, const SolveRequest& request) const {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  Solved found;
  found.method = name_;
  try {
    if (const std::unique_ptr<Learner> learning = learner(problem, request.rng, request.resources)) {
      try {
        while (learning->done() < learning->epochs()) {
          request.resources.stop.check();
          learning->advance();
          if (!request.watch) continue;
          const std::string stage =
              fmt::format("learning, epoch {} of {}", learning->done(), learning->epochs());
          request.watch({stage, kNone, kNone, 0});
        }
      } catch (const Stopped& stopped) {
        if (stopped.reason() == StopReason::kAsked) throw;
        found.stopped = stopped.reason();
      }
      found.epochs = learning->done();
      found.state = learning->policy_state();
    }
    // The policy is used after the deadline, but a request to stop still holds.
    found.policy =
        policy(problem, found.state, {request.resources.threads, request.resources.stop.without_deadline()});
  } catch (const Stopped& stopped) {
    found.stopped = stopped.reason();
  }
  return found;
}

}  // namespace assay
