// The command line as a function, so that tests can call it in-process.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace assay::cli {

/// Where a command writes. Answers go to `out`; progress and errors to `err`.
struct Streams {
  std::ostream& out;
  std::ostream& err;
  bool progress = false;        // err is a terminal that may be drawn over
  bool colour = false;          // out is a terminal that shows colours
  bool animate = false;         // out is a terminal that may be drawn over
  std::size_t width = 0;        // columns of the terminal; 0 if there is none
  std::size_t error_width = 0;  // the same of err
};

enum ExitCode { kOk = 0, kFailure = 1, kUsage = 2, kInterrupted = 130 };

struct ListOptions {
  std::string kind;  // "" for all kinds
  bool json = false;
};

struct ExactCommand {
  std::string family;
  bool json = false;
  bool policy = false;
  std::uint64_t beliefs = 8;
  std::uint64_t max_states = 10'000'000;
  int threads = 0;
  int samples = 2000;
  std::uint64_t seed = 0;
};

struct PlayCommand {
  std::string family;
  std::string policy = "random";
  bool json = false;
  bool still = false;  // every step below the last, not in its place
  double speed = 4;    // steps a second
  int tree = 0;        // levels of a search to show
  int threads = 0;
  int episodes = 0;  // 0: one, as one object
  std::uint64_t seed = 0;
};

struct CrossCommand {
  std::string family;
  std::string after;
  std::string estimator = "auto";
  std::string kernel = "auto";
  bool json = false;
  bool endless = false;
  int remaining = 0;  // 0: what the history leaves of the horizon
  int samples = 2000;
  int worlds = 1;
  int outcomes = -1;  // -1: as many as are affordable
  int threads = 0;
  std::uint64_t seed = 0;
};

struct SignatureCommand {
  std::string kernel = "auto";
  bool json = false;
  int threads = 0;
};

/// Where and how runs are made.
struct LabSettings {
  std::string out;
  bool resume = false;
  int threads = 0;
  double checkpoint_seconds = 2;
  bool json = false;
};

struct ReproduceCommand {
  std::string what = "all";
  bool quick = false;
  int seeds = 1;
  LabSettings lab = {.out = "reproduction"};
};

struct CompareCommand {
  std::string family;
  std::string methods;
  int seeds = 1;
  int episodes = 2000;
  std::uint64_t seed = 1;
  std::uint64_t test_seed = 1;
  LabSettings lab = {.out = "runs"};
};

struct EvaluateCommand {
  std::string policy;
  std::string family;  // "": what the policy was trained on
  bool json = false;
  int episodes = 2000;
  int threads = 0;
  std::uint64_t seed = 0;
};

struct ExportCommand {
  std::string folder;
  std::string to;  // "": the folder itself
  bool json = false;
};

struct VerifyCommand {
  std::string folder;
  bool json = false;
};

struct SolveCommand {
  std::string family;
  std::string method = "auto";
  std::string policy;  // "": not kept
  bool json = false;
  double time_limit = 20;
  std::size_t memory = 0;  // bytes; 0: what the machine allows
  int episodes = 2000;
  int threads = 0;
  std::uint64_t seed = 1;
};

struct ExplainCommand {
  std::string family;
  std::string at;      // "": where the history ends
  std::string after;   // "": the start of an episode
  std::string method;  // "": exact values or bounds instead of a method's search
  bool json = false;
  int tree = 0;       // levels of that search to show
  int remaining = 0;  // 0: what the history leaves of the horizon
  double time_limit = 5;
  std::size_t memory = 0;  // bytes; 0: what the machine allows
  int threads = 0;
  std::uint64_t seed = 0;
};

struct CheckCommand {
  std::string file;
  bool json = false;
};

struct ReportCommand {
  std::string folder;
  std::string file;  // "": report.html in the folder
  bool json = false;
  int threads = 0;
};

struct FiguresCommand {
  std::string folder;
  std::string to;  // "": figures in the folder
  bool json = false;
  int threads = 0;
};

struct ServeCommand {
  std::string folder;
  int port = 0;  // 0: any free one
  bool json = false;
  int threads = 1;  // the others are for the runs that are being made
};

void run_list(const ListOptions& options, const Streams& streams);
void run_exact(const ExactCommand& command, const Streams& streams);
void run_play(const PlayCommand& command, const Streams& streams);
void run_cross(const CrossCommand& command, const Streams& streams);
void run_reproduce(const ReproduceCommand& command, const Streams& streams);
void run_compare(const CompareCommand& command, const Streams& streams);
/// `methods` is one method.
void run_single(const CompareCommand& command, const Streams& streams);
void run_evaluate(const EvaluateCommand& command, const Streams& streams);
void run_export(const ExportCommand& command, const Streams& streams);
void run_verify(const VerifyCommand& command, const Streams& streams);
void run_solve(const SolveCommand& command, const Streams& streams);
void run_explain(const ExplainCommand& command, const Streams& streams);
void run_check(const CheckCommand& command, const Streams& streams);
void run_report(const ReportCommand& command, const Streams& streams);
void run_figures(const FiguresCommand& command, const Streams& streams);
void run_serve(const ServeCommand& command, const Streams& streams);
void run_signature(const SignatureCommand& command, const Streams& streams);

/// Runs `assay args...` and returns its exit code: 0, 1 if it failed, 2 if it was asked wrongly, 130 if it
/// was stopped by a signal and has kept what was done.
int run(const std::vector<std::string>& args, const Streams& streams);

}  // namespace assay::cli
