#include "files/text_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "assay/core/error.hpp"

namespace assay::files {

std::string read_text_file(const std::string& path) {
  constexpr std::uintmax_t kLargest = 256'000'000;
  std::error_code problem;
  const std::filesystem::file_status status = std::filesystem::status(path, problem);
  if (status.type() == std::filesystem::file_type::none) {
    throw UsageError(fmt::format("cannot read {}: {}", path, problem.message()));
  }
  if (!std::filesystem::exists(status)) throw UsageError(fmt::format("there is no file {}", path));
  if (!std::filesystem::is_regular_file(status)) throw UsageError(fmt::format("{} is not a file", path));
  const std::uintmax_t size = std::filesystem::file_size(path, problem);
  if (problem || size > kLargest) {
    throw UsageError(fmt::format("{} has {} bytes; a problem file has at most {}", path, size, kLargest));
  }
  std::ifstream in(path, std::ios::binary);
  std::string text(static_cast<std::size_t>(size), '\0');
  if (!in.read(text.data(), static_cast<std::streamsize>(size))) {
    throw UsageError(fmt::format("cannot read {}", path));
  }
  return text;
}

}  // namespace assay::files
