// Files that exist completely or not at all, whatever happens while they are written.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace assay {

/// Text that is written to `name.assay-tmp.<process>.<number>` in the same folder and then takes the name
/// `name` in one operation. It is dropped if it is not committed. What a killed process leaves behind in the
/// folder is removed by the next process that writes there. Errors name the file.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path file);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void append(std::string_view text);
  /// After this call the file exists even if the machine loses power.
  void commit();
  /// The same, but throws UsageError if a file of that name exists by then, which stays as it is.
  void commit_new();

 private:
  void flush();
  void close_aside();

  std::filesystem::path file_, aside_;
  int descriptor_ = -1;
  std::string buffer_;
};

/// Removes temporary files of processes that have ended from a folder. A file that cannot be removed does no
/// harm.
void remove_abandoned(const std::filesystem::path& folder);

/// Replaces the contents of a file, or creates the file.
void write_file(const std::filesystem::path& file, std::string_view bytes);

/// Throws UsageError if the file exists already.
void write_new(const std::filesystem::path& file, std::string_view bytes);

/// The first `longest` bytes of a file, by default all of it. Folders and devices are refused.
std::string read_file(const std::filesystem::path& file, std::size_t longest = std::string::npos);

/// Whether anything has this name, including a link that leads nowhere.
bool name_is_taken(const std::filesystem::path& file);

/// Whether an ordinary file has this name, directly or through a link. False for names that no file can
/// have, and if the answer cannot be found.
bool is_file(const std::filesystem::path& file);

/// Creates the folder and the absent folders above it.
void create_folder(const std::filesystem::path& folder);

/// The right to write into a folder, which is created if it is absent. One process at a time has it, through
/// the file `lock`. The system releases it however the process ends. Throws UsageError if another process
/// has it.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

 private:
  int descriptor_ = -1;
};

}  // namespace assay
