#include <fmt/format.h>

#include <algorithm>

#include "assay/cashing/cashing.hpp"
#include "assay/core/error.hpp"
#include "assay/solver/detail/drawn_environments.hpp"
#include "assay/solver/detail/mdp.hpp"
#include "solver/cross_solver.hpp"
#include "solver/stationary.hpp"

namespace assay {
namespace {

void need_draws(std::size_t draws, std::size_t least, const char* what) {
  if (draws < least) throw UsageError(fmt::format("{} {}: at least {} are needed", draws, what, least));
}

/// From tiles to [state][plan], which is what reading a state wants.
template <class TileOf>
void untile(const TileOf& tile_of, const Draws& shape, float* out) {
  for (std::size_t tile = 0; tile < tiles_for(shape.plans); ++tile) {
    const std::span<const float> values = tile_of(tile);
    const std::size_t lanes = std::min(kTile, shape.plans - tile * kTile);
    for (std::size_t x = 0; x < shape.states; ++x) {
      std::copy_n(values.data() + x * kTile, lanes, out + x * shape.plans + tile * kTile);
    }
  }
}

void shape_draws(Draws& draws, int states, std::size_t worlds, std::size_t plans, bool crossed) {
  draws.states = static_cast<std::size_t>(states);
  draws.worlds = worlds;
  draws.plans = plans;
  draws.crossed = crossed;
  draws.drawn.resize(worlds * plans * draws.states);
  draws.exact.clear();
}

void make_exact(Draws& draws, std::vector<double> values) {
  draws.states = values.size();
  draws.worlds = 0;
  draws.plans = 0;
  draws.crossed = false;
  draws.drawn.clear();
  draws.exact = std::move(values);
}

// Far below what single precision leaves elsewhere.
double reference_tolerance(const Endless& ending) { return std::min(ending.tolerance, 1e-9); }

/// The reference's values of a plan: its own, or those of its behaviour in another environment.
class ReferencePlan {
 public:
  ReferencePlan(const Mdp& mdp, const Ending& ending) : ending_(ending) {
    if (const auto* known = std::get_if<StepsLeft>(&ending)) {
      plan_ = optimal_plan(mdp, known->steps);
    } else {
      stationary_ = stationary_plan(mdp, reference_tolerance(std::get<Endless>(ending)));
    }
  }
  [[nodiscard]] const std::vector<double>& value() const {
    return std::holds_alternative<StepsLeft>(ending_) ? plan_.value.back() : stationary_.value;
  }
  [[nodiscard]] std::vector<double> value_in(const Mdp& world) const {
    if (const auto* known = std::get_if<StepsLeft>(&ending_))
      return plan_value(world, plan_, known->steps).back();
    return stationary_cross_value(world, stationary_.action, reference_tolerance(std::get<Endless>(ending_)))
        .value;
  }

 private:
  Ending ending_;
  Plan plan_;
  StationaryPlan stationary_;
};

void add(std::vector<double>& sum, double weight, const std::vector<double>& values) {
  sum.resize(values.size(), 0.0);
  for (std::size_t x = 0; x < values.size(); ++x) sum[x] += weight * values[x];
}

}  // namespace

class CrossSampler::Machine {
 public:
  Machine(const Estimator& estimator, const Ending& ending, Kernel kernel, int threads)
      : estimator_(estimator), ending_(ending), solver_(kernel, threads) {}

  void sample(const Belief& knowledge, const DrawKey& key, CrossSamples& into);

 private:
  void with(const Crossed& how, const Belief& knowledge, CrossSamples& into);
  void with(const Paired& how, const Belief& knowledge, CrossSamples& into);
  void with(const Linear& how, const Belief& knowledge, CrossSamples& into);
  void with(const Summed& how, const Belief& knowledge, CrossSamples& into);
  void with(const MeanPlan& how, const Belief& knowledge, CrossSamples& into);
  void with(const BestPlan& how, const Belief& knowledge, CrossSamples& into);
  void keep_full(std::size_t plans, CrossSamples& into) const;

