#include "lab/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

#include "assay/core/error.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kAsideBuffer = std::size_t{1} << 18U;

/// An error that the caller can correct is a UsageError; a full or failing disk is not.
[[noreturn]] void throw_file_error(std::string_view verb, const fs::path& file, int code) {
  const std::string message =
      fmt::format("cannot {} {}: {}", verb, file.string(), std::generic_category().message(code));
  constexpr int kOursToMend[] = {ENOENT, ENOTDIR, EISDIR, EACCES, EPERM, EROFS, ENAMETOOLONG, ELOOP, EEXIST};
  if (std::ranges::find(kOursToMend, code) != std::end(kOursToMend)) throw UsageError(message);
  throw Error(message);
}

[[noreturn]] void throw_is_there(const fs::path& file) {
  throw UsageError(fmt::format(
      "{} is there already and is not overwritten; move it away or give another name", file.string()));
}

/// A file descriptor that closes itself.
class OpenFile {
 public:
  OpenFile(const fs::path& file, int flags) : descriptor_(::open(file.c_str(), flags | O_CLOEXEC)) {
    if (descriptor_ < 0) throw_file_error("open", file, errno);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() { ::close(descriptor_); }
  [[nodiscard]] int get() const { return descriptor_; }

 private:
  int descriptor_;
};

fs::path folder_holding(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

/// A new name is permanent once its folder is on the disk. Some file systems cannot sync folders (EINVAL)
/// and need not.
void sync_folder_of(const fs::path& file) {
  const fs::path folder = folder_holding(file);
  const OpenFile opened(folder, O_RDONLY | O_DIRECTORY);
  if (::fsync(opened.get()) != 0 && errno != EINVAL) throw_file_error("write", folder, errno);
}

constexpr std::string_view kAsideMark = ".assay-tmp.";

/// `name.assay-tmp.<digits>.<digits>`.
bool names_aside(std::string_view name) {
  const std::size_t mark = name.rfind(kAsideMark);
  if (mark == std::string_view::npos || mark == 0) return false;
  const std::string_view numbers = name.substr(mark + kAsideMark.size());
  return !numbers.empty() && numbers.find_first_not_of("0123456789.") == std::string_view::npos;
}

/// A new file that is locked; -1 with errno if there can be none. Before it is locked, another process may
/// take it for abandoned and remove it: then another file is made.
int open_locked(const fs::path& aside) {
  while (true) {
    const int descriptor = ::open(aside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor < 0) return -1;
    struct stat about {};
    // Without locks, no process can take the file for abandoned.
    ::flock(descriptor, LOCK_EX | LOCK_NB);
    if (::fstat(descriptor, &about) == 0 && about.st_nlink > 0) return descriptor;
    ::close(descriptor);
  }
}

}  // namespace

// A process that still writes a file holds its lock.
void remove_abandoned(const fs::path& folder) {
  std::error_code fault;
  for (fs::directory_iterator each(folder, fault), end; !fault && each != end; each.increment(fault)) {
    if (!names_aside(each->path().filename().native())) continue;
    const int descriptor = ::open(each->path().c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0) continue;
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) ::unlink(each->path().c_str());
    ::close(descriptor);
  }
}

AtomicFile::AtomicFile(fs::path file) : file_(std::move(file)) {
  remove_abandoned(folder_holding(file_));
  // The number distinguishes threads that write the same file.
  static std::atomic<std::uint64_t> count = 0;
  aside_ = file_;
  aside_ += fmt::format("{}{}.{}", kAsideMark, ::getpid(), count++);
  descriptor_ = open_locked(aside_);
  if (descriptor_ < 0) throw_file_error("write", file_, errno);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!aside_.empty()) ::unlink(aside_.c_str());
}

void AtomicFile::append(std::string_view text) {
  buffer_.append(text);
  if (buffer_.size() >= kAsideBuffer) flush();
}

void AtomicFile::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno != EINTR) throw_file_error("write", file_, errno);
    if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
}

void AtomicFile::close_aside() {
  flush();
  if (::fsync(descriptor_) != 0) throw_file_error("write", file_, errno);
  if (::close(std::exchange(descriptor_, -1)) != 0) throw_file_error("write", file_, errno);
}

void AtomicFile::commit() {
  close_aside();
  if (::rename(aside_.c_str(), file_.c_str()) != 0) throw_file_error("write", file_, errno);
  aside_.clear();
  sync_folder_of(file_);
}

void AtomicFile::commit_new() {
  close_aside();
  // A link, unlike a rename, fails if the name is taken, so that the check and the creation are one
  // operation.
  if (::link(aside_.c_str(), file_.c_str()) != 0) {
    if (errno == EEXIST) throw_is_there(file_);
    const bool has_no_links = errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS || errno == EMLINK;
    if (!has_no_links) throw_file_error("write", file_, errno);
    if (name_is_taken(file_)) throw_is_there(file_);
    if (::rename(aside_.c_str(), file_.c_str()) != 0) throw_file_error("write", file_, errno);
    aside_.clear();
  } else {
    ::unlink(std::exchange(aside_, {}).c_str());
  }
  sync_folder_of(file_);
}

void write_file(const fs::path& file, std::string_view bytes) {
  AtomicFile aside(file);
  aside.append(bytes);
  aside.commit();
}

void write_new(const fs::path& file, std::string_view bytes) {
  if (name_is_taken(file)) throw_is_there(file);
  AtomicFile aside(file);
  aside.append(bytes);
  aside.commit_new();
}

std::string read_file(const fs::path& file, std::size_t longest) {
  const OpenFile opened(file, O_RDONLY | O_NONBLOCK);  // opening a pipe would otherwise wait for a writer
  struct stat about {};
  if (::fstat(opened.get(), &about) != 0) throw_file_error("read", file, errno);
  if (S_ISDIR(about.st_mode)) throw UsageError(fmt::format("{} is a folder, not a file", file.string()));
  if (!S_ISREG(about.st_mode)) throw UsageError(fmt::format("{} is not an ordinary file", file.string()));
  std::string bytes(std::min(static_cast<std::size_t>(about.st_size), longest), '\0');
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got = ::read(opened.get(), bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno != EINTR) throw_file_error("read", file, errno);
    if (got == 0) break;  // the file became shorter meanwhile
    if (got > 0) filled += static_cast<std::size_t>(got);
  }
  bytes.resize(filled);
  return bytes;
}

bool name_is_taken(const fs::path& file) {
  struct stat about {};
  if (::lstat(file.c_str(), &about) == 0) return true;
  if (errno != ENOENT && errno != ENOTDIR) throw_file_error("open", file, errno);
  return false;
}

bool is_file(const fs::path& file) {
  std::error_code fault;
  return fs::is_regular_file(file, fault);
}

void create_folder(const fs::path& folder) {
  std::error_code fault;
  fs::create_directories(folder, fault);
  if (fault) throw_file_error("create the folder", folder, fault.value());
  if (!fs::is_directory(folder, fault)) throw_file_error("create the folder", folder, ENOTDIR);
}

FolderLock::FolderLock(const fs::path& folder) {
  create_folder(folder);
  const fs::path file = folder / "lock";
  descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw_file_error("open", file, errno);
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  const int code = errno;
  ::close(descriptor_);
  if (code != EWOULDBLOCK) throw_file_error("lock", file, code);
  throw UsageError(
      fmt::format("another assay is using the folder {}; wait until it has ended or give another folder",
                  folder.string()));
}

FolderLock::~FolderLock() { ::close(descriptor_); }

}  // namespace assay
