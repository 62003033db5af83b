// The only file that compiles the solvers for families of unknown rewards.
#include "assay/families/builders.hpp"
#include "assay/problem/detail/problem_of.hpp"

namespace assay {

std::unique_ptr<Problem> cell_problem(std::string name, CellFamily family) {
  return std::make_unique<ProblemOf<CellFamily, CellBelief>>(std::move(name), std::move(family));
}

}  // namespace assay
