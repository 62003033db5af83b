// `assay evaluate`: tests a saved policy.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <nlohmann/json.hpp>

#include "assay/command.hpp"
#include "assay/json_text.hpp"
#include "assay/lab/evaluation.hpp"
#include "assay/problem/registry.hpp"
#include "assay/saved_policy.hpp"
#include "lab/policy_file.hpp"
#include "lab/statistics.hpp"

namespace assay::cli {
namespace {

struct EvaluateCommand {
  std::string policy;
  std::string family;  // "": the problem that the policy was trained on
  bool json = false;
  int episodes = 2000;
  int threads = 0;
  std::uint64_t seed = 0;
};

void declare(Options& options, EvaluateCommand& c) {
  options.argument("policy", c.policy, "a policy file, which run, compare or reproduce has written");
  options.text("--family", c.family,
               "the problem that the policy was trained on; by default the one named in the file");
  options.number("--episodes", c.episodes, 2, 100'000'000, "test episodes");
  add_seed(options, c.seed, "seed of the test environments");
  add_json(options, c.json);
  add_threads(options, c.threads);
}

void run_evaluate(const EvaluateCommand& command, const Streams& streams) {
  const PolicyFile file = load_policy(command.policy);
  const std::unique_ptr<Problem> problem =
      command.family.empty() ? problem_of(file, command.policy) : make_problem(command.family);
  const std::unique_ptr<Policy> policy = saved_policy(file, command.policy, *problem, command.threads);
  const std::vector<EpisodeReturn> returns = evaluate(
      *problem, *policy, {.seed = command.seed, .episodes = command.episodes, .threads = command.threads});
  std::vector<double> undiscounted;
  std::vector<double> discounted;
  for (const EpisodeReturn& r : returns) {
    undiscounted.push_back(r.undiscounted);
    discounted.push_back(r.discounted);
  }
  const MeanEstimate all = mean_estimate(undiscounted);
  const MeanEstimate weighted = mean_estimate(discounted);
  const Interval interval = mean_interval(all);
  if (command.json) {
    const nlohmann::ordered_json object = {{"family", problem->name()},
                                           {"method", file.method},
                                           {"seed", command.seed},
                                           {"episodes", command.episodes},
                                           {"return", all.mean},
                                           {"standard_error", all.standard_error},
                                           {"interval", {interval.low, interval.high}},
                                           {"discounted_return", weighted.mean},
                                           {"discounted_standard_error", weighted.standard_error}};
    print_json(streams, object);
    return;
  }
  fmt::print(streams.out, "{}\n{}, seed {}, {} epochs\n\n", problem->name(), file.method, file.seed,
             file.epochs);
  fmt::print(streams.out, "  episodes     {}, test seed {}\n", command.episodes, command.seed);
  fmt::print(streams.out, "  return       {:.4f} +- {:.4f}, 95 % interval [{:.4f}, {:.4f}]\n", all.mean,
             all.standard_error, interval.low, interval.high);
  fmt::print(streams.out, "  discounted   {:.4f} +- {:.4f}\n", weighted.mean, weighted.standard_error);
  if (problem->outline().endless()) fmt::print(streams.out, "  {}\n", cut_text(problem->outline()));
}

const RegisterCommand<EvaluateCommand> kRegistered(
    {.name = "evaluate",
     .group = Group::kRuns,
     .rank = 2,
     .summary = "Test a saved policy on fresh environments.",
     .help =
         "assay evaluate runs/policies/pcr-treasure_map-seed1-0123abcd.policy --episodes 5000\n\n"
         "--json prints one object with family, method, seed, episodes, return, standard_error, interval, "
         "discounted_return and discounted_standard_error."},
    declare, run_evaluate);

}  // namespace
}  // namespace assay::cli
