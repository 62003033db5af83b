// The report's figures for print, without a browser: SVG and PDF.
#pragma once

#include <filesystem>
#include <vector>

#include "report/report.hpp"

namespace assay {

/// Writes the figures that the report has data for, and returns their files in order. The same report gives
/// the same bytes.
std::vector<std::filesystem::path> write_figures(const Report& report, const std::filesystem::path& folder);

}  // namespace assay
