// exact: the Bayes-optimal policy, by dynamic programming over all reachable beliefs. For small problems.
#include "assay/problem/exact_policy.hpp"
#include "assay/problem/registry.hpp"

namespace assay {
namespace {

struct ExactSettings {
  int max_states = 10'000'000;
};

class ExactMethod final : public Method {
 public:
  explicit ExactMethod(const ExactSettings& settings) : settings_(settings) {}

  std::unique_ptr<Policy> policy(const Problem& problem, std::string_view /*state*/,
                                 const Resources& resources) const override {
    const ExactOptions options{.max_states = static_cast<std::uint64_t>(settings_.max_states),
                               .threads = resources.threads,
                               .stop = resources.stop};
    return std::make_unique<ExactPolicy>(problem.exact(options));
  }

 private:
  ExactSettings settings_;
};

const RegisterMethod<ExactMethod, ExactSettings> kRegistered(
    "exact", "the Bayes-optimal policy, by dynamic programming over all reachable beliefs",
    Schema<ExactSettings>({integer("max_states", &ExactSettings::max_states, 1, 2'000'000'000,
                                   "belief states that may be held in memory")}));

}  // namespace
}  // namespace assay
