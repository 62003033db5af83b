// What knowledge is worth at every place: v^c and E[v^e], fast enough to ask at every step of every episode.
//
// cashing.hpp answers the same questions about one belief with standard errors; this is the learner's short
// way. Finite beliefs are summed exactly over a table of cross-values that is made once; fields of cells are
// drawn and solved by the kernels.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "assay/cashing/cashing.hpp"
#include "assay/solver/detail/drawn_environments.hpp"
#include "cashing/cross_table.hpp"
#include "cashing/mean_environment.hpp"
#include "cashing/places.hpp"
#include "solver/cross_solver.hpp"

namespace assay {

/// What stands for the value of current information: the mean over pairs of drawn plans and worlds (the
/// paper's v^c), over drawn plans in the mean world (the same, without the noise of the worlds), or v^m, the
/// value of the mean world's own plan.
///
/// Where environments move differently, a mean world has no meaning. Then kLinear is kSampled, and kMean is
/// the value of one good plan in all environments: the best of the environments' plans if the cross-values
/// are a table, otherwise the plan of the expected environment.
enum class CurrentValue { kSampled, kLinear, kMean };

struct Valuation {
  CurrentValue current = CurrentValue::kSampled;
  int samples = 80;        // environments drawn for each belief
  int bound_samples = 80;  // of them, those that the bound is estimated from
};

/// [place] each.
struct PlaceValues {
  std::vector<double> reward;  // E[reward] of collecting there
  std::vector<float> current;  // v^c, from all samples
  std::vector<float> bound;    // B, never negative
};

/// Copies share what does not change; each thread needs its own.
class PlaceValuer {
 public:
  /// Cross-values are summed over a table of finitely many environments if these have numbers and the table
  /// is not too large; otherwise they are drawn.
  PlaceValuer(const Belief& prior, std::shared_ptr<const Places> places, const Valuation& how, int horizon,
              Kernel kernel = default_kernel());

  /// With `collections` still to come. The same key uses common random numbers.
  void value(const Belief& knowledge, int collections, const DrawKey& key, PlaceValues& out);

 private:
  void value_summed(const Belief& knowledge, int collections, PlaceValues& out);
  void value_drawn(const Belief& knowledge, int collections, const DrawKey& key, PlaceValues& out);
  /// False if the expected environment has moves that none of the drawn ones has.
  [[nodiscard]] bool draw_expected_plans(const Belief& knowledge);
  void pair_up();

  /// Values of drawn environments, and what is paid there.
  struct Solved {
    const CrossSolver* solver;
    bool world;  // the values of the worlds, not of the plans
    const EnvironmentBatch* batch;
    bool mean_pays = false;
  };
  void add_actions(const Solved& of, std::size_t tile, std::size_t place, std::span<float> sums) const;
  [[nodiscard]] double average(const Solved& of, std::size_t place, std::size_t count) const;
  [[nodiscard]] double of_mean_plan(std::size_t place) const;

  std::shared_ptr<const Places> places_;
  Valuation how_;
  double discount_;
  bool known_moves_;
  std::shared_ptr<const CrossTable> finite_;
  std::optional<MeanEnvironment> mean_environment_;  // where its plan is what is asked for
  CrossSolver solver_;
  CrossSolver full_;  // solves the drawn worlds, where plans are of another environment
  DrawnEnvironments drawn_;
  std::vector<float> mean_;  // [place]
};

}  // namespace assay
