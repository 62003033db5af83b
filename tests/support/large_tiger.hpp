// Tiger with rewards in the millions: a search for bounds comes close to its value but does not meet it.
#pragma once

#include <memory>

#include "assay/families/builders.hpp"
#include "assay/problem/problem.hpp"

namespace assay::test {

inline std::unique_ptr<Problem> large_tiger() {
  constexpr double kMillion = 1e6;
  TableBuilder builder({"corridor", "outside"}, {"listen", "open left", "open right"});
  builder.horizon(30).start(0);
  builder.environment("tiger left");
  builder.environment("tiger right");
  for (int e = 0; e < 2; ++e) {
    const double left = e == 0 ? 0.85 : 0.15;
    builder.outcome(0, 0, {{left, {0, -kMillion, {0}}}, {1 - left, {0, -kMillion, {1}}}}, e);
    builder.outcome(0, 1, {{1, {1, (e == 0 ? -100 : 10) * kMillion, {}}}}, e);
    builder.outcome(0, 2, {{1, {1, (e == 0 ? 10 : -100) * kMillion, {}}}}, e);
  }
  for (int a = 0; a < 3; ++a) builder.outcome(1, a, {{1, {1, 0, {}}}});
  return table_problem("large tiger", builder.build());
}

}  // namespace assay::test
