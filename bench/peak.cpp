#include "peak.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "peak.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, as Highway asks.
#include <hwy/highway.h>

#include "timing.hpp"

HWY_BEFORE_NAMESPACE();
namespace assay::bench::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using Float = hn::Vec<Floats>;

HWY_INLINE void better(Float& plan, Float& world, Float other_plan, Float other_world) {
  const auto mask = hn::Lt(plan, other_plan);
  plan = hn::Max(plan, other_plan);
  world = hn::IfThenElse(mask, other_world, world);
}

/// A cell's worth of arithmetic.
HWY_INLINE void cell(Float& plan, Float& world, Float a, Float b, Float discount) {
  better(plan, world, a, b);
  better(plan, world, b, a);
  better(plan, world, a, a);
  plan = hn::Add(a, hn::Mul(discount, plan));
  world = hn::Add(b, hn::Mul(discount, world));
}

/// Cells in five independent chains: enough to keep all units busy.
float work(int rounds) {
  const Floats d;
  const Float discount = hn::Set(d, 0.96F), a = hn::Set(d, 0.1F), b = hn::Set(d, 0.2F);
  // Different starts: equal chains would be computed once.
  Float p0 = a, p1 = hn::Set(d, 0.3F), p2 = hn::Set(d, 0.4F), p3 = hn::Set(d, 0.5F), p4 = hn::Set(d, 0.6F);
  Float w0 = b, w1 = p2, w2 = p3, w3 = p4, w4 = p1;
  for (int i = 0; i < rounds; ++i) {
    cell(p0, w0, a, b, discount);
    cell(p1, w1, a, b, discount);
    cell(p2, w2, a, b, discount);
    cell(p3, w3, a, b, discount);
    cell(p4, w4, a, b, discount);
  }
  const Float plans = hn::Add(hn::Add(p0, p1), hn::Add(p2, hn::Add(p3, p4)));
  const Float worlds = hn::Add(hn::Add(w0, w1), hn::Add(w2, hn::Add(w3, w4)));
  return hn::GetLane(hn::Add(plans, worlds));
}

double peak_ns() {
  constexpr int kRounds = 200'000;
  volatile float sink = 0;
  const double seconds = best_seconds(9, [&]() { sink = work(kRounds); });
  return seconds * 1e9 / (5.0 * kRounds * static_cast<double>(hn::Lanes(Floats())));
}

}  // namespace assay::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace assay::bench {

HWY_EXPORT(peak_ns);

double sweep_peak_ns() { return HWY_DYNAMIC_DISPATCH(peak_ns)(); }

}  // namespace assay::bench

#endif
