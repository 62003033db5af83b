#include "assay/cli.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <new>
#include <system_error>

#include "assay/core/error.hpp"
#include "assay/core/spec.hpp"
#include "assay/draw.hpp"
#include "assay/lab/laboratory.hpp"
#include "assay/options.hpp"

namespace assay::cli {
namespace {

/// CLI11 says what is wrong but not what would be right; add the nearest command for a mistyped one.
std::string parse_error_message(const CLI::App& app, const std::vector<std::string>& args,
                                const CLI::ParseError& error) {
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands({})) known.push_back(command->get_name());
  const bool has_command = !args.empty() && std::find(known.begin(), known.end(), args[0]) != known.end();
  if (!args.empty() && !has_command && args[0].rfind('-', 0) != 0) {
    return unknown_name_message("command", args[0], known);
  }
  const std::string level = has_command ? "assay " + args[0] : "assay";
  const CLI::App* asked = has_command ? app.get_subcommand(args[0]) : &app;
  std::vector<std::string> options;
  for (const CLI::Option* option : asked->get_options()) {
    if (!option->get_positional()) options.push_back(option->get_name());
  }
  for (const std::string& arg : args) {
    const std::string name = arg.substr(0, arg.find('='));
    const bool mistyped =
        name.rfind("--", 0) == 0 && std::find(options.begin(), options.end(), name) == options.end();
    if (mistyped) return unknown_name_message("option", name, options);
  }
  return fmt::format("{}; `{} --help` shows what is possible", error.what(), level);
}

int report(const Streams& streams, const std::string& message, ExitCode code) {
  fmt::print(streams.err, "assay: {}\n", printable(message, 2000));
  return code;
}

/// What to type to go on.
std::string resume_command(const std::vector<std::string>& args) {
  std::string command = "assay";
  for (const std::string& arg : args) command += " " + quoted(arg);
  return std::ranges::find(args, "--resume") == args.end() ? command + " --resume" : command;
}

/// Of the options that bound what a command keeps in memory, it names those that the command has.
std::string out_of_memory_message(const CLI::App& app) {
  const std::string message = "out of memory; shrink the problem";
  const std::vector<CLI::App*> asked = app.get_subcommands();
  const bool has_states = !asked.empty() && asked[0]->get_option_no_throw("--max-states") != nullptr;
  return has_states ? message + " or lower --max-states" : message;
}

/// What could not be written was not done.
int finish(const Streams& streams) {
  streams.out.flush();
  return streams.out ? kOk : report(streams, "cannot write the output", kFailure);
}

}  // namespace

int run(const std::vector<std::string>& args, const Streams& streams) {
  CLI::App app(
      "assay decides what is worth finding out.\n\n"
      "A problem is a family of environments with a prior: which one the agent is in is hidden, and before "
      "it can earn it "
      "may pay to look. assay computes what present knowledge is worth (v^c), what more could add at most "
      "(B), and "
      "what the best behaviour achieves (v*).",
      "assay");
  app.footer(
      "Examples:\n"
      "  assay solve examples/problems/tiger.toml      what to do about a problem, and what that is worth\n"
      "  assay explain examples/problems/tiger.toml    why: what each action is worth, and what it shows\n"
      "  assay list families                           what there is to solve\n"
      "  assay exact \"bandit(arms=2,horizon=20)\"       the value of a small bandit, exactly\n"
      "  assay exact t_maze --policy                   what to do in a T-maze, for each belief\n"
      "  assay play t_maze --policy exact --seed 1     watch it being done\n"
      "  assay cross \"treasure_map(size=7)\"            where is finding out worth the most?\n"
      "  assay reproduce --quick                       the paper's experiments, in a few seconds\n"
      "  assay compare t_maze --methods \"pcr,vi_greedy\"   methods side by side\n"
      "  assay report reproduction                     the results as a page to look at\n\n"
      "Exit codes: 0 done, 1 failed, 2 asked wrongly, 130 stopped by Ctrl-C or SIGTERM (run, compare and "
      "reproduce keep what was done and say how to go on).");
  app.require_subcommand(1);
  app.set_version_flag("--version", "assay " ASSAY_VERSION);

  ListOptions list;
  SolveCommand solve;
  ExplainCommand explain;
  ExactCommand exact;
  PlayCommand play;
  CrossCommand cross;
  SignatureCommand signature;
  ReproduceCommand reproduce;
  CompareCommand compare;
  CompareCommand single;
  EvaluateCommand evaluate;
  ExportCommand exported;
  VerifyCommand verify;
  CheckCommand check;
  ReportCommand page;
  FiguresCommand figures;
  ServeCommand serve;
  add_solve(app, solve);
  add_explain(app, explain);
  add_check(app, check);
  add_list(app, list);
  add_exact(app, exact);
  add_cross(app, cross);
  add_play(app, play);
  add_run(app, single);
  add_compare(app, compare);
  add_evaluate(app, evaluate);
  add_reproduce(app, reproduce);
  add_report(app, page);
  add_figures(app, figures);
  add_serve(app, serve);
  add_export(app, exported);
  add_verify(app, verify);
  add_signature(app, signature);

  try {
    app.parse(std::vector<std::string>(args.rbegin(), args.rend()));
    if (app.got_subcommand("solve")) run_solve(solve, streams);
    if (app.got_subcommand("explain")) run_explain(explain, streams);
    if (app.got_subcommand("list")) run_list(list, streams);
    if (app.got_subcommand("exact")) run_exact(exact, streams);
    if (app.got_subcommand("cross")) run_cross(cross, streams);
    if (app.got_subcommand("play")) run_play(play, streams);
    if (app.got_subcommand("run")) run_single(single, streams);
    if (app.got_subcommand("compare")) run_compare(compare, streams);
    if (app.got_subcommand("evaluate")) run_evaluate(evaluate, streams);
    if (app.got_subcommand("reproduce")) run_reproduce(reproduce, streams);
    if (app.got_subcommand("check")) run_check(check, streams);
    if (app.got_subcommand("report")) run_report(page, streams);
    if (app.got_subcommand("figures")) run_figures(figures, streams);
    if (app.got_subcommand("serve")) run_serve(serve, streams);
    if (app.got_subcommand("export")) run_export(exported, streams);
    if (app.got_subcommand("verify")) run_verify(verify, streams);
    if (app.got_subcommand("signature")) run_signature(signature, streams);
    return finish(streams);
  } catch (const CLI::Success& help) {
    app.exit(help, streams.out, streams.err);
    return finish(streams);
  } catch (const CLI::ParseError& error) {
    return report(streams, parse_error_message(app, args, error), kUsage);
  } catch (const Interrupted&) {
    return report(streams, "stopped, and everything that was done is kept; to go on: " + resume_command(args),
                  kInterrupted);
  } catch (const UsageError& error) {
    return report(streams, error.what(), kUsage);
  } catch (const Error& error) {
    return report(streams, error.what(), kFailure);
  } catch (const std::bad_alloc&) {
    return report(streams, out_of_memory_message(app), kFailure);
  } catch (const std::system_error& error) {
    return report(streams, fmt::format("the system refuses: {}", error.what()), kFailure);
  } catch (const std::exception& error) {
    return report(streams, fmt::format("failed for a reason that assay does not know: {}", error.what()),
                  kFailure);
  }
}

}  // namespace assay::cli
