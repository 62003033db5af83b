#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "methods/pcr_search.hpp"
#include "solver/bound_search.hpp"

namespace assay {
namespace {

class CertifiedSearchPolicy final : public Policy {
 public:
  CertifiedSearchPolicy(std::shared_ptr<const FiniteModel> model, const PcrSearchSettings& settings)
      : model_(std::move(model)), settings_(settings) {}

  void begin(const Situation& /*situation*/) override {
    search_ = std::make_unique<BoundSearch>(model_, BoundSearchOptions{.threads = 1});
  }
  int act(const Situation& situation, Rng& /*rng*/) override {
    const SearchBudget budget(settings_);
    if (!search_) begin(situation);
    const std::span<const double> weights = situation.belief().weights();
    const std::uint64_t before = search_->simulations();
    if (search_->searches()) {
      search_->search_from(situation.state(), weights, situation.remaining());
      SearchLimits limits;
      if (budget.timed()) {
        limits.stop = Stop().within(budget.seconds());
      } else {
        limits.simulations = budget.simulations();
      }
      search_->run(limits);
    }
    last_state_ = situation.state();
    last_remaining_ = situation.remaining();
    last_weights_.assign(weights.begin(), weights.end());
    look(situation, weights, search_->simulations() - before, budget.timed());
    return search_->action(situation.state(), weights, situation.remaining());
  }

  SearchView searched(int levels, std::size_t successors) const override {
    SearchView view = view_;
    if (search_ && search_->searches()) {
      view.actions = search_->view(last_state_, last_weights_, last_remaining_, levels, successors);
    } else if (levels == 0) {
      view.actions.clear();
    }
    return view;
  }

  std::unique_ptr<Policy> clone() const override {
    return std::make_unique<CertifiedSearchPolicy>(model_, settings_);
  }

 private:
  void look(const Situation& situation, std::span<const double> weights, std::uint64_t simulations,
            bool timed) {
    view_ = {};
    view_.simulations = simulations;
    view_.timed = timed;
    view_.lower = view_.upper = -std::numeric_limits<double>::infinity();
    const std::vector<Bounds> all = search_->action_bounds(situation.state(), weights, situation.remaining());
    for (std::size_t a = 0; a < all.size(); ++a) {
      if (!situation.allowed(static_cast<int>(a))) continue;
      ViewedAction& one = view_.actions.emplace_back();
      one.action = static_cast<int>(a);
      one.value = one.lower = all[a].lower;
      one.upper = all[a].upper;
      view_.lower = std::max(view_.lower, one.lower);
      view_.upper = std::max(view_.upper, one.upper);
    }
    std::size_t possible = 0;
    for (const ViewedAction& one : view_.actions) possible += one.upper >= view_.lower ? 1 : 0;
    view_.certain = possible <= 1 || view_.upper - view_.lower <= 1e-9 * search_->scale();
  }

  std::shared_ptr<const FiniteModel> model_;
  PcrSearchSettings settings_;
  std::unique_ptr<BoundSearch> search_;
  int last_state_ = 0, last_remaining_ = 0;
  std::vector<double> last_weights_;
  SearchView view_;
};

}  // namespace

std::unique_ptr<Policy> certified_search_policy(std::shared_ptr<const FiniteModel> model,
                                                const PcrSearchSettings& settings) {
  return std::make_unique<CertifiedSearchPolicy>(std::move(model), settings);
}

}  // namespace assay
