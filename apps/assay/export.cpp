// `assay export`: the runs of a folder as tables.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "assay/command.hpp"
#include "assay/json_text.hpp"
#include "lab/run_export.hpp"
#include "lab/run_store.hpp"

namespace assay::cli {
namespace {

struct ExportCommand {
  std::string folder;
  std::string to;  // "": the folder itself
  bool json = false;
};

void declare(Options& options, ExportCommand& c) {
  add_folder(options, c.folder);
  options.text("--to", c.to, "folder to write to; by default the same folder");
  add_json(options, c.json);
}

void run_export(const ExportCommand& command, const Streams& streams) {
  const RunStore store(command.folder, RunStore::Mode::kReadOnly);
  const std::string to = command.to.empty() ? command.folder : command.to;
  export_runs(store, to);
  if (command.json) {
    return print_json(streams, {{"folder", to},
                                {"files", {"runs.csv", "epochs.csv", "episodes.csv", "runs.json"}},
                                {"runs", store.runs().size()},
                                {"unfinished", store.unfinished()}});
  }
  fmt::print(streams.out, "{}: runs.csv, epochs.csv, episodes.csv, runs.json ({} runs, {} unfinished)\n", to,
             store.runs().size(), store.unfinished());
}

const RegisterCommand<ExportCommand> kRegistered(
    {.name = "export",
     .group = Group::kRuns,
     .rank = 7,
     .summary = "Write the runs of a folder as CSV and JSON.",
     .help = "assay export reproduction --to tables\n\n"
             "--json prints one object with folder, files, runs and unfinished (how many)."},
    declare, run_export);

}  // namespace
}  // namespace assay::cli
