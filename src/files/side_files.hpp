// Files that a problem file names, which lie beside it.
#pragma once

#include <cstdint>
#include <string>

namespace assay::files {

class SideFiles {
 public:
  /// `problem` is the path of the problem file, or "" if it is only a text.
  explicit SideFiles(std::string problem) : problem_(std::move(problem)) {}

  /// Throws UsageError for names that lead elsewhere.
  std::string read(const std::string& name);
  [[nodiscard]] std::string path(const std::string& name) const;
  /// The checksum of the problem's text and of all files that it read.
  [[nodiscard]] std::uint64_t checksum_with(std::uint64_t own) const;

 private:
  void need_inside(const std::string& name) const;

  std::string problem_;
  std::string sums_;  // the checksums of the files read so far
};

}  // namespace assay::files
