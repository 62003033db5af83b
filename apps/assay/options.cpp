#include "assay/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>

namespace assay::cli {
namespace {

/// CLI11 converts -3 to a large unsigned number and saturates numbers that are too large: this check reads
/// digits only.
CLI::Validator whole_number(std::uint64_t low, std::uint64_t high) {
  const auto check = [=](const std::string& text) -> std::string {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool fits =
        error == std::errc{} && end == text.data() + text.size() && number >= low && number <= high;
    return fits ? "" : fmt::format("'{}' is not a whole number from {} to {}", text, low, high);
  };
  return {check, fmt::format("{} to {}", low, high)};
}

/// CLI::Range accepts NaN, which is neither below nor above.
CLI::Validator real_number(double low, double high, const std::string& what) {
  const std::string range = fmt::format("{} to {}", low, high);
  const auto check = [=](const std::string& text) -> std::string {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool fits =
        error == std::errc{} && end == text.data() + text.size() && number >= low && number <= high;
    return fits ? "" : fmt::format("'{}' is not {} from {}", text, what, range);
  };
  return {check, range};
}

}  // namespace

void Options::argument(const std::string& name, std::string& value, const std::string& help) {
  app_.add_option(name, value, help)->required();
}

void Options::optional_argument(const std::string& name, std::string& value, const std::string& help) {
  app_.add_option(name, value, help)->capture_default_str();
}

void Options::flag(const std::string& name, bool& value, const std::string& help) {
  app_.add_flag(name, value, help);
}

void Options::text(const std::string& name, std::string& value, const std::string& help) {
  app_.add_option(name, value, help)->capture_default_str();
}

void Options::required_text(const std::string& name, std::string& value, const std::string& help) {
  app_.add_option(name, value, help)->required();
}

void Options::number(const std::string& name, int& value, std::uint64_t low, std::uint64_t high,
                     const std::string& help) {
  app_.add_option(name, value, help)->capture_default_str()->check(whole_number(low, high));
}

void Options::number(const std::string& name, std::uint64_t& value, std::uint64_t low, std::uint64_t high,
                     const std::string& help) {
  app_.add_option(name, value, help)->capture_default_str()->check(whole_number(low, high));
}

void Options::number(const std::string& name, std::optional<int>& value, std::uint64_t low,
                     std::uint64_t high, const std::string& help) {
  app_.add_option(name, value, help)->check(whole_number(low, high));
}

void Options::real(const std::string& name, double& value, double low, double high, const std::string& help,
                   const std::string& what) {
  app_.add_option(name, value, help)->capture_default_str()->check(real_number(low, high, what));
}

void Options::size(const std::string& name, std::size_t& bytes, const std::string& help) {
  const auto read = [name, &bytes](const std::string& text) {
    constexpr std::size_t kLeast = std::size_t{16} << 20U;
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string unit(end, text.data() + text.size());
    const double factor = unit == "M" ? 1 << 20U : unit == "G" ? 1 << 30U : 0;
    const double size = number * factor;
    if (error != std::errc{} || !(size >= static_cast<double>(kLeast)) || size > 1e15) {
      throw CLI::ValidationError(name,
                                 fmt::format("'{}' is not a size from 16M up, such as 500M or 2.5G", text));
    }
    bytes = static_cast<std::size_t>(size);
  };
  app_.add_option_function<std::string>(name, read, help)->type_name("SIZE");
}

void add_problem(Options& options, std::string& family) {
  options.argument("family", family,
                   "a problem: name(key=value,...), see `assay list families`, or a problem file (.toml)");
}

void add_remaining(Options& options, int& steps) {
  options.number("--remaining", steps, 0, 1'000'000,
                 "number of steps to go; 0 for what --after leaves of the horizon");
}

void add_tree(Options& options, int& levels) {
  options.number("--tree", levels, 0, 20,
                 "levels of the search tree to show, for methods that search: 1 for the actions, 2 also for "
                 "their outcomes and the actions that follow");
}

void add_folder(Options& options, std::string& folder) {
  options.argument("folder", folder, "a folder of results");
}

void add_seed(Options& options, std::uint64_t& seed, const std::string& of_what) {
  options.number("--seed", seed, 0, kAnySeed, of_what);
}

void add_kernel(Options& options, std::string& kernel) {
  options.text("--kernel", kernel,
               "instruction set: scalar, ssse3, sse4, avx2, avx512; auto for the best, or what ASSAY_KERNEL "
               "says; never changes the result");
}

void add_threads(Options& options, int& threads) {
  options.number("--threads", threads, 0, 1024,
                 "threads to use, 0 for as many as there are cores that this process may use; never "
                 "changes the result");
}

void add_time_limit(Options& options, double& seconds, const std::string& of_what) {
  options.real("--time-limit", seconds, 0, 1e6, of_what, "a number of seconds");
}

void add_memory(Options& options, std::size_t& bytes) {
  options.size("--memory", bytes,
               "memory to use, such as 500M or 2.5G; by default three quarters of what is available");
}

void add_json(Options& options, bool& json) {
  options.flag("--json", json, "print JSON, as described below");
}

std::string limit_text(StopReason reason) {
  const char* option = reason == StopReason::kTime     ? " (--time-limit)"
                       : reason == StopReason::kMemory ? " (--memory)"
                                                       : "";
  return words_of(reason).text + option;
}

}  // namespace assay::cli
