#include "assay/cli.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <new>
#include <sstream>
#include <system_error>

#include "assay/command.hpp"
#include "assay/core/detail/spec.hpp"
#include "assay/core/detail/stop.hpp"
#include "assay/core/error.hpp"
#include "assay/draw.hpp"
#include "assay/fitted.hpp"
#include "lab/laboratory.hpp"
#include "problem/load_object.hpp"

namespace assay::cli {
namespace {

/// The place of the command's name among the arguments. Only --load may stand before it.
std::size_t command_place(const std::vector<std::string>& args) {
  std::size_t at = 0;
  while (at < args.size() && args[at].starts_with("--load")) at += args[at] == "--load" ? 2 : 1;
  return std::min(at, args.size());
}

/// Loads the objects that --load names, wherever it stands. They are loaded before the arguments are read,
/// because the command may be one of theirs. A missing value is reported when the arguments are read.
void load_objects(const std::vector<std::string>& args) {
  constexpr std::string_view kOption = "--load";
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args[i] == kOption && i + 1 < args.size()) load_object(args[++i]);
    if (args[i].starts_with("--load=")) load_object(args[i].substr(kOption.size() + 1));
  }
}

/// `assay help` and `assay help COMMAND` are other forms of --help.
std::vector<std::string> without_help_command(std::vector<std::string> args) {
  const std::size_t at = command_place(args);
  if (at == args.size() || args[at] != "help") return args;
  args.erase(args.begin() + static_cast<std::ptrdiff_t>(at));
  args.emplace_back("--help");
  return args;
}

/// The message for a mistyped command, with the nearest one; empty if the command is known or absent.
std::string unknown_command(const CLI::App& app, const std::vector<std::string>& args) {
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands({})) known.push_back(command->get_name());
  const std::size_t place = command_place(args);
  if (place == args.size() || args[place].starts_with('-')) return "";
  if (std::ranges::find(known, args[place]) != known.end()) return "";
  return unknown_name_message("command", args[place], known);
}

/// CLI11 says what is wrong. This message also says what would be right.
std::string parse_error_message(const CLI::App& app, const std::vector<std::string>& args,
                                const CLI::ParseError& error) {
  const std::string mistyped_command = unknown_command(app, args);
  if (!mistyped_command.empty()) return mistyped_command;
  const std::size_t place = command_place(args);
  const bool has_command = place < args.size() && !args[place].starts_with('-');
  const std::string named = has_command ? args[place] : "";
  const std::string level = has_command ? "assay " + named : "assay";
  const CLI::App* asked = has_command ? app.get_subcommand(named) : &app;
  std::vector<std::string> options;
  for (const CLI::App* level_asked : {asked, &app}) {
    for (const CLI::Option* option : level_asked->get_options()) {
      if (!option->get_positional()) options.push_back(option->get_name());
    }
  }
  std::ranges::sort(options);
  options.erase(std::unique(options.begin(), options.end()), options.end());
  for (const std::string& arg : args) {
    const std::string name = arg.substr(0, arg.find('='));
    const bool mistyped =
        name.rfind("--", 0) == 0 && std::find(options.begin(), options.end(), name) == options.end();
    if (mistyped) return unknown_name_message("option", name, options);
  }
  return fmt::format("{}; `{} --help` shows what is possible", error.what(), level);
}

int report(const Streams& streams, const std::string& message, ExitCode code) {
  fmt::print(streams.err, "{}\n", fitted_line("assay: " + printable(message, 2000), streams.error_width));
  return code;
}

/// The command that continues the work.
std::string resume_command(const std::vector<std::string>& args) {
  std::string command = "assay";
  for (const std::string& arg : args) command += " " + quoted(arg);
  return std::ranges::find(args, "--resume") == args.end() ? command + " --resume" : command;
}

/// The message names those options that limit the memory of a command and that the command has.
std::string out_of_memory_message(const CLI::App& app) {
  std::string message = "out of memory; shrink the problem";
  const std::vector<CLI::App*> asked = app.get_subcommands();
  for (const char* option : {"--max-states", "--memory"}) {
    if (!asked.empty() && asked[0]->get_option_no_throw(option) != nullptr) {
      message += std::string(" or lower ") + option;
    }
  }
  return message;
}

/// An error of writing the output is a failure of the command.
int finish(const Streams& streams) {
  streams.out.flush();
  return streams.out ? kOk : report(streams, "cannot write the output", kFailure);
}

