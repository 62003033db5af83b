// `assay report`: a store as a page.
#include "assay/report.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <filesystem>

#include "assay/command.hpp"
#include "assay/core/detail/kernel.hpp"
#include "assay/draw.hpp"
#include "assay/json_text.hpp"
#include "experiments/driver.hpp"
#include "lab/atomic_file.hpp"
#include "lab/run_store.hpp"
#include "problem/signature.hpp"

namespace assay::cli {

PageInfo page_info(const std::filesystem::path& folder, const std::string& file) {
  PageInfo info;
  info.version = ASSAY_VERSION;
  info.signature = fmt::format("{:016x}", signature(default_kernel(), 1).hash);
  info.command = fmt::format("assay report {} -o {}", quoted(folder.string()), quoted(file));
  return info;
}

PageRuns write_page(const RunStore& store, const std::string& file, int threads) {
  ReportOptions options;
  options.known = experiments::known_experiments;
  options.threads = threads;
  const Report report = make_report(store, options);
  write_file(file, report_page(report_json(report, page_info(store.folder(), file))));
  return {report.runs, report.finished};
}

namespace {

struct ReportCommand {
  std::string folder;
  std::string file;  // "": report.html in the folder
  bool json = false;
  int threads = 0;
};

void declare(Options& options, ReportCommand& c) {
  add_folder(options, c.folder);
  options.text("-o,--output", c.file, "file to write; report.html in the folder if left out");
  add_json(options, c.json);
  add_threads(options, c.threads);
}

void run_report(const ReportCommand& command, const Streams& streams) {
  const RunStore store(command.folder, RunStore::Mode::kReadOnly);
  const std::string file =
      command.file.empty() ? (std::filesystem::path(command.folder) / "report.html").string() : command.file;
  const PageRuns page = write_page(store, file, command.threads);
  if (command.json) {
    return print_json(
        streams,
        {{"folder", command.folder}, {"file", file}, {"runs", page.runs}, {"finished", page.finished}});
  }
  fmt::print(streams.err, "{}: {}\n", command.folder,
             page.finished == page.runs ? fmt::format("{} runs", page.runs)
                                        : fmt::format("{} of {} runs finished", page.finished, page.runs));
  fmt::print(streams.out, "{}\n", file);
}

const RegisterCommand<ReportCommand> kRegistered(
    {.name = "report",
     .group = Group::kRuns,
     .rank = 4,
     .summary = "Turn a folder of results into one page: tables, curves and episodes to watch.",
     .help = "assay report reproduction -o report.html\n\n"
             "The page is one file that needs no network, so that it can be sent by mail. It shows the "
             "results beside "
             "the paper's, the learning curves, and a player that shows an agent's beliefs and its estimates "
             "of values. Its path is the last line printed.\n\n"
             "--json prints one object with folder, file, runs and finished (how many)."},
    declare, run_report);

}  // namespace
}  // namespace assay::cli
