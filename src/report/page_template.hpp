// web/dist/report.html, inside the library.
#pragma once

#include <string_view>

namespace assay {

std::string_view page_template();

}  // namespace assay