/// The description of all commands, and the option that all of them take.
void describe(CLI::App& app, std::vector<std::string>& objects) {
  app.description(
      "assay decides what is worth finding out.\n\n"
      "A problem consists of possible environments and a prior belief over them. The agent does not know "
      "which environment it is in, and it may pay for information before it earns. assay computes what "
      "present knowledge is worth (v^c), what more knowledge could add at most (B), and what the best "
      "behaviour earns (v*).");
  app.footer(
      "Examples:\n"
      "  assay solve examples/problems/tiger.toml      what to do about a problem, and what that is worth\n"
      "  assay explain examples/problems/tiger.toml    what each action is worth, and what it shows\n"
      "  assay list families                           the families of problems, with parameters\n"
      "  assay exact \"bandit(arms=2,horizon=20)\"       the value of a small bandit, exactly\n"
      "  assay exact t_maze --policy                   what to do in a T-maze, for each belief\n"
      "  assay play t_maze --policy exact --seed 1     an episode of the optimal policy, step by step\n"
      "  assay cross \"treasure_map(size=7)\"            where information is worth the most\n"
      "  assay reproduce --quick                       the paper's experiments, in a few seconds\n"
      "  assay compare t_maze --methods \"pcr,vi_greedy\"   two methods on the same environments\n"
      "  assay report reproduction                     the results as one page\n\n"
      "Exit codes: 0 done, 1 failed, 2 wrong request, 130 stopped by Ctrl-C or SIGTERM (run, compare and "
      "reproduce keep what was done and print the command that continues it).");
  app.require_subcommand(1);
  app.set_version_flag("--version", "assay " ASSAY_VERSION);
  app.add_option("--load", objects,
                 "a shared object (.so) with families, methods or commands of your own; may be given several "
                 "times, before or after the command")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

/// Adds every registered command with its options. Returns the function that carries out each of them.
std::map<const CLI::App*, Command::Run> add_commands(CLI::App& app) {
  std::map<const CLI::App*, Command::Run> runs;
  for (const Command& command : commands()) {
    CLI::App* const one = app.add_subcommand(command.text.name, command.text.summary);
    one->footer("Example:\n  " + command.text.help);
    Options options(*one);
    runs.emplace(one, command.declare(options));
  }
  app.add_subcommand("help", "Explain a command and its options: assay help solve.");
  for (CLI::App* command : app.get_subcommands({})) command->fallthrough();
  return runs;
}

int run_fitted(const std::vector<std::string>& given, const Streams& streams) {
  const std::vector<std::string> args = without_help_command(given);
  CLI::App app("", "assay");
  std::vector<std::string> objects;
  describe(app, objects);
  try {
    load_objects(args);
    const std::map<const CLI::App*, Command::Run> runs = add_commands(app);
    app.parse(std::vector<std::string>(args.rbegin(), args.rend()));
    for (const CLI::App* asked : app.get_subcommands()) {
      if (const auto run = runs.find(asked); run != runs.end()) run->second(streams);
    }
    return finish(streams);
  } catch (const CLI::Success& help) {
    const std::string mistyped = unknown_command(app, args);
    if (!mistyped.empty()) return report(streams, mistyped, kUsage);
    std::ostringstream text;
    app.exit(help, text, streams.err);
    constexpr std::size_t kUsualWidth = 80;
    fmt::print(streams.out, "{}", fitted_text(text.str(), streams.width == 0 ? kUsualWidth : streams.width));
    return finish(streams);
  } catch (const CLI::ParseError& error) {
    return report(streams, parse_error_message(app, args, error), kUsage);
  } catch (const Interrupted&) {
    return report(streams,
                  "stopped, and everything that was done is kept; to continue: " + resume_command(args),
                  kInterrupted);
  } catch (const Stopped& stopped) {
    const bool asked = stopped.reason() == StopReason::kAsked;
    return report(streams, asked ? "stopped" : "nothing was found before " + limit_text(stopped.reason()),
                  asked ? kInterrupted : kFailure);
  } catch (const UsageError& error) {
    return report(streams, error.what(), kUsage);
  } catch (const Error& error) {
    return report(streams, error.what(), kFailure);
  } catch (const std::bad_alloc&) {
    return report(streams, out_of_memory_message(app), kFailure);
  } catch (const std::system_error& error) {
    return report(streams, fmt::format("the operating system reports: {}", error.what()), kFailure);
  } catch (const std::exception& error) {
    return report(streams, fmt::format("failed unexpectedly: {}", error.what()), kFailure);
  }
}

}  // namespace

int run_cli(const std::vector<std::string>& args, const Streams& streams) {
  const bool json = std::ranges::find(args, "--json") != args.end();
  if (streams.width == 0 || json) return run_fitted(args, streams);
  FittedStream out(streams.out, streams.width);
  Streams fitted{out, streams.err};
  fitted.progress = streams.progress;
  fitted.colour = streams.colour;
  fitted.animate = streams.animate;
  fitted.width = streams.width;
  fitted.error_width = streams.error_width;
  return run_fitted(args, fitted);
}

}  // namespace assay::cli
