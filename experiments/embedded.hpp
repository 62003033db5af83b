// The data files of this folder, embedded in the tool, so that an installed tool needs no files.
#pragma once

#include <string_view>
#include <vector>

namespace assay::experiments {

struct EmbeddedFile {
  std::string_view name;  // "t_maze" of t_maze.toml
  std::string_view text;
};

/// All embedded files, by name. CMakeLists.txt writes the source file of this function.
const std::vector<EmbeddedFile>& embedded_files();

}  // namespace assay::experiments
