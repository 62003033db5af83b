// What the options of several commands have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <string>

#include "assay/cli.hpp"
#include "assay/core/stop.hpp"

namespace assay::cli {

inline constexpr const char* kFamilyHelp =
    "a problem: name(key=value,...), see `assay list families`, or a problem file (.toml)";

inline constexpr const char* kKernelHelp =
    "instruction set: scalar, ssse3, sse4, avx2, avx512; auto for the best, or what ASSAY_KERNEL says; never "
    "changes the result";

inline constexpr std::uint64_t kAnySeed = std::numeric_limits<std::uint64_t>::max();

/// CLI11 wraps -3 round to a large unsigned number and saturates what is too large: this reads digits only.
CLI::Validator whole_number(std::uint64_t low, std::uint64_t high);

CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& what,
                      const std::string& example);

void add_threads(CLI::App* command, int& threads);
/// --time-limit, in seconds.
void add_time_limit(CLI::App* command, double& seconds, const char* of_what);
/// --memory: bytes, where "2G" is 2 GiB.
void add_memory(CLI::App* command, std::size_t& bytes);
/// Which limit was reached, and the option that raises it.
std::string limit_text(StopReason reason);
void add_json(CLI::App* command, bool& json);
void add_seed(CLI::App* command, std::uint64_t& seed, const char* of_what);

// Commands about one problem.
void add_list(CLI::App& app, ListOptions& options);
void add_check(CLI::App& app, CheckCommand& command);
void add_solve(CLI::App& app, SolveCommand& command);
void add_explain(CLI::App& app, ExplainCommand& command);
void add_exact(CLI::App& app, ExactCommand& command);
void add_cross(CLI::App& app, CrossCommand& command);
void add_play(CLI::App& app, PlayCommand& command);

// Commands that make runs, or look at them.
void add_run(CLI::App& app, CompareCommand& command);
void add_compare(CLI::App& app, CompareCommand& command);
void add_evaluate(CLI::App& app, EvaluateCommand& command);
void add_reproduce(CLI::App& app, ReproduceCommand& command);
void add_report(CLI::App& app, ReportCommand& command);
void add_figures(CLI::App& app, FiguresCommand& command);
void add_serve(CLI::App& app, ServeCommand& command);
void add_export(CLI::App& app, ExportCommand& command);
void add_verify(CLI::App& app, VerifyCommand& command);
void add_signature(CLI::App& app, SignatureCommand& command);

}  // namespace assay::cli
