// The only file that compiles the solvers for families of unknown rows.
#include "assay/problem/detail/problem_of.hpp"
#include "families/row_family.hpp"

namespace assay {

std::unique_ptr<Problem> row_problem(std::string name, RowFamily family) {
  return std::make_unique<ProblemOf<RowFamily, RowBelief>>(std::move(name), std::move(family));
}

}  // namespace assay
