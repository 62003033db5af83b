// The page of a store, which `assay report` and the commands that train write.
#pragma once

#include <filesystem>
#include <string>

#include "lab/run_store.hpp"
#include "report/page.hpp"

namespace assay::cli {

/// What the page of a folder states about itself; `file` is where the page is written.
PageInfo page_info(const std::filesystem::path& folder, const std::string& file);

/// The number of runs on a page.
struct PageRuns {
  int runs = 0;
  int finished = 0;
};

/// Writes the page.
PageRuns write_page(const RunStore& store, const std::string& file, int threads);

}  // namespace assay::cli
