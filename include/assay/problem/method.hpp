// A method turns a problem into a policy: by solving, learning, searching, or not at all. Some can also say
// between which bounds the Bayes-optimal value lies.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/core/bounds.hpp"
#include "assay/core/policy.hpp"
#include "assay/core/rng.hpp"
#include "assay/core/stop.hpp"
#include "assay/problem/problem.hpp"

namespace assay {

/// The learning curve's point.
struct EpochReport {
  double mean_return = 0;  // undiscounted
  double loss = 0;
};

class Learner {
 public:
  virtual ~Learner() = default;
  /// How many epochs there are in all, and how many are over.
  [[nodiscard]] virtual int epochs() const = 0;
  [[nodiscard]] virtual int done() const = 0;
  virtual EpochReport advance() = 0;
  /// About how long an epoch takes on one core: long runs are begun first, and forecasts are made of it.
  [[nodiscard]] virtual double seconds_per_epoch() const = 0;
  /// All that the coming epochs depend on: a restored learner goes on to the same bits.
  [[nodiscard]] virtual std::string save() const = 0;
  /// Throws CorruptError if the state is not one that such a learner saves.
  virtual void restore(std::string_view state) = 0;
  /// What Method::policy makes the policy from.
  [[nodiscard]] virtual std::string policy_state() const = 0;
};

struct SolveProgress {
  std::string stage;
  double lower = 0, upper = 0;  // NaN while there are none
  std::uint64_t beliefs = 0;
};

/// What a method is given to solve a problem with.
struct SolveRequest {
  Rng rng{1};           // all randomness comes from it
  Resources resources;  // `stop` says when to be content with what was found
  Stop whole = {};      // when the episodes must be over that a method compares policies by
  int episodes = 1000;  // of those, for each policy
  std::function<void(const SolveProgress&)> watch = {};
};

/// What a method made of a problem.
struct Solved {
  std::string method;              // whose policy it is: the one that was asked, or the one that it chose
  std::string state;               // what was learned: Method::policy makes the same policy of it again
  int epochs = 0;                  // of learning
  std::unique_ptr<Policy> policy;  // none if there was no time to find one
  std::optional<Bounds> bounds;    // certified, of the Bayes-optimal value over the starts
  int decimals = 6;                // of the bounds that may be certain, given their size
  bool exact = false;              // the bounds agree in all of these decimals
  std::uint64_t beliefs = 0;       // that were looked at
  StopReason stopped = StopReason::kNone;  // why it ended before it was finished
};

class Method {
 public:
  virtual ~Method() = default;

  /// The canonical name, with every parameter written out. Set by the registry.
  [[nodiscard]] const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }

  /// What it needs of a problem, besides episodes that end.
  [[nodiscard]] virtual std::vector<Need> needs() const = 0;
  /// Why it cannot be used on a problem that has all that: because of its parameters. Empty if it can.
  [[nodiscard]] virtual std::string refusal(const Problem& /*problem*/) const { return ""; }
  /// Why the method cannot be used on this problem; empty if it can.
  [[nodiscard]] std::string objection(const Problem& problem) const;

  /// What is known to mislead the method on this problem, though it can be used; empty if nothing is.
  [[nodiscard]] virtual std::string warning(const Problem& /*problem*/) const { return ""; }
  /// About how many seconds of one core a decision takes, once there is a policy: long runs are begun first,
  /// and forecasts are made of it. By default, that of a plan made anew at every step.
  [[nodiscard]] virtual double cost(const Problem& problem) const;
  static constexpr double kSecondsPerSimulation = 10e-6;  // roughly, for methods that simulate

  /// Nothing if there is nothing to learn. All randomness comes from `rng`; the number of threads must not
  /// change the result. Long work asks `resources.stop` and throws Stopped.
  [[nodiscard]] virtual std::unique_ptr<Learner> learner(const Problem& /*problem*/, Rng /*rng*/,
                                                         const Resources& /*resources*/) const {
    return nullptr;
  }
  /// The policy that a learner's `policy_state` describes; empty where there is no learner. Throws
  /// CorruptError if the state is of another problem or method.
  [[nodiscard]] virtual std::unique_ptr<Policy> policy(const Problem& problem, std::string_view state,
                                                       const Resources& resources) const = 0;

  /// Learns if there is something to learn, and says what it knows of the value. Throws UsageError if there
  /// is an objection. A request to stop, or a limit, ends it early with what there is.
  [[nodiscard]] Solved solve(const Problem& problem, const SolveRequest& request) const;

 protected:
  /// The same without an objection. By default it learns, all epochs or as many as there is time for.
  [[nodiscard]] virtual Solved find(const Problem& problem, const SolveRequest& request) const;

 private:
  std::string name_;
};

}  // namespace assay
