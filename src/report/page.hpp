// The report as one file that any browser opens without a network. Its source is in web/, and web/schema.md
// describes its data.
// data.
#pragma once

#include <string>

#include "report/report.hpp"

namespace assay {

/// What the page states about itself.
struct PageInfo {
  std::string version, signature;
  std::string command;  // the command that makes the same page again
  bool live = false;    // does the page ask the server for changes?
};

/// The data of the page, as web/schema.md describes it.
std::string report_json(const Report& report, const PageInfo& info);

/// The page with these data. Any string in the data stays text.
std::string report_page(const std::string& json);

}  // namespace assay
