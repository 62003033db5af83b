#include "assay/after.hpp"

#include "assay/core/error.hpp"

namespace assay::cli {

void add_after(Options& options, std::string& history) {
  options.text("--after", history, "what has happened: \"action sees ... pays ... to ...; ...\"");
}

Situation situation_of_history(const Problem& problem, const std::string& history, bool state_matters) {
  try {
    return state_matters ? situation_after(problem, history) : belief_after(problem, history);
  } catch (const Error& error) {
    throw UsageError(std::string("--after ") + error.what());
  }
}

}  // namespace assay::cli
