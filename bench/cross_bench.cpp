// What do Beta draws and cross-values cost? Beside what a user would write instead and beside the machine's
// limit, in one run. One core unless it says otherwise; best of several runs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "assay/beliefs/detail/beta_field.hpp"
#include "assay/core/detail/workers.hpp"
#include "assay/problem/registry.hpp"
#include "assay/solver/detail/drawn_environments.hpp"
#include "peak.hpp"
#include "plain_cross.hpp"
#include "solver/cross_solver.hpp"
#include "solver/stationary.hpp"
#include "timing.hpp"

namespace {

using assay::bench::best_seconds;
using nlohmann::ordered_json;
using Counts = std::vector<std::uint64_t>;  // [cell], as BetaBelief packs them

constexpr int kSize = 7;
constexpr std::size_t kCells = kSize * kSize;
constexpr int kSweeps = 25;
constexpr std::size_t kEnvironments = 80;
constexpr double kDiscount = 0.96;

[[noreturn]] void fail(const std::string& why) {
  fmt::print(stderr, "bench: {}\n", why);
  std::exit(1);
}

/// The beliefs of one episode of the treasure map under random moves: what a learner's first epochs look
/// like.
std::vector<Counts> beliefs_met(std::uint64_t seed) {
  const auto problem = assay::make_problem("treasure_map(size=7)");
  assay::Rng rng(seed);
  assay::Episode episode = problem->episode(rng.split(0));
  const assay::Situation& now = episode.situation();
  std::vector<Counts> all;
  while (!now.done()) {
    episode.arrive();
    all.push_back(now.belief().key());
    int action = 0;
    do {
      action = static_cast<int>(assay::uniform_index(rng, 9));
    } while (!now.allowed(action));
    episode.act(action);
  }
  return all;
}

struct Parameters {
  std::vector<double> a, b;
};

Parameters parameters(const Counts& counts) {
  Parameters p;
  for (const std::uint64_t c : counts) {
    p.a.push_back(0.1 + static_cast<double>(c & 0xffffffffU));
    p.b.push_back(1 + static_cast<double>(c >> 32U));
  }
  return p;
}

struct DrawCost {
  double ours_ns, boost_ns;
};

DrawCost measure_draws(const std::vector<Counts>& beliefs) {
  const assay::BetaFieldSampler sampler(0.1, 1);
  assay::Lanes out(kEnvironments * kCells);
  std::uint64_t step = 0;
  const auto draw_all = [&] {
    for (const Counts& counts : beliefs) {
      sampler.draw(counts, {.seed = 1, .episode = 0, .step = ++step, .role = 0}, kEnvironments, out);
    }
  };
  draw_all();  // makes the tables, once for all: counts recur
  const double total = static_cast<double>(beliefs.size() * kEnvironments * kCells);
  const double ours = best_seconds(51, draw_all);
  std::vector<float> boost_out(kEnvironments * kCells);
  std::vector<Parameters> all;
  for (const Counts& counts : beliefs) all.push_back(parameters(counts));
  const double boost = best_seconds(7, [&] {
    for (const Parameters& p : all) {
      assay::bench::boost_beta_field(++step, p.a, p.b, static_cast<int>(kEnvironments), boost_out);
    }
  });
  return {ours * 1e9 / total, boost * 1e9 / total};
}

/// Plans and worlds of treasure maps at the prior.
assay::DrawnEnvironments drawn_at_prior(int size, std::size_t environments) {
  const auto problem = assay::make_problem(fmt::format("treasure_map(size={})", size));
  assay::DrawnEnvironments drawn;
  problem->prior()->draw({.seed = 2, .episode = 0, .step = 0, .role = 0}, environments, environments, drawn);
  return drawn;
}

/// [environment][cell], as plain loops have it.
std::vector<float> untiled(const assay::EnvironmentBatch& batch) {
  std::vector<float> all;
  for (std::size_t e = 0; e < batch.count(); ++e) {
    const auto tile = batch.reward_tile(e / assay::kTile);
    for (std::size_t i = e % assay::kTile; i < tile.size(); i += assay::kTile) all.push_back(tile[i]);
  }
  return all;
}

double sweep_ns(int size, std::size_t environments, int runs) {
  const assay::DrawnEnvironments drawn = drawn_at_prior(size, environments);
  assay::CrossSolver solver;
  const double seconds =
      best_seconds(runs, [&] { solver.solve(*drawn.plans, *drawn.worlds, assay::StepsLeft{kSweeps}); });
  return seconds * 1e9 / (static_cast<double>(size * size * kSweeps) * static_cast<double>(environments));
}

double plain_sweep_ns() {
  const assay::DrawnEnvironments drawn = drawn_at_prior(kSize, kEnvironments);
  const std::vector<float> plan = untiled(*drawn.plans);
  const std::vector<float> world = untiled(*drawn.worlds);
  std::vector<float> plan_value(plan.size());
  std::vector<float> world_value(plan.size());
  const double seconds = best_seconds(21, [&] {
    assay::bench::plain_cross(plan.data(), world.data(), kSize, kSize, kEnvironments, kSweeps,
                              static_cast<float>(kDiscount), plan_value.data(), world_value.data());
  });
  assay::CrossSolver solver;
  solver.solve(*drawn.plans, *drawn.worlds, assay::StepsLeft{kSweeps});
  for (std::size_t e = 0; e < kEnvironments; ++e) {
    for (std::size_t x = 0; x < kCells; ++x) {
      if (solver.plan_value(e, static_cast<int>(x)) != plan_value[e * kCells + x] ||
          solver.world_value(e, static_cast<int>(x)) != world_value[e * kCells + x]) {
        fail("the kernel and the plain loop disagree");
      }
    }
  }
  return seconds * 1e9 / static_cast<double>(kCells * kEnvironments * kSweeps);
}

/// Both steps for all beliefs: seconds for one of them.
double both_seconds(const std::vector<Counts>& beliefs, int threads) {
  const auto dynamics = std::make_shared<const assay::Dynamics>(assay::king_grid(kSize, kSize, kDiscount));
  const assay::BetaFieldSampler sampler(0.1, 1);
  struct Place {
    explicit Place(const std::shared_ptr<const assay::Dynamics>& d)
        : plans(d, kEnvironments), worlds(d, kEnvironments) {}
    assay::EnvironmentBatch plans, worlds;
    assay::CrossSolver solver{};
  };
  constexpr std::size_t kChunk = 10;
  const std::size_t chunks = (beliefs.size() + kChunk - 1) / kChunk;
  std::vector<Place> places(chunks, Place(dynamics));
  assay::Workers workers(threads);
  std::uint64_t episode = 0;
  const auto work = [&] {
    ++episode;
    workers.for_each(chunks, [&](std::size_t c) {
      Place& place = places[c];
      for (std::size_t i = c * kChunk; i < std::min(beliefs.size(), (c + 1) * kChunk); ++i) {
        sampler.draw(beliefs[i], {1, episode, i, 0}, kEnvironments, place.plans.rewards());
        sampler.draw(beliefs[i], {1, episode, i, 1}, kEnvironments, place.worlds.rewards());
        place.solver.solve(place.plans, place.worlds, assay::StepsLeft{kSweeps});
      }
    });
  };
  work();
  return best_seconds(25, work) / static_cast<double>(beliefs.size());
}

/// The same in PyTorch, if there is one.
ordered_json torch(const std::vector<Counts>& beliefs, const std::string& style, int threads) {
  ordered_json successes = ordered_json::array();
  ordered_json failures = ordered_json::array();
  for (const Counts& counts : beliefs) {
    ordered_json s = ordered_json::array();
    ordered_json f = ordered_json::array();
    for (const std::uint64_t c : counts) {
      s.push_back(c & 0xffffffffU);
      f.push_back(c >> 32U);
    }
    successes.push_back(s);
    failures.push_back(f);
  }
  char path[] = "/tmp/assay-bench-XXXXXX";
  const int descriptor = mkstemp(path);
  if (descriptor < 0) fail("cannot make a temporary file");
  std::ofstream(path) << ordered_json{{"successes", successes}, {"failures", failures}}.dump();
  const std::string command = fmt::format(
      "/usr/bin/python3 {}/torch_cross.py --counts {} --size {} --draws {} --sweeps {} --beliefs {} "
      "--threads {} --style {} --repetitions 5",
      ASSAY_BENCH_DIR, path, kSize, kEnvironments, kSweeps, beliefs.size(), threads, style);
  std::string text;
  if (FILE* pipe = popen(command.c_str(), "r"); pipe != nullptr) {
    for (int c = fgetc(pipe); c != EOF; c = fgetc(pipe)) text += static_cast<char>(c);
    pclose(pipe);
  }
  std::remove(path);
  return ordered_json::parse(text, nullptr, false);
}

/// Random environments whose arcs differ, five from every choice.
assay::Mdp random_mdp(assay::Rng rng) {
  constexpr int kStates = 30;
  constexpr int kActions = 4;
  assay::Mdp mdp{.states = kStates,
                 .actions = kActions,
                 .discount = kDiscount,
                 .reward = {},
                 .first_arc = {0},
                 .arcs = {}};
  for (int pair = 0; pair < kStates * kActions; ++pair) {
    mdp.reward.push_back(assay::uniform(rng));
    double total = 0;
    const std::size_t first = mdp.arcs.size();
    for (int arc = 0; arc < 5; ++arc) {
      mdp.arcs.push_back({(pair * 7 + arc * 11) % kStates, assay::uniform(rng)});
      total += mdp.arcs.back().probability;
    }
    for (std::size_t i = first; i < mdp.arcs.size(); ++i) mdp.arcs[i].probability /= total;
    mdp.first_arc.push_back(static_cast<std::uint32_t>(mdp.arcs.size()));
  }
  return mdp;
}

struct ArcCost {
  double ours_ns, reference_ns;
};

/// Per (arc, environment, sweep).
ArcCost measure_arcs() {
  std::vector<assay::Mdp> mdps;
  for (std::size_t i = 0; i < 2 * kEnvironments; ++i) mdps.push_back(random_mdp(assay::Rng(3).split(i)));
  const auto dynamics = std::make_shared<const assay::Dynamics>(assay::common_dynamics(mdps));
  assay::EnvironmentBatch plans(dynamics, kEnvironments);
  assay::EnvironmentBatch worlds(dynamics, kEnvironments);
  for (std::size_t i = 0; i < kEnvironments; ++i) {
    plans.set(i, mdps[i]);
    worlds.set(i, mdps[kEnvironments + i]);
  }
  assay::CrossSolver solver;
  const double ours = best_seconds(21, [&] { solver.solve(plans, worlds, assay::StepsLeft{kSweeps}); });
  double worst = 0;
  const double reference = best_seconds(5, [&] {
    for (std::size_t i = 0; i < kEnvironments; ++i) {
      const assay::Plan plan = assay::optimal_plan(mdps[i], kSweeps);
      const auto value = assay::plan_value(mdps[kEnvironments + i], plan, kSweeps);
      for (std::size_t x = 0; x < value.back().size(); ++x) {
        const auto state = static_cast<int>(x);
        worst = std::max(worst,
                         std::abs(plan.value.back()[x] - static_cast<double>(solver.plan_value(i, state))));
        worst =
            std::max(worst, std::abs(value.back()[x] - static_cast<double>(solver.world_value(i, state))));
      }
    }
  });
  if (worst > 1e-3) fail("the kernel for arcs and the reference disagree");
  const double arcs = static_cast<double>(dynamics->arcs() * kEnvironments * kSweeps);
  return {ours * 1e9 / arcs, reference * 1e9 / arcs};
}

ordered_json print_growth() {
  struct Point {
    int size;
    std::size_t environments;
    double ns = 1e9;
  };
  const std::vector<std::size_t> counts = {16, 80, 256, 1024};
  std::vector<Point> points;
  for (const int size : {3, 5, 7, 11, 21, 51, 101}) {
    for (const std::size_t k : counts) points.push_back({size, k});
  }
  // Round after round over all of them: the clock of a shared machine goes up and down.
  constexpr int kRounds = 8;
  for (int round = 0; round < kRounds; ++round) {
    for (Point& p : points) {
      const double work = static_cast<double>(p.size * p.size) * static_cast<double>(p.environments);
      p.ns = std::min(p.ns, sweep_ns(p.size, p.environments, work < 1e5 ? 31 : work < 3e6 ? 5 : 2));
    }
  }
  fmt::print("\nGrowth: nanoseconds per (cell, environment, sweep), {} sweeps\n\n{:>9}", kSweeps, "cells");
  for (const std::size_t k : counts) fmt::print(" {:>8}", fmt::format("K={}", k));
  ordered_json rows = ordered_json::array();
  double best = 1e9;
  double worst = 0;
  for (const Point& p : points) {
    best = std::min(best, p.ns);
    worst = std::max(worst, p.ns);
    if (p.environments == counts.front()) fmt::print("\n{:>9}", fmt::format("{0}x{0}", p.size));
    fmt::print(" {:>8.3f}", p.ns);
    rows.push_back({{"size", p.size}, {"environments", p.environments}, {"ns", p.ns}});
  }
  fmt::print(
      "\n\nworst / best: {:.2f}x. Memory: 4 floats per (cell, environment): values and rewards of plan and "
      "world.\n",
      worst / best);
  return {{"rows", rows}, {"worst_over_best", worst / best}};
}

void print_ratio(const std::string& what, double ours, double other, const std::string& name) {
  fmt::print("{:<58} {:>9.3f} {:>9.3f} {:>8.1f}x  {}\n", what, ours, other, other / ours, name);
}

}  // namespace

