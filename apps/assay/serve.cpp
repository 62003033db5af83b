// `assay serve`: the report of a folder, possibly while runs are being made there, for a browser on this
// machine.
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <filesystem>
#include <mutex>
#include <optional>
#include <ostream>
#include <stop_token>
#include <thread>

#include "assay/command.hpp"
#include "assay/core/detail/spec.hpp"
#include "assay/core/error.hpp"
#include "assay/json_text.hpp"
#include "assay/page_server.hpp"
#include "assay/report.hpp"
#include "experiments/driver.hpp"
#include "lab/run_store.hpp"

namespace assay::cli {
namespace {

struct ServeCommand {
  std::string folder;
  int port = 0;  // 0: any free one
  bool json = false;
  int threads = 1;  // the other cores are for the runs that are being made
};

void declare(Options& options, ServeCommand& c) {
  add_folder(options, c.folder);
  options.number("--port", c.port, 0, 65535, "port to listen on; 0 for any free port");
  add_json(options, c.json);
  add_threads(options, c.threads);
}

constexpr std::chrono::milliseconds kLookEvery{1000};

/// Two equal stamps mean that nothing has been written in between.
struct StoreStamp {
  std::uint64_t device = 0, file = 0;
  std::int64_t size = 0, seconds = 0, nanoseconds = 0;

  auto operator<=>(const StoreStamp&) const = default;
  [[nodiscard]] bool same_file(const StoreStamp& other) const {
    return device == other.device && file == other.file;
  }
};

/// None if the database is gone. The file is not opened, because closing it would drop the locks of this
/// process.
std::optional<StoreStamp> stamp_of(const std::filesystem::path& folder) {
  struct stat found = {};
  if (::stat((folder / "assay.db").c_str(), &found) != 0) return std::nullopt;
  return StoreStamp{found.st_dev, found.st_ino, found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec};
}

/// The newest report of a folder. A thread of its own makes it again whenever something has been written
/// there.
class LiveReport {
 public:
  /// After this call there is a report. Throws what opening and reading a store throws.
  LiveReport(const ServeCommand& command, std::ostream& err)
      : folder_(command.folder), err_(err), store_(folder_, RunStore::Mode::kReadOnly) {
    options_.threads = command.threads;
    options_.known = experiments::known_experiments;
    info_ = page_info(folder_, "report.html");
    info_.live = true;
    stamp_ = stamp_of(folder_);
    const auto begin = std::chrono::steady_clock::now();
    remake();
    rest_ = rest_after(begin);
  }

  /// Starts the thread.
  void watch() {
    watcher_ = std::jthread([this](const std::stop_token& stop) { look_again(stop); });
  }

  [[nodiscard]] std::shared_ptr<const Contents> latest() const {
    const std::lock_guard lock(mutex_);
    return contents_;
  }

 private:
  using Time = std::chrono::steady_clock::time_point;

  /// Reports take at most a third of the time, because the cores are for the training.
  static std::chrono::nanoseconds rest_after(Time begin) {
    const std::chrono::nanoseconds taken = std::chrono::steady_clock::now() - begin;
    return std::max<std::chrono::nanoseconds>(kLookEvery, 2 * taken);
  }

  void look_again(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any stopped;
    while (true) {
      std::unique_lock lock(mutex);
      stopped.wait_for(lock, stop, rest_, [] { return false; });
      if (stop.stop_requested()) return;
      const Time begin = std::chrono::steady_clock::now();
      try {
        look();
        complained_ = false;
      } catch (const std::exception& error) {
        complain(error.what());
      }
      rest_ = rest_after(begin);
    }
  }

  void look() {
    const std::optional<StoreStamp> now = stamp_of(folder_);
    if (!now) throw Error(fmt::format("there is no assay.db in {} any more", folder_.string()));
    if (now == stamp_) return;
    if (!stamp_ || !now->same_file(*stamp_)) {
      store_ = RunStore(folder_, RunStore::Mode::kReadOnly);
      played_ = -1;
    }
    remake();
    stamp_ = now;  // from before the reading: what was written since is noticed next time
  }

  /// Episodes are played again only if another policy may be shown.
  void remake() {
    const auto finished = static_cast<int>(store_.runs().size()) - store_.unfinished();
    options_.play = finished != played_;
    Report report = make_report(store_, options_);
    if (options_.play) {
      played_ = report.finished;
      players_ = report.players;
    } else {
      report.players = players_;
    }
    std::string json = report_json(report, info_);
    auto contents = std::make_shared<Contents>();
    contents->emplace("/", make_content("text/html; charset=utf-8", report_page(json)));
    contents->emplace("/report.json", make_content("application/json", std::move(json)));
    const std::lock_guard lock(mutex_);
    contents_ = std::move(contents);
  }

  /// Reports an error once, until reading succeeds again.
  void complain(const std::string& why) {
    if (complained_) return;
    complained_ = true;
    fmt::print(err_, "assay: {}; the page stays as it was\n", printable(why, 2000));
    err_.flush();
  }

  std::filesystem::path folder_;
  std::ostream& err_;
  RunStore store_;
  ReportOptions options_;
  PageInfo info_;
  std::optional<StoreStamp> stamp_;
  std::vector<Player> players_;
  int played_ = -1;  // the number of finished runs when the players were made
  std::chrono::nanoseconds rest_ = kLookEvery;
  bool complained_ = false;

  mutable std::mutex mutex_;
  std::shared_ptr<const Contents> contents_;
  std::jthread watcher_;  // declared last, so that it stops before the members that it uses are destroyed
};

/// As long as it exists, SIGINT and SIGTERM stop the server.
class StopOnSignal {
 public:
  explicit StopOnSignal(PageServer& server) {
    served = &server;
    struct sigaction action = {};
    action.sa_flags = SA_RESTART;
    action.sa_handler = [](int) { served.load()->stop(); };
    ::sigaction(SIGINT, &action, &interrupt_);
    ::sigaction(SIGTERM, &action, &terminate_);
  }
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;
  ~StopOnSignal() {
    ::sigaction(SIGINT, &interrupt_, nullptr);
    ::sigaction(SIGTERM, &terminate_, nullptr);
  }

 private:
  static inline std::atomic<PageServer*> served = nullptr;
  struct sigaction interrupt_ = {}, terminate_ = {};
};

void run_serve(const ServeCommand& command, const Streams& streams) {
  LiveReport report(command, streams.err);
  PageServer server([&report] { return report.latest(); }, command.port);
  const StopOnSignal stop(server);
  report.watch();
  const std::string address = fmt::format("http://127.0.0.1:{}/", server.port());
  if (command.json) {
    print_json_line(streams, {{"address", address}, {"port", server.port()}});
  } else {
    fmt::print(streams.out, "{}\nCtrl-C stops it\n", address);
  }
  streams.out.flush();
  if (!streams.out) return;  // the address could not be printed
  server.run();
}

const RegisterCommand<ServeCommand> kRegistered(
    {.name = "serve",
     .group = Group::kRuns,
     .rank = 6,
     .summary = "Show the report live in a browser while runs are being made.",
     .help = "assay serve reproduction --port 8080\n\n"
             "Listens on 127.0.0.1 only. Curves grow as epochs finish. Ctrl-C stops it.\n\n"
             "--json prints one line with address and port, then continues to serve; /report.json below the "
             "address is the report as JSON."},
    declare, run_serve);

}  // namespace
}  // namespace assay::cli
