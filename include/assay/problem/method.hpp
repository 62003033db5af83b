// A method turns a problem into a policy: by solving, learning, searching, or by a fixed rule. Some methods
// also give bounds of the Bayes-optimal value.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/core/detail/bounds.hpp"
#include "assay/core/detail/stop.hpp"
#include "assay/core/policy.hpp"
#include "assay/core/rng.hpp"
#include "assay/problem/problem.hpp"

namespace assay {

/// A point of the learning curve.
struct EpochReport {
  double mean_return = 0;  // undiscounted
  double loss = 0;
};

class Learner {
 public:
  virtual ~Learner() = default;
  /// The number of epochs, and how many of them are finished.
  [[nodiscard]] virtual int epochs() const = 0;
  [[nodiscard]] virtual int done() const = 0;
  virtual EpochReport advance() = 0;
  /// The approximate time of an epoch on one core. Long runs are begun first, and forecasts use it.
  [[nodiscard]] virtual double seconds_per_epoch() const = 0;
  /// Everything on which the coming epochs depend: a restored learner gives the same bits.
  [[nodiscard]] virtual std::string save() const = 0;
  /// Throws CorruptError if the state is not one that a learner of this kind has saved.
  virtual void restore(std::string_view state) = 0;
  /// The state from which Method::policy makes the policy.
  [[nodiscard]] virtual std::string policy_state() const = 0;
};

struct SolveProgress {
  std::string stage;
  double lower = 0, upper = 0;  // NaN as long as there are none
  std::uint64_t beliefs = 0;
};

/// The means with which a method solves a problem.
struct SolveRequest {
  Rng rng{1};           // the only source of random numbers
  Resources resources;  // `stop` says when to return what was found
  Stop whole = {};      // when the episodes that compare policies must be over
  int episodes = 1000;  // how many of these there are for each policy
  std::function<void(const SolveProgress&)> watch = {};
};

/// What a method found for a problem.
struct Solved {
  std::string method;              // the method whose policy it is: this one, or the one that it chose
  std::string state;               // what was learned; Method::policy makes the same policy from it
  int epochs = 0;                  // of learning
  std::unique_ptr<Policy> policy;  // none if there was no time to find one
  std::optional<Bounds> bounds;    // certified, of the Bayes-optimal value over the starts
  int decimals = 6;                // how many decimals of the bounds can be certain, given their size
  bool exact = false;              // the bounds agree in all of these decimals
  std::uint64_t beliefs = 0;       // how many beliefs were looked at
  StopReason stopped = StopReason::kNone;  // why the work ended early
};

class Method {
 public:
  virtual ~Method() = default;

  /// The canonical name, in which every parameter is written out. The registry sets it.
  [[nodiscard]] const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }

  /// What the method needs of a problem.
  [[nodiscard]] virtual std::vector<Need> needs() const = 0;
  /// Why the method's parameters exclude this problem, which meets its needs. Empty if they do not.
  [[nodiscard]] virtual std::string refusal(const Problem& /*problem*/) const { return ""; }
  /// Why the method cannot be used on this problem; empty if it can.
  [[nodiscard]] std::string objection(const Problem& problem) const;

  /// A known reason why the method may mislead on this problem although it can be used; empty if there is
  /// none.
  [[nodiscard]] virtual std::string warning(const Problem& /*problem*/) const { return ""; }
  /// The approximate time of a decision on one core in seconds, once there is a policy. Long runs are begun
  /// first, and forecasts use it. By default it is the time of a new plan at every step.
  [[nodiscard]] virtual double cost(const Problem& problem) const;
  static constexpr double kSecondsPerSimulation = 10e-6;  // an estimate, for methods that simulate

  /// A learner; null if the method does not learn. All random numbers come from `rng`, and the number of
  /// threads must not change the result. Long work looks at `resources.stop` and throws Stopped.
  [[nodiscard]] virtual std::unique_ptr<Learner> learner(const Problem& /*problem*/, Rng /*rng*/,
                                                         const Resources& /*resources*/) const {
    return nullptr;
  }
  /// The policy that a learner's `policy_state` describes; the state is empty for methods that do not learn.
  /// Throws CorruptError if the state is of another problem or method.
  [[nodiscard]] virtual std::unique_ptr<Policy> policy(const Problem& problem, std::string_view state,
                                                       const Resources& resources) const = 0;

  /// Learns if the method learns, and returns a policy and what is known of the value. Throws UsageError if
  /// there is an objection. A request to stop, or a limit, ends it early with what was found.
  [[nodiscard]] Solved solve(const Problem& problem, const SolveRequest& request) const;

 protected:
  /// The same without objections. By default it learns for all epochs, or for as many as the time allows.
  [[nodiscard]] virtual Solved find(const Problem& problem, const SolveRequest& request) const;

 private:
  std::string name_;
};

}  // namespace assay
