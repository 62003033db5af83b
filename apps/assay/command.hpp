// A command is one file that registers itself. The file holds a struct of settings, a function that declares
// the options that fill them in, a function that carries the command out, and a static object that registers
// the command with its name and its help:
//
//   struct GreetCommand {
//     std::string name;
//   };
//   void declare(Options& options, GreetCommand& c) { options.argument("name", c.name, "whom to greet"); }
//   void run_greet(const GreetCommand& c, const Streams& streams) { streams.out << c.name << '\n'; }
//   const RegisterCommand<GreetCommand> kRegistered({.name = "greet", ...}, declare, run_greet);
//
// The file belongs to the tool, or to a shared object that the tool loads with --load.
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

/// What a command is about: a problem, runs, or this build. `assay --help` lists the groups in this order.
enum class Group { kProblem, kRuns, kBuild };

/// The name of a command, its place in `assay --help`, and what its own help says.
struct CommandText {
  std::string name;
  Group group = Group::kProblem;
  int rank = 0;         // its place among the commands of its group
  std::string summary;  // a sentence
  std::string help;     // below the options: an example first
};

struct Command {
  using Run = std::function<void(const Streams&)>;
  CommandText text;
  /// Adds the options of the command, and returns the function to call when they have been read.
  std::function<Run(Options&)> declare;
};

/// All commands that have registered, in the order of `assay --help`.
const std::vector<Command>& commands();
/// Throws UsageError if the name is taken or cannot be typed; while an object is being loaded, the complaint
/// is kept for the end.
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
