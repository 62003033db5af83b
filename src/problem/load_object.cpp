#include "problem/load_object.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <set>
#include <utility>

#include "assay/core/detail/spec.hpp"
#include "assay/core/error.hpp"
#include "problem/loading.hpp"

namespace assay {
namespace detail {

std::optional<Loading>& loading() {
  static std::optional<Loading> object;
  return object;
}

void complain_of_registration(const std::string& complaint) {
  if (!loading()) throw UsageError(complaint);
  loading()->complaints.push_back(complaint);
}

void count_registration() {
  if (loading()) ++loading()->registered;
}

}  // namespace detail

namespace {

/// The loader's message, reworded where it is about versions.
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
  detail::loading().emplace();
  // All symbols are resolved now, because a missing one must be reported here and not in the middle of a
  // command. The object is never closed: what it registered is used until the process ends.
  const void* const handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  const detail::Loading loading = *std::exchange(detail::loading(), std::nullopt);
  if (handle == nullptr) {
    const char* said = ::dlerror();  // NOLINT(concurrency-mt-unsafe): it keeps one text for each thread
    throw UsageError("--load: " + reason_of(printable(path), said == nullptr ? "no reason given" : said));
  }
  if (!loading.complaints.empty())
    throw UsageError("--load: " + printable(path) + ": " + loading.complaints.front());
  if (loading.registered == 0) {
    throw UsageError("--load: " + printable(path) +
                     " registers no family, no method and no command, or was built against another copy of "
                     "assay's library");
  }
  loaded_objects().insert(file.string());
}

}  // namespace assay
