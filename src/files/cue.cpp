#include "files/cue.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay::files {

double sign_chance(double accuracy, std::size_t signs, bool right) {
  if (signs == 1) return 1;
  return right ? accuracy : (1 - accuracy) / static_cast<double>(signs - 1);
}

void warn_of_accuracy(TableReader& cue, double accuracy, std::size_t signs,
                      std::vector<std::string>& warnings) {
  const double chance = 1 / static_cast<double>(signs);
  constexpr double kRounding = 1e-9;
  if (signs < 2 || accuracy > chance + kRounding) return;
  const std::string text =
      accuracy > chance - kRounding
          ? fmt::format("an accuracy of {:.4g} with {} signs is chance: it tells nothing", accuracy, signs)
          : fmt::format(
                "an accuracy of {:.4g} with {} signs is below chance ({:.4g}): each of the wrong signs "
                "is shown more often than the right one",
                accuracy, signs, chance);
  const std::string warning =
      placed(cue.where(), cue.place("accuracy").source(), fmt::format("{}: {}", cue.what(), text));
  if (std::ranges::find(warnings, warning) == warnings.end()) warnings.push_back(warning);
}

}  // namespace assay::files
