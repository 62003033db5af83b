// The only file that compiles the solvers for families that are written out.
#include "assay/families/builders.hpp"
#include "assay/problem/detail/problem_of.hpp"

namespace assay {

std::unique_ptr<Problem> table_problem(std::string name, TableFamily family) {
  return std::make_unique<ProblemOf<TableFamily, FiniteBelief<TableFamily>>>(std::move(name),
                                                                             std::move(family));
}

}  // namespace assay
