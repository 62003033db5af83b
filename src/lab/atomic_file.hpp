// Files that are there as a whole or not at all, whatever happens while they are written.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace assay {

/// Text collected aside, in `name.assay-tmp.<process>.<number>` in the same folder, that takes the place of
/// `name` at once. Dropped if it is not committed; what a killed process left of its own in the folder is
/// removed by the next one that writes there. Errors name the file.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path file);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void append(std::string_view text);
  /// Afterwards the file is there even if the machine loses power.
  void commit();
  /// The same, but throws UsageError if there is a file of that name by then, and leaves it alone.
  void commit_new();

 private:
  void flush();
  void close_aside();

  std::filesystem::path file_, aside_;
  int descriptor_ = -1;
  std::string buffer_;
};

/// Removes what processes that are gone have left aside in a folder. What cannot be removed does no harm.
void remove_abandoned(const std::filesystem::path& folder);

/// Puts `bytes` in the place of what the file held, if it was there.
void write_file(const std::filesystem::path& file, std::string_view bytes);

/// Throws UsageError if the file is there already.
void write_new(const std::filesystem::path& file, std::string_view bytes);

/// The first `longest` bytes of a file, all of it by default. Folders and devices are refused.
std::string read_file(const std::filesystem::path& file, std::size_t longest = std::string::npos);

/// Whether anything has this name, be it a link that leads nowhere.
bool name_is_taken(const std::filesystem::path& file);

/// Whether there is an ordinary file of this name, directly or behind a link; false for names that no file
/// can have and where it cannot be found out.
bool is_file(const std::filesystem::path& file);

/// Creates the folder and those above it as far as they are absent.
void create_folder(const std::filesystem::path& folder);

/// The right to write into a folder, which is created if it is absent: one holder at a time, by its file
/// `lock`. The system gives it back however the process ends. Throws UsageError if another has it.
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