  Estimator estimator_;
  Ending ending_;
  CrossSolver solver_;
  DrawnEnvironments drawn_;
};

CrossSampler::CrossSampler(const Estimator& estimator, const Ending& ending, Kernel kernel, int threads)
    : machine_(std::make_unique<Machine>(estimator, ending, kernel, threads)) {}
CrossSampler::~CrossSampler() = default;
CrossSampler::CrossSampler(CrossSampler&&) noexcept = default;
CrossSampler& CrossSampler::operator=(CrossSampler&&) noexcept = default;

void CrossSampler::sample(const Belief& belief, const DrawKey& key, CrossSamples& into) {
  machine_->sample(belief, key, into);
}

CrossSamples CrossSampler::sample(const Belief& belief, const DrawKey& key) {
  CrossSamples samples;
  machine_->sample(belief, key, samples);
  return samples;
}

std::vector<double> mean_plan_value(const Belief& knowledge, const Ending& ending) {
  return ReferencePlan(knowledge.mean(), ending).value();
}

void CrossSampler::Machine::sample(const Belief& knowledge, const DrawKey& key, CrossSamples& into) {
  into.key = key;
  into.paired = false;
  std::visit([&](const auto& how) { with(how, knowledge, into); }, estimator_);
}

/// The full-information values are the plans' own.
void CrossSampler::Machine::keep_full(std::size_t plans, CrossSamples& into) const {
  shape_draws(into.full, drawn_.plans->dynamics().states, 1, plans, false);
  untile([&](std::size_t tile) { return solver_.plan_tile(tile); }, into.full, into.full.drawn.data());
}

void CrossSampler::Machine::with(const Crossed& how, const Belief& knowledge, CrossSamples& into) {
  need_draws(how.plans, 1, "plans");
  need_draws(how.worlds, 1, "worlds");
  knowledge.draw(into.key, how.plans, how.worlds, drawn_);
  shape_draws(into.current, knowledge.states(), how.worlds, how.plans, true);
  for (std::size_t m = 0; m < how.worlds; ++m) {
    solver_.solve(*drawn_.plans, SharedEnvironment(*drawn_.worlds, m), ending_);
    untile([&](std::size_t tile) { return solver_.world_tile(tile); }, into.current,
           into.current.drawn.data() + m * into.current.states * how.plans);
  }
  keep_full(how.plans, into);
  into.paired = true;
}

void CrossSampler::Machine::with(const Paired& how, const Belief& knowledge, CrossSamples& into) {
  need_draws(how.pairs, 2, "pairs");
  knowledge.draw(into.key, how.pairs, how.pairs, drawn_);
  solver_.solve(*drawn_.plans, *drawn_.worlds, ending_);
  shape_draws(into.current, knowledge.states(), 1, how.pairs, false);
  untile([&](std::size_t tile) { return solver_.world_tile(tile); }, into.current, into.current.drawn.data());
  keep_full(how.pairs, into);
  into.paired = true;
}

void CrossSampler::Machine::with(const Linear& how, const Belief& knowledge, CrossSamples& into) {
  need_draws(how.plans, 2, "plans");
  const Mdp mean = knowledge.mean();
  knowledge.draw(into.key, how.plans, 0, drawn_);
  solver_.solve(*drawn_.plans, SharedEnvironment(drawn_.plans->dynamics(), mean), ending_);
  shape_draws(into.current, knowledge.states(), 1, how.plans, false);
  untile([&](std::size_t tile) { return solver_.world_tile(tile); }, into.current, into.current.drawn.data());
  keep_full(how.plans, into);
  into.paired = true;
}

void CrossSampler::Machine::with(const Summed& /*how*/, const Belief& knowledge, CrossSamples& into) {
  const std::vector<Belief::Possibility> all = knowledge.environments();
  std::vector<double> current;
  std::vector<double> full;
  for (const Belief::Possibility& e : all) {
    const ReferencePlan plan(e.environment, ending_);
    add(full, e.probability, plan.value());
    for (const Belief::Possibility& world : all) {
      add(current, e.probability * world.probability, plan.value_in(world.environment));
    }
  }
  make_exact(into.current, std::move(current));
  make_exact(into.full, std::move(full));
}

void CrossSampler::Machine::with(const MeanPlan& how, const Belief& knowledge, CrossSamples& into) {
  make_exact(into.current, mean_plan_value(knowledge, ending_));
  if (knowledge.finite()) {
    std::vector<double> full;
    for (const Belief::Possibility& e : knowledge.environments()) {
      add(full, e.probability, ReferencePlan(e.environment, ending_).value());
    }
    return make_exact(into.full, std::move(full));
  }
  need_draws(how.draws, 2, "draws");
  knowledge.draw(into.key, how.draws, 0, drawn_);
  solver_.solve(*drawn_.plans, ending_);
  keep_full(how.draws, into);
}

void CrossSampler::Machine::with(const BestPlan& how, const Belief& knowledge, CrossSamples& into) {
  if (knowledge.known_transitions()) {
    with(Linear{std::max<std::size_t>(2, how.plans)}, knowledge, into);
    std::vector<double> best(into.current.states);
    for (std::size_t x = 0; x < best.size(); ++x) {
      const float* values = into.current.drawn.data() + x * into.current.plans;
      best[x] = static_cast<double>(*std::max_element(values, values + into.current.plans));
    }
    make_exact(into.current, std::move(best));
    into.paired = false;
    return;
  }
  need_draws(how.worlds, 4, "worlds, half of them to choose the plan and half to value it,");
  with(Crossed{how.plans, how.worlds}, knowledge, into);
  const Draws table = std::move(into.current);
  const std::size_t choosing = how.worlds / 2;
  shape_draws(into.current, knowledge.states(), 1, how.worlds - choosing, false);
  for (std::size_t x = 0; x < table.states; ++x) {
    const auto total = [&](std::size_t plan) {
      double sum = 0;
      for (std::size_t m = 0; m < choosing; ++m) sum += table.at(m, static_cast<int>(x), plan);
      return sum;
    };
    std::size_t best = 0;
    double most = total(0);
    for (std::size_t plan = 1; plan < how.plans; ++plan) {
      const double sum = total(plan);
      if (sum > most) {
        best = plan;
        most = sum;
      }
    }
    for (std::size_t m = choosing; m < how.worlds; ++m) {
      into.current.drawn[x * into.current.plans + m - choosing] =
          static_cast<float>(table.at(m, static_cast<int>(x), best));
    }
  }
  into.paired = false;
}

}  // namespace assay
