#include <assay/assay.hpp>
#include <cmath>
#include <iostream>

int main() {
  const auto problem = assay::make_problem("bandit(arms=2,horizon=20)");
  const double value = problem->exact({})->value();
  std::cout << value << "\n";
  return std::abs(value - 12.431265) < 1e-6 && assay::families().entries().size() >= 3 ? 0 : 1;
}
