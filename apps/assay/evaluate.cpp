// `assay evaluate`: how good is a saved policy?
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <nlohmann/json.hpp>

#include "assay/cli.hpp"
#include "assay/json_text.hpp"
#include "assay/lab/evaluation.hpp"
#include "assay/lab/policy_file.hpp"
#include "assay/lab/statistics.hpp"
#include "assay/problem/registry.hpp"
#include "assay/saved_policy.hpp"

namespace assay::cli {

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
}

}  // namespace assay::cli
