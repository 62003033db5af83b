// A cue shows the sign of the true environment, or one of the others.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "files/toml_reader.hpp"

namespace assay::files {

/// The probability that a cue of this accuracy shows a certain sign: the right one, or one of the wrong
/// ones.
double sign_chance(double accuracy, std::size_t signs, bool right);

/// Warns of a cue that is right no more often than a guess would be, which is hardly meant. It warns once.
void warn_of_accuracy(TableReader& cue, double accuracy, std::size_t signs,
                      std::vector<std::string>& warnings);

}  // namespace assay::files
