// A command is one file that registers itself: its settings, the options that fill them in, what `--help`
// says, and what it does.
//
//   struct GreetCommand {
//     std::string name;
//   };
//   void declare(Options& options, GreetCommand& c) { options.argument("name", c.name, "whom to greet"); }
//   void run_greet(const GreetCommand& command, const Streams& streams) { streams.out << command.name <<
//   '\n'; } const RegisterCommand<GreetCommand> kRegistered({.name = "greet", ...}, declare, run_greet);
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "assay/cli.hpp"
#include "assay/options.hpp"

namespace assay::cli {

/// What a command is about. `assay --help` lists the groups in this order.
enum class Group { kProblem, kRuns, kBuild };

/// What is known of a command before it is asked for anything.
struct CommandText {
  std::string name;
  Group group = Group::kProblem;
  int rank = 0;         // its place among those of its group
  std::string summary;  // a sentence
  std::string help;     // below the options: an example first
};

struct Command {
  using Run = std::function<void(const Streams&)>;
  CommandText text;
  /// Adds the options of the command. What it returns is to be called when they have been read.
  std::function<Run(Options&)> declare;
};

/// All that have registered, in the order of `assay --help`.
const std::vector<Command>& commands();
/// Throws Error if there is one of this name.
void register_command(Command command);

template <class Settings>
struct RegisterCommand {
  RegisterCommand(CommandText text, void (*declare)(Options&, Settings&),
                  void (*run)(const Settings&, const Streams&)) {
    register_command({std::move(text), [declare, run](Options& options) -> Command::Run {
                        const auto settings = std::make_shared<Settings>();
                        declare(options, *settings);
                        return [settings, run](const Streams& streams) { run(*settings, streams); };
                      }});
  }
};

}  // namespace assay::cli
