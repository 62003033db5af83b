// What a competent user would write without thinking of the machine: cross-values environment by environment
// and cell by cell, and Beta draws from Boost. The baselines that the vectorised code is measured against.
#pragma once

#include <cstdint>
#include <span>

namespace assay::bench {

/// Plans in each plan environment and follows the plan in its world environment, king moves or stay:
///   v_h(x) = r'(x) + discount * max_y v_{h-1}(y),   u_h(x) = r(x) + discount * u_{h-1}(argmax_y v_{h-1}(y)),
/// v_0 = u_0 = 0. All arrays are [environments][rows * columns]; out come v and u after `sweeps`.
void plain_cross(const float* plan_reward, const float* world_reward, int rows, int columns, int environments,
                 int sweeps, float discount, float* plan_value, float* world_value);

/// out[draw][cell] ~ Beta(a[cell], b[cell]).
void boost_beta_field(std::uint64_t seed, std::span<const double> a, std::span<const double> b, int draws,
                      std::span<float> out);

}  // namespace assay::bench
