// A store as a page: what `assay report` and the commands that train leave behind.
#pragma once

#include <filesystem>
#include <string>

#include "lab/run_store.hpp"
#include "report/page.hpp"

namespace assay::cli {

/// What a page of this folder says about itself; `file` is where it is written to.
PageInfo page_info(const std::filesystem::path& folder, const std::string& file);

/// How many runs a page is about.
struct PageRuns {
  int runs = 0;
  int finished = 0;
};

/// Writes the page.
PageRuns write_page(const RunStore& store, const std::string& file, int threads);

}  // namespace assay::cli
