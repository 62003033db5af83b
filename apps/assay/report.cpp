// `assay report` and `assay figures`: a store as a page, and as pictures for print.
#include "assay/report.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <filesystem>

#include "assay/cli.hpp"
#include "assay/core/error.hpp"
#include "assay/core/kernel.hpp"
#include "assay/draw.hpp"
#include "assay/json_text.hpp"
#include "assay/lab/atomic_file.hpp"
#include "assay/lab/run_store.hpp"
#include "assay/problem/signature.hpp"
#include "assay/report/figures.hpp"

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
  options.threads = threads;
  const Report report = make_report(store, options);
  write_file(file, report_page(report_json(report, page_info(store.folder(), file))));
  return {report.runs, report.finished};
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

void run_figures(const FiguresCommand& command, const Streams& streams) {
  const RunStore store(command.folder, RunStore::Mode::kReadOnly);
  ReportOptions options;
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

}  // namespace assay::cli
