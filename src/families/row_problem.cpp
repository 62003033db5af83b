// The one place that compiles the solvers for families of unknown rows.
#include "assay/families/row_family.hpp"
#include "assay/problem/problem_of.hpp"

namespace assay {

std::unique_ptr<Problem> row_problem(std::string name, RowFamily family) {
  return std::make_unique<ProblemOf<RowFamily, RowBelief>>(std::move(name), std::move(family));
}

}  // namespace assay
