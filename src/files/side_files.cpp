#include "files/side_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "assay/core/detail/spec.hpp"
#include "assay/core/error.hpp"
#include "core/bytes.hpp"
#include "files/text_file.hpp"

namespace assay::files {

std::string SideFiles::path(const std::string& name) const {
  return (std::filesystem::path(problem_).parent_path() / name).string();
}

// A link that leads out of the folder is refused: otherwise the author of a problem could have any file read
// and shown in messages.
void SideFiles::need_inside(const std::string& name) const {
  namespace fs = std::filesystem;
  std::error_code fault;
  const fs::path parent = fs::path(problem_).parent_path();
  const fs::path folder = fs::canonical(parent.empty() ? fs::path(".") : parent, fault);
  const fs::path found = fault ? fs::path() : fs::canonical(path(name), fault);
  if (fault) return;  // reading will report that the file cannot be found
  if (std::ranges::mismatch(folder, found).in1 == folder.end()) return;
  throw UsageError(
      fmt::format("'{}' is a link that leads out of the problem's folder, to {}; put the file itself there",
                  printable(name), printable(found.string())));
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
  need_inside(name);
  std::string text = read_text_file(path(name));
  sums_ += fmt::format("{:016x}", checksum(text));
  return text;
}

std::uint64_t SideFiles::checksum_with(std::uint64_t own) const {
  return sums_.empty() ? own : checksum(fmt::format("{:016x}{}", own, sums_));
}

}  // namespace assay::files
