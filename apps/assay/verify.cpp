// `assay verify`: checks whether a folder of results is still as it was written.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "assay/command.hpp"
#include "assay/core/detail/spec.hpp"
#include "core/bytes.hpp"
#include "lab/policy_file.hpp"
#include "lab/run_store.hpp"

namespace assay::cli {
namespace {

struct VerifyCommand {
  std::string folder;
  bool json = false;
};

void declare(Options& options, VerifyCommand& c) {
  add_folder(options, c.folder);
  add_json(options, c.json);
}

/// The contents of the folder, and what is wrong with them.
struct Verification {
  std::size_t runs = 0;
  int unfinished = 0;
  std::size_t policies = 0;  // number of policy files
  bool sums = true;          // has the store checksums of runs?
  std::vector<std::string> faults;
};

void verify_store(const std::filesystem::path& folder, Verification& found) {
  try {
    const RunStore store(folder, RunStore::Mode::kReadOnly);
    found.runs = store.runs().size();
    found.unfinished = store.unfinished();
    found.sums = store.has_sums();
    found.faults = store.faults();
  } catch (const CorruptError& error) {
    found.faults.emplace_back(error.what());
  }
}

void verify_policies(const std::filesystem::path& folder, Verification& found) {
  std::error_code fault;
  std::vector<std::filesystem::path> files;
  for (std::filesystem::directory_iterator each(folder / "policies", fault), end; !fault && each != end;
       each.increment(fault)) {
    if (each->path().extension() == ".policy") files.push_back(each->path());
  }
  const bool absent = fault == std::errc::no_such_file_or_directory;
  if (fault && !absent) {
    throw UsageError(fmt::format("cannot read {}: {}", (folder / "policies").string(), fault.message()));
  }
  std::ranges::sort(files);
  found.policies = files.size();
  for (const std::filesystem::path& file : files) {
    try {
      load_policy(file);
    } catch (const UsageError& error) {
      found.faults.emplace_back(error.what());
    }
  }
}

void run_verify(const VerifyCommand& command, const Streams& streams) {
  Verification found;
  verify_store(command.folder, found);
  verify_policies(command.folder, found);
  if (command.json) {
    const nlohmann::ordered_json object = {
        {"folder", command.folder},       {"sound", found.faults.empty()},  {"runs", found.runs},
        {"unfinished", found.unfinished}, {"policy_files", found.policies}, {"has_checksums", found.sums},
        {"faults", found.faults}};
    using Json = nlohmann::ordered_json;
    fmt::print(streams.out, "{}\n", object.dump(2, ' ', false, Json::error_handler_t::replace));
  } else {
    for (const std::string& fault : found.faults) fmt::print(streams.out, "{}\n", printable(fault, 2000));
    if (!found.sums) {
      fmt::print(streams.out,
                 "assay.db was written by an older assay and has no checksums of runs; it gets them when a "
                 "command next writes to it\n");
    }
    if (found.faults.empty()) {
      fmt::print(streams.out, "{}: {} runs ({} unfinished) and {} policy files are as they were written\n",
                 command.folder, found.runs, found.unfinished, found.policies);
    }
  }
  if (!found.faults.empty()) {
    streams.out.flush();
    throw Error(
        fmt::format("{} is damaged in {} place{}; restore a copy, or move it away and make the runs again",
                    command.folder, found.faults.size(), found.faults.size() == 1 ? "" : "s"));
  }
}

const RegisterCommand<VerifyCommand> kRegistered(
    {.name = "verify",
     .group = Group::kRuns,
     .rank = 8,
     .summary = "Check that a folder of results is as it was written: the database and all checksums.",
     .help = "assay verify reproduction\n\n"
             "Nothing is changed. Exit code 1 if something is damaged. --json prints one object with folder, "
             "sound, runs, unfinished, policy_files, has_checksums and faults (a sentence each)."},
    declare, run_verify);

}  // namespace
}  // namespace assay::cli
