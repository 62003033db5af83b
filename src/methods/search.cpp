// search: the policy with the best lower bound that a search among beliefs has found. It is meant for
// problems with finitely many environments that have too many beliefs for the exact solver.
#include <limits>

#include "assay/problem/registry.hpp"
#include "methods/certified.hpp"
#include "solver/search_policy.hpp"

namespace assay {
namespace {

struct SearchSettings {
  int simulations = 2000;
};

class SearchMethod final : public Method {
 public:
  explicit SearchMethod(const SearchSettings& settings) : settings_(settings) {}

  std::vector<Need> needs() const override { return {Need::kStillHidden, Need::kFinite}; }

  std::unique_ptr<Policy> policy(const Problem& problem, std::string_view /*state*/,
                                 const Resources& resources) const override {
    auto search = std::make_shared<BoundSearch>(
        problem.finite_model(), BoundSearchOptions{.threads = resources.threads, .stop = resources.stop});
    search->run({.simulations = static_cast<std::uint64_t>(settings_.simulations)});
    return std::make_unique<SearchPolicy>(std::move(search));
  }

 protected:
  /// Searches until the bounds meet or the request ends it. `trials` limits a search without a time limit.
  Solved find(const Problem& problem, const SolveRequest& request) const override {
    try {
      CertifyingSearch search(problem.finite_model(), request);
      search.run(std::numeric_limits<std::uint64_t>::max());
      return search.found();
    } catch (const Stopped& stopped) {
      Solved found;
      found.method = name();
      found.stopped = stopped.reason();
      return found;
    }
  }

 private:
  SearchSettings settings_;
};

const RegisterMethod<SearchMethod, SearchSettings> kRegistered(
    "search",
    "the policy with the best lower bound that a search among beliefs finds; for finitely many environments",
    Schema<SearchSettings>({integer("trials", &SearchSettings::simulations, 1, 2'000'000'000,
                                    "simulations, each from the start to where the bounds meet")}));

}  // namespace
}  // namespace assay
