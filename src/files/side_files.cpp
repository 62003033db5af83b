#include "files/side_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "assay/core/bytes.hpp"
#include "assay/core/error.hpp"
#include "assay/core/spec.hpp"
#include "files/text_file.hpp"

namespace assay::files {

std::string SideFiles::path(const std::string& name) const {
  return (std::filesystem::path(problem_).parent_path() / name).string();
}

std::string SideFiles::read(const std::string& name) {
  const std::filesystem::path path_of_name(name);
  const bool leads_up = std::ranges::find(path_of_name, "..") != path_of_name.end();
  const bool has_nul = name.find('\0') != std::string::npos;
  if (name.empty() || path_of_name.is_absolute() || leads_up || has_nul) {
    throw UsageError(
        fmt::format("'{}' is no file beside this one; name it relative to it, without ..", printable(name)));
  }
  if (problem_.empty())
    throw UsageError(fmt::format("'{}' cannot be read: this problem is a text, not a file", printable(name)));
  std::string text = read_text_file(path(name));
  sums_ += fmt::format("{:016x}", checksum(text));
  return text;
}

std::uint64_t SideFiles::checksum_with(std::uint64_t own) const {
  return sums_.empty() ? own : checksum(fmt::format("{:016x}{}", own, sums_));
}

}  // namespace assay::files
