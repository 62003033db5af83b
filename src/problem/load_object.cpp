#include "problem/load_object.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <set>

#include "assay/core/detail/spec.hpp"
#include "assay/core/error.hpp"
#include "assay/problem/registry.hpp"
#include "problem/loading.hpp"

namespace assay {
namespace detail {

std::optional<std::vector<std::string>>& loading_complaints() {
  static std::optional<std::vector<std::string>> complaints;
  return complaints;
}

}  // namespace detail

namespace {

/// What the loader said, in other words where it is about versions.
std::string reason_of(const std::string& path, const std::string& said) {
  if (said.find("libassay.so") != std::string::npos || said.find("undefined symbol") != std::string::npos) {
    return path + " was built against another version of assay; build it again with this one (" +
           printable(said) + ")";
  }
  if (said.find("invalid ELF header") != std::string::npos ||
      said.find("file too short") != std::string::npos || said.find("wrong ELF class") != std::string::npos ||
      said.find("cannot dynamically load") != std::string::npos) {
    return path + " is no shared object; build it with -shared, as in CONTRIBUTING (" + printable(said) + ")";
  }
  return "cannot load " + path + ": " + printable(said);
}

std::set<std::string>& loaded_objects() {
  static std::set<std::string> loaded;
  return loaded;
}

}  // namespace

void load_object(const std::string& path) {
  std::error_code fault;
  const std::filesystem::path file = std::filesystem::canonical(path, fault);
  if (fault) throw UsageError("--load: there is no file " + printable(path));
  if (!std::filesystem::is_regular_file(file, fault))
    throw UsageError("--load: " + printable(path) + " is not a file");
  if (loaded_objects().contains(file.string())) return;
  const std::size_t before = families().entries().size() + methods().entries().size();
  detail::loading_complaints().emplace();
  // Now: what is missing must come out here, not in the middle of a command. It is never closed: what it
  // registered is used until the end.
  const void* const handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  const std::vector<std::string> complaints = *std::exchange(detail::loading_complaints(), std::nullopt);
  if (handle == nullptr) {
    const char* said = ::dlerror();  // NOLINT(concurrency-mt-unsafe): it keeps one text for each thread
    throw UsageError("--load: " + reason_of(printable(path), said == nullptr ? "no reason given" : said));
  }
  if (!complaints.empty()) throw UsageError("--load: " + printable(path) + ": " + complaints.front());
  if (families().entries().size() + methods().entries().size() == before) {
    throw UsageError(
        "--load: " + printable(path) +
        " registers no family and no method, or was built against another copy of assay's library");
  }
  loaded_objects().insert(file.string());
}

}  // namespace assay
