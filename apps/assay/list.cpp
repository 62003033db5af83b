// `assay list`: the families, the methods and their parameters.
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "assay/command.hpp"
#include "assay/draw.hpp"
#include "assay/json_text.hpp"
#include "assay/problem/registry.hpp"

namespace assay::cli {
namespace {

using nlohmann::ordered_json;

struct ListCommand {
  std::string kind;  // "" for all kinds
  bool json = false;
};

void declare(Options& options, ListCommand& c) {
  options.optional_argument("kind", c.kind, "families or methods; all if left out");
  add_json(options, c.json);
}

/// The traits of a family's problem with default parameters, or, if these cannot be combined, those of its
/// smallest problem.
std::string traits(const Entry<Problem>& family) {
  std::vector<std::string> specs = {family.name};
  specs.insert(specs.end(), family.small.begin(), family.small.end());
  for (const std::string& spec : specs) {
    try {
      return traits_text(make_problem(spec)->traits());
    } catch (const Error&) {  // another problem may work
    }
  }
  return "unknown";
}

std::vector<std::string> needs(const Entry<Method>& method) {
  std::vector<std::string> all;
  for (const Need need : make_method(method.name)->needs()) all.push_back(need_name(need));
  return all;
}

void put_properties(ordered_json& object, const Entry<Problem>& family) { object["traits"] = traits(family); }
void put_properties(ordered_json& object, const Entry<Method>& method) { object["needs"] = needs(method); }

std::string properties_text(const Entry<Problem>& family) { return "traits: " + traits(family); }
std::string properties_text(const Entry<Method>& method) {
  const std::vector<std::string> all = needs(method);
  return all.empty() ? "needs: nothing" : fmt::format("needs: {}", fmt::join(all, "; "));
}

template <class Made>
ordered_json as_json(const Registry<Made>& registry) {
  ordered_json all = ordered_json::array();
  for (const auto& entry : registry.entries()) {
    ordered_json parameters = ordered_json::array();
    for (const ParameterInfo& p : entry.parameters) {
      parameters.push_back({{"name", p.name},
                            {"type", p.type},
                            {"range", p.range},
                            {"default", p.default_value},
                            {"help", p.help}});
    }
    ordered_json object = {{"name", entry.name}, {"summary", entry.summary}};
    put_properties(object, entry);
    object["parameters"] = parameters;
    all.push_back(object);
  }
  return all;
}

template <class Made>
void print(const Registry<Made>& registry, const char* title, const Streams& streams) {
  std::ostream& out = streams.out;
  fmt::print(out, "{}\n", wrapped(title, 2, streams.width));
  for (const auto& entry : registry.entries()) {
    fmt::print(out, "\n{}\n", wrapped(fmt::format("  {}: {}", entry.name, entry.summary), 4, streams.width));
    fmt::print(out, "{}\n", wrapped("    " + properties_text(entry), 6, streams.width));
    for (const ParameterInfo& p : entry.parameters) {
      const std::string line =
          fmt::format("    {:<24} {} ({})", p.name + "=" + p.default_value, p.help, p.range);
      fmt::print(out, "{}\n", wrapped(line, streams.width < 70 ? 6 : 29, streams.width));
    }
  }
}

void run_list(const ListCommand& command, const Streams& streams) {
  const bool all = command.kind.empty();
  const bool wants_families = all || command.kind == "families";
  const bool wants_methods = all || command.kind == "methods";
  if (!wants_families && !wants_methods) {
    throw UsageError(unknown_name_message("kind", command.kind, {"families", "methods"}));
  }
  if (command.json) {
    ordered_json object;
    if (wants_families) object["families"] = as_json(families());
    if (wants_methods) object["methods"] = as_json(methods());
    print_json(streams, object);
    return;
  }
  if (wants_families) print(families(), "Families (name(key=value,...); defaults are shown)", streams);
  if (all) fmt::print(streams.out, "\n");
  if (wants_methods) print(methods(), "Methods", streams);
}

const RegisterCommand<ListCommand> kRegistered(
    {.name = "list",
     .group = Group::kProblem,
     .rank = 3,
     .summary = "Show the families with their traits, the methods with what they need, and all parameters.",
     .help =
         "assay list families\n\n"
         "--json prints one object with the arrays families and methods; each entry has name, summary, "
         "traits (of families) or needs (of methods), and parameters, each with name, type, range, default "
         "and help."},
    declare, run_list);

}  // namespace
}  // namespace assay::cli
