// The report as one file that any browser opens, without a network: web/ is its source, web/schema.md its
// data.
#pragma once

#include <string>

#include "report/report.hpp"

namespace assay {

/// What the page says about itself.
struct PageInfo {
  std::string version, signature;
  std::string command;  // that makes the same page again
  bool live = false;    // ask the server again and again
};

/// The data of the page, as web/schema.md describes it.
std::string report_json(const Report& report, const PageInfo& info);

/// The page with such data in it. Whatever the strings in it hold, they stay text.
std::string report_page(const std::string& json);

}  // namespace assay
