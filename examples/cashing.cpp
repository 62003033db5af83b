// What is a look at the map worth? This example computes cross-values and the cashed reward.
#include <assay/assay.hpp>
#include <iostream>

int main() {
  const auto problem = assay::make_problem("treasure_map(size=5)");
  const auto before = problem->prior();
  const int map = problem->states() / 2;

  // The agent arrives at the map and sees an outcome drawn from its belief.
  const auto after = before->clone();
  assay::Rng rng(1);
  after->observe(map, assay::kArrive, after->draw_outcome(map, assay::kArrive, rng));

  // 400 plans, each valued in the mean environment. Both beliefs use the same key and thus common random
  // numbers.
  assay::CrossSampler sampler(assay::Linear{.plans = 400}, assay::StepsLeft{25});
  const assay::DrawKey key{.seed = 1};
  const assay::CrossSamples then = sampler.sample(*before, key);
  const assay::CrossSamples now = sampler.sample(*after, key);

  const auto print = [](const char* what, const assay::Estimate& e) {
    std::cout << what << e.value << " +- " << e.standard_error << "\n";
  };
  print("v^c before the look  ", assay::current_information(then, map));
  print("v^c after it         ", assay::current_information(now, map));
  print("cashed reward        ", assay::approximate_cashed_reward(map, then, now));
  print("left to find out, B  ", assay::information_bound(now, map));
}
