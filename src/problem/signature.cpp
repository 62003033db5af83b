#include "problem/signature.hpp"

#include <bit>
#include <memory>
#include <span>

#include "assay/cashing/cashing.hpp"
#include "assay/problem/registry.hpp"
#include "assay/solver/detail/drawn_environments.hpp"
#include "assay/solver/exact_solution.hpp"
#include "core/bytes.hpp"
#include "solver/cross_solver.hpp"

namespace assay {
namespace {

/// A hash of the bytes of what is added.
class Hash {
 public:
  void add(std::uint64_t word) { bytes_.u64(word); }
  void add(double number) { bytes_.f64(number); }
  void add(float number) { add(std::uint64_t{std::bit_cast<std::uint32_t>(number)}); }
  [[nodiscard]] std::uint64_t value() { return checksum(bytes_.take()); }

 private:
  ByteWriter bytes_;
};

/// Random MDPs with different arcs, a form that no built-in family has.
Mdp random_mdp(Rng rng, int states, int actions) {
  Mdp mdp;
  mdp.states = states;
  mdp.actions = actions;
  mdp.discount = 0.9;
  mdp.first_arc = {0};
  for (int pair = 0; pair < states * actions; ++pair) {
    mdp.reward.push_back(uniform(rng));
    double left = 1;
    for (int arc = 0; arc < 3; ++arc) {
      const double p = arc == 2 ? left : left * uniform(rng);
      mdp.arcs.push_back({static_cast<int>(uniform_index(rng, static_cast<std::uint64_t>(states))), p});
      left -= p;
    }
    mdp.first_arc.push_back(static_cast<std::uint32_t>(mdp.arcs.size()));
  }
  return mdp;
}

std::uint64_t hash_arcs(Kernel kernel, int threads) {
  constexpr std::size_t kCount = 37;
  std::vector<Mdp> mdps;
  for (std::size_t i = 0; i < 2 * kCount; ++i) mdps.push_back(random_mdp(Rng(7).split(i), 12, 3));
  DrawnEnvironments batches;
  detail::fill_batches(mdps, kCount, batches);
  CrossSolver solver(kernel, threads);
  Hash hash;
  for (const Ending& ending : {Ending(StepsLeft{11}), Ending(Endless{1e-4})}) {
    solver.solve(*batches.plans, *batches.worlds, ending);
    for (std::size_t e = 0; e < kCount; ++e) {
      for (int x = 0; x < 12; ++x) {
        hash.add(solver.plan_value(e, x));
        hash.add(solver.world_value(e, x));
      }
    }
  }
  return hash.value();
}

std::uint64_t hash_cross(const std::string& family, const Estimator& estimator, const Ending& ending,
                         Kernel kernel, int threads) {
  const std::unique_ptr<Problem> problem = make_problem(family);
  const std::unique_ptr<Belief> knowledge = problem->prior(kernel);
  CrossSampler sampler(estimator, ending, kernel, threads);
  Hash hash;
  Rng rng(3);
  for (std::uint64_t step = 0; step < 3; ++step) {  // at the prior, and after each of two observations
    const CrossSamples samples =
        sampler.sample(*knowledge, {.seed = 5, .episode = 1, .step = step, .role = 0});
    for (int x = 0; x < knowledge->states(); ++x) {
      for (const Estimate& e : {current_information(samples, x), full_information(samples, x)}) {
        hash.add(e.value);
        if (e.standard_error == e.standard_error) hash.add(e.standard_error);  // NaN has many bit patterns
      }
    }
    const int middle = knowledge->states() / 2;
    knowledge->observe(middle, kArrive, knowledge->draw_outcome(middle, kArrive, rng));
  }
  return hash.value();
}

std::uint64_t hash_exact(const std::string& family, int threads) {
  ExactOptions options;
  options.threads = threads;
  Hash hash;
  hash.add(make_problem(family)->exact(options)->value());
  return hash.value();
}

}  // namespace

Signature signature(Kernel kernel, int threads) {
  const StepsLeft steps{25};
  const Endless endless{1e-4};
  const std::string small = "treasure_map(size=3)";
  const std::string paper = "treasure_map(size=7)";
  const std::string maze = "t_maze(distance=3,arm=3,discount=0.95,cue_accuracy=0.8)";
  const auto cross = [&](const std::string& family, const Estimator& estimator, const Ending& ending) {
    return SignaturePart{family + " " + estimator_name(estimator),
                         hash_cross(family, estimator, ending, kernel, threads)};
  };
  Signature all;
  all.parts = {cross(paper, Linear{80}, steps),
               cross(paper, Paired{40}, steps),
               cross(paper, Crossed{17, 3}, steps),
               cross(small, MeanPlan{20}, steps),
               cross(small, BestPlan{20, 4}, endless),
               cross("treasure_map(size=30)", Paired{16}, steps),
               cross("treasure_map(size=7,order=move_then_collect)", Paired{40}, endless),
               cross("bandit(arms=5)", Paired{33}, steps),
               cross(maze, Summed{}, steps),
               cross(maze, Paired{21}, steps),
               {"arcs", hash_arcs(kernel, threads)},
               {"exact", hash_exact("bandit(arms=2,horizon=12)", threads)}};
  Hash hash;
  for (const SignaturePart& part : all.parts) hash.add(part.hash);
  all.hash = hash.value();
  return all;
}

}  // namespace assay
