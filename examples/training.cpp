// Trains predictive reward cashing on a small treasure map, and tests it together with two methods that do
// not learn.
#include <assay/assay.hpp>
#include <cstdio>

int main() {
  const auto problem = assay::make_problem("treasure_map(size=3,horizon=15)");
  for (const char* name : {"pcr(epochs=40)", "vi_greedy", "oracle"}) {
    const auto method = assay::make_method(name);

    // A learner runs epoch by epoch and can be saved and restored in between. Other methods have no learner.
    std::string learned;
    if (const auto learner = method->learner(*problem, assay::Rng(1), 1)) {
      while (learner->done() < learner->epochs()) learner->advance();
      learned = learner->policy_state();
    }

    // The same 500 environments for all of them.
    const auto policy = method->policy(*problem, learned, 1);
    const assay::Estimate mean =
        assay::mean_return(assay::evaluate(*problem, *policy, {.seed = 7, .episodes = 500}));
    std::printf("%-16s %.2f +- %.2f\n", name, mean.value, mean.standard_error);
  }
}