int main(int argc, char** argv) {
  const bool to_file = argc == 3 && std::string(argv[1]) == "--json";
  std::vector<Counts> met;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    for (const Counts& counts : beliefs_met(seed)) met.push_back(counts);
  }
  const std::vector<Counts> prior(10, Counts(kCells));
  fmt::print("Treasure map 7x7, K = 80 environments, T = 25 sweeps, kernel {}\n\n",
             assay::kernel_name(assay::default_kernel()));
  fmt::print("{:<58} {:>9} {:>9} {:>9}\n", "", "assay", "other", "ratio");
  // Three rounds, the best of each: the clock of a shared machine goes up and down.
  DrawCost at_prior = measure_draws(prior);
  DrawCost at_met = measure_draws(met);
  double ours = 1e9;
  double plain = 1e9;
  double peak = 1e9;
  ArcCost arcs = measure_arcs();
  for (int round = 0; round < 3; ++round) {
    const DrawCost prior_again = measure_draws(prior);
    const DrawCost met_again = measure_draws(met);
    const ArcCost arcs_again = measure_arcs();
    at_prior = {std::min(at_prior.ours_ns, prior_again.ours_ns),
                std::min(at_prior.boost_ns, prior_again.boost_ns)};
    at_met = {std::min(at_met.ours_ns, met_again.ours_ns), std::min(at_met.boost_ns, met_again.boost_ns)};
    arcs = {std::min(arcs.ours_ns, arcs_again.ours_ns), std::min(arcs.reference_ns, arcs_again.reference_ns)};
    ours = std::min(ours, sweep_ns(kSize, kEnvironments, 201));
    plain = std::min(plain, plain_sweep_ns());
    peak = std::min(peak, assay::bench::sweep_peak_ns());
  }
  print_ratio("ns per Beta draw, at the prior", at_prior.ours_ns, at_prior.boost_ns, "Boost.Random");
  print_ratio("ns per Beta draw, counts of 10 random episodes", at_met.ours_ns, at_met.boost_ns,
              "Boost.Random");
  print_ratio("ns per (cell, environment, sweep)", ours, plain, "plain loop, -O3");
  fmt::print("{:<58} {:>9.3f} {:>9.3f} {:>8.0f}%  of what the arithmetic alone takes\n",
             "  share of the machine's peak", ours, peak, 100 * peak / ours);
  print_ratio("ns per (arc, environment, sweep), stochastic", arcs.ours_ns, arcs.reference_ns,
              "reference, double");
  ordered_json torch_rows = ordered_json::array();
  for (const int threads : {1, 2}) {
    const double both = both_seconds(met, threads) * 1e6;
    for (const char* style : {"idiomatic", "tuned"}) {
      const ordered_json found = torch(met, style, threads);
      if (found.is_discarded() || !found.contains("both_seconds")) {
        fmt::print("PyTorch: not measured (is python3-torch installed?)\n");
        continue;
      }
      const double other = found["both_seconds"].get<double>() / static_cast<double>(met.size()) * 1e6;
      print_ratio(
          fmt::format("us per belief, draws and cross-values, {} thread{}", threads, threads > 1 ? "s" : ""),
          both, other, fmt::format("PyTorch {}, {}", found["torch"].get<std::string>(), style));
      torch_rows.push_back({{"threads", threads}, {"style", style}, {"assay_us", both}, {"torch_us", other}});
    }
  }
  const ordered_json growth = print_growth();
  if (!to_file) return 0;
  const ordered_json all = {{"kernel", assay::kernel_name(assay::default_kernel())},
                            {"beta_draw_ns",
                             {{"prior", {{"assay", at_prior.ours_ns}, {"boost", at_prior.boost_ns}}},
                              {"met", {{"assay", at_met.ours_ns}, {"boost", at_met.boost_ns}}}}},
                            {"king_grid_ns", {{"assay", ours}, {"plain", plain}, {"peak", peak}}},
                            {"arcs_ns", {{"assay", arcs.ours_ns}, {"reference", arcs.reference_ns}}},
                            {"draws_and_cross_values_us", torch_rows},
                            {"growth", growth}};
  std::ofstream(argv[2]) << ordered_json{{"cross", all}}.dump(2) << "\n";
}
