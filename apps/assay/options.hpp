// The options of commands. CLI11 reads them, but only options.cpp and cli.cpp include it, because it takes
// seconds to compile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "assay/core/detail/stop.hpp"

namespace CLI {
class App;
}

namespace assay::cli {

inline constexpr std::uint64_t kAnySeed = std::numeric_limits<std::uint64_t>::max();

/// The options of one command. The initial value of a variable is the default, which `--help` shows. The
/// variables must exist until the command has run.
class Options {
 public:
  explicit Options(CLI::App& app) : app_(app) {}

  /// A value without the name of an option.
  void argument(const std::string& name, std::string& value, const std::string& help);
  void optional_argument(const std::string& name, std::string& value, const std::string& help);

  void flag(const std::string& name, bool& value, const std::string& help);
  void text(const std::string& name, std::string& value, const std::string& help);
  void required_text(const std::string& name, std::string& value, const std::string& help);
  /// A whole number. One without a default may be left out.
  void number(const std::string& name, int& value, std::uint64_t low, std::uint64_t high,
              const std::string& help);
  void number(const std::string& name, std::uint64_t& value, std::uint64_t low, std::uint64_t high,
              const std::string& help);
  void number(const std::string& name, std::optional<int>& value, std::uint64_t low, std::uint64_t high,
              const std::string& help);
  /// `what` describes the number in error messages: "a number of seconds".
  void real(const std::string& name, double& value, double low, double high, const std::string& help,
            const std::string& what = "a number");
  /// A size in bytes, where "2G" is 2 GiB.
  void size(const std::string& name, std::size_t& bytes, const std::string& help);

 private:
  CLI::App& app_;
};

// Options that several commands have:
void add_problem(Options& options, std::string& family);
/// --remaining, for commands that take a history; 0 stands for what the history leaves of the horizon.
void add_remaining(Options& options, int& steps);
void add_tree(Options& options, int& levels);
void add_folder(Options& options, std::string& folder);
void add_seed(Options& options, std::uint64_t& seed, const std::string& of_what);
void add_kernel(Options& options, std::string& kernel);
void add_threads(Options& options, int& threads);
/// --time-limit, in seconds.
void add_time_limit(Options& options, double& seconds, const std::string& of_what);
void add_memory(Options& options, std::size_t& bytes);
void add_json(Options& options, bool& json);

/// A limit in words, with the option that raises it.
std::string limit_text(StopReason reason);

}  // namespace assay::cli
