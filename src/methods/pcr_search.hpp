// What the parts of the method pcr_search share: its settings, its budget, and its two kinds of search.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "assay/core/belief.hpp"
#include "assay/core/detail/stop.hpp"
#include "assay/core/policy.hpp"
#include "assay/solver/detail/finite_model.hpp"
#include "cashing/belief_model.hpp"

namespace assay {

enum class SearchGuide { kNone, kPcr };
enum class SearchPlayouts { kUnlisted, kNever };

struct PcrSearchSettings {
  int simulations = 100;
  int ms = 0;
  int trees = 2;
  int environments = 64;
  double between = -1;
  double exploration = 1;
  double discount = 0;
  SearchGuide guide = SearchGuide::kNone;
  int epochs = 1000;
  SearchPlayouts playouts = SearchPlayouts::kUnlisted;
};

/// How long a decision may take.
class SearchBudget {
 public:
  explicit SearchBudget(const PcrSearchSettings& settings)
      : simulations_(static_cast<std::uint64_t>(settings.simulations)),
        seconds_(settings.ms / 1000.0),
        begin_(Clock::now()) {}

  [[nodiscard]] bool timed() const { return seconds_ > 0; }
  /// The limits of the i-th of several trees, which has made this many simulations and may use this share of
  /// the time.
  [[nodiscard]] bool spent(std::uint64_t simulations, std::size_t i, std::size_t trees, double share) const {
    if (!timed()) return simulations >= simulations_ / trees + (i < simulations_ % trees ? 1 : 0);
    return std::chrono::duration<double>(Clock::now() - begin_).count() >= seconds_ * share;
  }
  [[nodiscard]] double seconds() const { return seconds_; }
  [[nodiscard]] std::uint64_t simulations() const { return simulations_; }

 private:
  using Clock = std::chrono::steady_clock;
  std::uint64_t simulations_;
  double seconds_;
  Clock::time_point begin_;
};

/// What the copies of a policy share.
struct SearchedProblem {
  std::shared_ptr<const Belief> prior;
  bool known_moves = false;
  int horizon;
  double discount;
  std::function<LearnedValue()> learned;  // empty: settings.between is used
  bool plays_out = false;                 // successors cannot be listed, so the trees are noisy
};

/// The search for environments that can be listed: its bounds are certified and kept from step to step of an
/// episode.
std::unique_ptr<Policy> certified_search_policy(std::shared_ptr<const FiniteModel> model,
                                                const PcrSearchSettings& settings);
/// The search for all other problems: CashedSearch, with Playouts where the problem needs them.
std::unique_ptr<Policy> cashed_search_policy(std::shared_ptr<const SearchedProblem> problem,
                                             const PcrSearchSettings& settings, const Resources& resources);

}  // namespace assay
