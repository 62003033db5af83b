// search: the policy of the best lower bound that a search among beliefs has found. For problems with
// finitely many environments whose beliefs are too many to solve.
#include "assay/problem/registry.hpp"
#include "assay/solver/search_policy.hpp"

namespace assay {
namespace {

struct SearchSettings {
  int trials = 2000;
};

class SearchMethod final : public Method {
 public:
  explicit SearchMethod(const SearchSettings& settings) : settings_(settings) {}

  std::string objection(const Problem& problem) const override {
    return problem.knowledge(default_kernel())->finite() ? "" : "it has infinitely many environments";
  }

  std::unique_ptr<Policy> policy(const Problem& problem, std::string_view /*state*/,
                                 const Resources& resources) const override {
    auto search = std::make_shared<BoundSearch>(
        problem.finite_model(), BoundSearchOptions{.threads = resources.threads, .stop = resources.stop});
    search->run({.trials = static_cast<std::uint64_t>(settings_.trials)});
    return std::make_unique<SearchPolicy>(std::move(search));
  }

 private:
  SearchSettings settings_;
};

const RegisterMethod<SearchMethod, SearchSettings> kRegistered(
    "search",
    "the policy of the best lower bound found by a search among beliefs; for finitely many environments",
    Schema<SearchSettings>({integer("trials", &SearchSettings::trials, 1, 2'000'000'000,
                                    "walks from the start to where the bounds meet")}));

}  // namespace
}  // namespace assay
