// `assay list`: what there is, and what it takes.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <nlohmann/json.hpp>

#include "assay/cli.hpp"
#include "assay/draw.hpp"
#include "assay/json_text.hpp"
#include "assay/problem/registry.hpp"

namespace assay::cli {
namespace {

using nlohmann::ordered_json;

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
    all.push_back({{"name", entry.name}, {"summary", entry.summary}, {"parameters", parameters}});
  }
  return all;
}

template <class Made>
void print(const Registry<Made>& registry, const char* title, const Streams& streams) {
  std::ostream& out = streams.out;
  fmt::print(out, "{}\n", wrapped(title, 2, streams.width));
  for (const auto& entry : registry.entries()) {
    fmt::print(out, "\n{}\n", wrapped(fmt::format("  {}: {}", entry.name, entry.summary), 4, streams.width));
    for (const ParameterInfo& p : entry.parameters) {
      const std::string line =
          fmt::format("    {:<24} {} ({})", p.name + "=" + p.default_value, p.help, p.range);
      fmt::print(out, "{}\n", wrapped(line, streams.width < 70 ? 6 : 29, streams.width));
    }
  }
}

}  // namespace

void run_list(const ListOptions& options, const Streams& streams) {
  const bool all = options.kind.empty();
  const bool wants_families = all || options.kind == "families";
  const bool wants_methods = all || options.kind == "methods";
  if (!wants_families && !wants_methods) {
    throw UsageError(unknown_name_message("kind", options.kind, {"families", "methods"}));
  }
  if (options.json) {
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

}  // namespace assay::cli
