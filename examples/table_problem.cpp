// A problem of your own, written in C++: is it worth asking before a door is chosen?
#include <assay/assay.hpp>
#include <iostream>

int main() {
  assay::TableBuilder builder({"corridor", "outside"}, {"ask", "left door", "right door"});
  builder.horizon(6).start(0);
  const int left = builder.environment("prize left");
  const int right = builder.environment("prize right");

  // A porter who is right four times in five: 0 for left, 1 for right.
  const auto porter = [](int truth) {
    return std::vector<assay::TableBuilder::Possibility>{{0.8, {0, -0.1, {truth}}},
                                                         {0.2, {0, -0.1, {1 - truth}}}};
  };
  builder.outcome(0, 0, porter(0), left).outcome(0, 0, porter(1), right);
  builder.outcome(0, 1, {{1, {1, 1, {}}}}, left).outcome(0, 1, {{1, {1, -1, {}}}}, right);
  builder.outcome(0, 2, {{1, {1, -1, {}}}}, left).outcome(0, 2, {{1, {1, 1, {}}}}, right);
  for (int action = 0; action < 3; ++action) builder.outcome(1, action, {{1, {1, 0, {}}}});
  builder.signs({"a nod to the left", "a nod to the right"}).source("porter", {{0, 0}});

  const auto problem = assay::table_problem("doors", builder.build());
  const assay::Solution solution = assay::solve(*problem, {});
  const double value = solution.lower.value;  // the upper bound is the same: solution.exact
  const double without = *solution.sources.front().value_without;
  std::cout << "with the porter " << value << ", without " << without << "\n";

  // Why does the agent ask, and why does it ask again after an answer?
  for (const char* history : {"", "ask sees a nod to the left"}) {
    std::cout << assay::explain(*problem, assay::situation_after(*problem, history), {}).words << "\n";
  }
  return solution.exact && value > without ? 0 : 1;
}
