// exact: the Bayes-optimal policy, by dynamic programming over all reachable beliefs. For small problems.
#include "assay/problem/registry.hpp"
#include "methods/certified.hpp"
#include "problem/exact_policy.hpp"

namespace assay {
namespace {

struct ExactSettings {
  int max_states = 10'000'000;
};

class ExactMethod final : public Method {
 public:
  explicit ExactMethod(const ExactSettings& settings) : settings_(settings) {}
  std::vector<Need> needs() const override { return {Need::kStillHidden}; }

  std::unique_ptr<Policy> policy(const Problem& problem, std::string_view /*state*/,
                                 const Resources& resources) const override {
    const ExactOptions options{.max_states = static_cast<std::uint64_t>(settings_.max_states),
                               .threads = resources.threads,
                               .stop = resources.stop};
    return std::make_unique<ExactPolicy>(problem.exact(options));
  }

 protected:
  Solved find(const Problem& problem, const SolveRequest& request) const override {
    const auto most = static_cast<std::uint64_t>(settings_.max_states);
    try {
      return solve_exactly(problem, name(), most, request, request.resources.stop);
    } catch (const Stopped& stopped) {
      Solved found;
      found.method = name();
      found.stopped = stopped.reason();
      return found;
    }
  }

 private:
  ExactSettings settings_;
};

const RegisterMethod<ExactMethod, ExactSettings> kRegistered(
    "exact", "the Bayes-optimal policy, by dynamic programming over all reachable beliefs",
    Schema<ExactSettings>({integer("max_states", &ExactSettings::max_states, 1, 2'000'000'000,
                                   "largest number of belief states in memory")}));

}  // namespace
}  // namespace assay
