// A cue shows the sign of the true environment, or one of the others.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "files/toml_reader.hpp"

namespace assay::files {

/// How often a cue of this accuracy shows one of its signs: the right one, or each of the wrong ones.
double sign_chance(double accuracy, std::size_t signs, bool right);

/// A cue that is right no more often than a guess would be is hardly meant. Says so once.
void warn_of_accuracy(TableReader& cue, double accuracy, std::size_t signs,
                      std::vector<std::string>& warnings);

}  // namespace assay::files
