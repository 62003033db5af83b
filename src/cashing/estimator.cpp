#include <algorithm>
#include <array>

#include "assay/cashing/cashing.hpp"
#include "assay/core/detail/spec.hpp"
#include "assay/core/error.hpp"

namespace assay {
namespace {

// In the order of the variant.
constexpr std::array<const char*, std::variant_size_v<Estimator>> kEstimatorNames = {
    "crossed", "paired", "linear", "summed", "mean", "best"};

}  // namespace

std::string estimator_name(const Estimator& estimator) { return kEstimatorNames.at(estimator.index()); }

std::vector<std::string> estimator_names() { return {kEstimatorNames.begin(), kEstimatorNames.end()}; }

Estimator estimator_named(std::string_view name, std::size_t draws) {
  if (name == "crossed") return Crossed{draws, 1};
  if (name == "paired") return Paired{draws};
  if (name == "linear") return Linear{draws};
  if (name == "summed") return Summed{};
  if (name == "mean") return MeanPlan{draws};
  if (name == "best") return BestPlan{draws, std::max<std::size_t>(4, draws)};
  throw UsageError(unknown_name_message("estimator", std::string(name), estimator_names()));
}

}  // namespace assay
