// A store as a page: what `assay report` and the commands that train leave behind.
#pragma once

#include <string>

#include "assay/lab/run_store.hpp"

namespace assay::cli {

/// Writes the page and returns how many runs it is about, in words.
std::string write_page(const RunStore& store, const std::string& file, int threads);

}  // namespace assay::cli
