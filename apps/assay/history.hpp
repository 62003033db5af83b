// A short history as text: "x,a,o; x,a,o; ...".
//
//   x   a state's number
//   a   what was done there: an action's number or name, or `arrive`
//   o   what came of it: the reward, then what was seen after a colon, then the next state after `>` if it is
//   not
//       certain: 1   0:3   0:2 5 0   1>4   0.5:1 0>2
#pragma once

#include <string>

#include "assay/problem/problem.hpp"

namespace assay::cli {

struct History {
  int actions = 0;  // events that were not arrivals: steps that have passed
};

/// Makes the knowledge that of an agent with this history. Throws UsageError that names the event.
History observe_history(const std::string& text, const Problem& problem, Knowledge& knowledge);

}  // namespace assay::cli
