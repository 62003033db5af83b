// `assay explain --method`: what a method that searches looks at in a situation, and what it then does.
#pragma once

#include "assay/advice/situation.hpp"
#include "assay/cli.hpp"

namespace assay::cli {

/// Throws UsageError if the method does not search.
void explain_search(const ExplainCommand& command, const Problem& problem, const Situation& situation,
                    const Streams& streams);

}  // namespace assay::cli
