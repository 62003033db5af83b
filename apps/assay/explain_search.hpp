// `assay explain --method`: what a method that searches examines in a situation, and what it does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "assay/advice/explanation.hpp"
#include "assay/cli.hpp"

namespace assay::cli {

struct ExplainCommand {
  std::string family;
  std::string at;      // "": the state to which the history leads
  std::string after;   // "": the start of an episode
  std::string method;  // "": exact values or bounds instead of a method's search
  bool json = false;
  int tree = 0;       // levels of the search tree that are shown
  int remaining = 0;  // 0: what the history leaves of the horizon
  double time_limit = 5;
  std::size_t memory = 0;  // bytes; 0: what the machine allows
  int threads = 0;
  std::uint64_t seed = 0;
};

/// Throws UsageError if the method does not search.
void explain_search(const ExplainCommand& command, const Problem& problem, const Situation& situation,
                    const Streams& streams);

}  // namespace assay::cli
