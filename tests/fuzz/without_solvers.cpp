// The reader can load problems too, which would bring all solvers along. Nothing here is ever called.
#include <cstdlib>

#include "assay/families/builders.hpp"
#include "assay/problem/problem.hpp"
#include "assay/problem/registry.hpp"

namespace assay {

void set_problem_loader(ProblemLoader /*loader*/) {}

std::unique_ptr<Problem> table_problem(std::string /*name*/, TableFamily /*family*/) { std::abort(); }
std::unique_ptr<Problem> cell_problem(std::string /*name*/, CellFamily /*family*/) { std::abort(); }

}  // namespace assay
