// `assay figures`: a store as figures for print.
#include "report/figures.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <filesystem>

#include "assay/command.hpp"
#include "assay/core/error.hpp"
#include "assay/json_text.hpp"
#include "experiments/driver.hpp"
#include "lab/run_store.hpp"

namespace assay::cli {
namespace {

struct FiguresCommand {
  std::string folder;
  std::string to;  // "": figures in the folder
  bool json = false;
  int threads = 0;
};

void declare(Options& options, FiguresCommand& c) {
  add_folder(options, c.folder);
  options.text("--to", c.to, "folder to write to; figures in the folder if left out");
  add_json(options, c.json);
  add_threads(options, c.threads);
}

void run_figures(const FiguresCommand& command, const Streams& streams) {
  const RunStore store(command.folder, RunStore::Mode::kReadOnly);
  ReportOptions options;
  options.known = experiments::known_experiments;
  options.threads = command.threads;
  options.episodes = 1;
  const std::filesystem::path to = command.to.empty() ? std::filesystem::path(command.folder) / "figures"
                                                      : std::filesystem::path(command.to);
  const auto written = write_figures(make_report(store, options), to);
  if (written.empty()) throw Error(command.folder + " has no finished runs that a figure could show");
  if (command.json) {
    nlohmann::ordered_json files = nlohmann::ordered_json::array();
    for (const std::filesystem::path& file : written) files.push_back(file.string());
    return print_json(streams, {{"folder", command.folder}, {"files", files}});
  }
  for (const std::filesystem::path& file : written) fmt::print(streams.out, "{}\n", file.string());
}

const RegisterCommand<FiguresCommand> kRegistered(
    {.name = "figures",
     .group = Group::kRuns,
     .rank = 5,
     .summary = "Draw a folder of results for print, as SVG and PDF.",
     .help = "assay figures reproduction --to figures\n"
             "  assay figures runs\n\n"
             "For results of `assay reproduce` it draws the paper's figures, the ablation and the mazes, or "
             "the figures that an experiment of your own defines. For every problem of `assay run` and "
             "`assay compare` it draws the learning curves and what each method earned in the test "
             "(comparison_NAME.svg).\n\n--json prints one object with folder and files."},
    declare, run_figures);

}  // namespace
}  // namespace assay::cli
