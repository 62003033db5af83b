// vi_greedy: acts as if the mean of its belief were true. Value iteration at every step, nothing learned.
#include "methods/planner.hpp"

namespace assay {
namespace {

const RegisterMethod<PlannerMethod<MeanPlanner>, PlannerSettings> kRegistered(
    "vi_greedy", "plans for the mean of its belief at every step, by value iteration", planner_schema());

}  // namespace
}  // namespace assay
