// The data files beside this one, as they are in the tool itself: an installed tool needs none of them.
#pragma once

#include <string_view>
#include <vector>

namespace assay::experiments {

struct EmbeddedFile {
  std::string_view name;  // "t_maze" of t_maze.toml
  std::string_view text;
};

/// By name. CMakeLists.txt writes the source file of this function.
const std::vector<EmbeddedFile>& embedded_files();

}  // namespace assay::experiments
