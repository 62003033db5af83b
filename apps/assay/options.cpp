#include "assay/options.hpp"

#include <fmt/format.h>

#include <charconv>

namespace assay::cli {

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

CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& what,
                      const std::string& example) {
  CLI::App* command = app.add_subcommand(name, what);
  command->footer("Example:\n  " + example);
  return command;
}

void add_threads(CLI::App* command, int& threads) {
  command
      ->add_option("--threads", threads,
                   "threads to use, 0 for as many as there are cores that this process may use; never "
                   "changes the result")
      ->capture_default_str()
      ->check(whole_number(0, 1024));
}

void add_time_limit(CLI::App* command, double& seconds, const char* of_what) {
  // CLI::Range lets what is not a number through: it is neither below nor above.
  const auto check = [](const std::string& text) -> std::string {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool fits =
        error == std::errc{} && end == text.data() + text.size() && number >= 0 && number <= 1e6;
    return fits ? "" : fmt::format("'{}' is not a number of seconds from 0 to 1000000", text);
  };
  command->add_option("--time-limit", seconds, of_what)
      ->capture_default_str()
      ->check(CLI::Validator(check, "0 to 1000000"));
}

std::string limit_text(StopReason reason) {
  const char* option = reason == StopReason::kTime     ? " (--time-limit)"
                       : reason == StopReason::kMemory ? " (--memory)"
                                                       : "";
  return words_of(reason).text + option;
}

void add_memory(CLI::App* command, std::size_t& bytes) {
  const auto read = [&bytes](const std::string& text) {
    constexpr std::size_t kLeast = std::size_t{16} << 20U;
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string unit(end, text.data() + text.size());
    const double factor = unit == "M" ? 1 << 20U : unit == "G" ? 1 << 30U : 0;
    const double size = number * factor;
    if (error != std::errc{} || !(size >= static_cast<double>(kLeast)) || size > 1e15) {
      throw CLI::ValidationError("--memory",
                                 fmt::format("'{}' is not a size from 16M up, such as 500M or 2.5G", text));
    }
    bytes = static_cast<std::size_t>(size);
  };
  command
      ->add_option_function<std::string>(
          "--memory", read,
          "memory to use, such as 500M or 2.5G; three quarters of what is available if left out")
      ->type_name("SIZE");
}

void add_json(CLI::App* command, bool& json) {
  command->add_flag("--json", json, "print JSON, as described below");
}

void add_seed(CLI::App* command, std::uint64_t& seed, const char* of_what) {
  command->add_option("--seed", seed, of_what)->capture_default_str()->check(whole_number(0, kAnySeed));
}

}  // namespace assay::cli
