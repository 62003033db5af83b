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

void add_json(CLI::App* command, bool& json) {
  command->add_flag("--json", json, "print JSON, as described below");
}

void add_seed(CLI::App* command, std::uint64_t& seed, const char* of_what) {
  command->add_option("--seed", seed, of_what)->capture_default_str()->check(whole_number(0, kAnySeed));
}

}  // namespace assay::cli
