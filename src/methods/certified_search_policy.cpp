#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "assay/solver/bound_search.hpp"
#include "methods/pcr_search.hpp"

namespace assay {
namespace {

class CertifiedSearchPolicy final : public Policy {
 public:
  CertifiedSearchPolicy(std::shared_ptr<const FiniteModel> model, const PcrSearchSettings& settings)
      : model_(std::move(model)), settings_(settings) {}

  void begin(const World& /*world*/) override {
    search_ = std::make_unique<BoundSearch>(model_, BoundSearchOptions{.threads = 1});
  }
  int act(const World& world, Rng& /*rng*/) override {
    const SearchBudget budget(settings_);
    if (!search_) begin(world);
    std::vector<double> weights(world.feature_count());
    world.features(weights);  // of a finite belief these are the weights
    const std::uint64_t before = search_->trials();
    if (search_->searches()) {
      search_->search_from(world.state(), weights, world.remaining());
      SearchLimits limits;
      if (budget.timed()) {
        limits.stop = Stop().within(budget.seconds());
      } else {
        limits.trials = budget.simulations();
      }
      search_->run(limits);
    }
    last_state_ = world.state();
    last_remaining_ = world.remaining();
    last_weights_ = weights;
    look(world, weights, search_->trials() - before, budget.timed());
    return search_->action(world.state(), weights, world.remaining());
  }

  SearchView searched(int levels, std::size_t ends) const override {
    SearchView view = view_;
    if (search_ && search_->searches()) {
      view.actions = search_->view(last_state_, last_weights_, last_remaining_, levels, ends);
    } else if (levels == 0) {
      view.actions.clear();
    }
    return view;
  }

  std::unique_ptr<Policy> clone() const override {
    return std::make_unique<CertifiedSearchPolicy>(model_, settings_);
  }

 private:
  void look(const World& world, const std::vector<double>& weights, std::uint64_t trials, bool timed) {
    view_ = {};
    view_.simulations = trials;
    view_.timed = timed;
    view_.lower = view_.upper = -std::numeric_limits<double>::infinity();
    const std::vector<Bounds> all = search_->action_bounds(world.state(), weights, world.remaining());
    for (std::size_t a = 0; a < all.size(); ++a) {
      if (!world.allowed(static_cast<int>(a))) continue;
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
