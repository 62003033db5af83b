// A method turns a problem into a policy: by solving, learning, searching, or not at all.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "assay/core/policy.hpp"
#include "assay/core/resources.hpp"
#include "assay/core/rng.hpp"
#include "assay/problem/learner.hpp"
#include "assay/problem/problem.hpp"

namespace assay {

class Method {
 public:
  virtual ~Method() = default;

  /// The canonical name, with every parameter written out. Set by the registry.
  [[nodiscard]] const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }

  /// Why the method cannot be used on this problem; empty if it can.
  [[nodiscard]] virtual std::string objection(const Problem& /*problem*/) const { return ""; }

  /// What is known to mislead the method on this problem, though it can be used; empty if nothing is.
  [[nodiscard]] virtual std::string warning(const Problem& /*problem*/) const { return ""; }

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

  /// Learns if there is something to learn, all epochs. Throws UsageError if there is an objection.
  [[nodiscard]] std::unique_ptr<Policy> solve(const Problem& problem, Rng rng,
                                              const Resources& resources) const;

 private:
  std::string name_;
};

}  // namespace assay
