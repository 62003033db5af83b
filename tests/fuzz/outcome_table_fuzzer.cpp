// Any bytes as a table of outcomes: a sound family or a complaint with its line, never anything else.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assay/core/error.hpp"
#include "core/utf8.hpp"
#include "family_checks.hpp"
#include "files/outcome_table.hpp"

using assay::fuzz::need;
using Names = std::vector<std::string>;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // Names that are their numbers take another way than others.
  static const Names kNumbers = {"0", "1", "2", "3", "4", "5"};
  static const Names kWords = {"a", "go", "*", "a,b", "01", "x\ny"};
  for (const Names* names : {&kNumbers, &kWords}) {
    assay::TableBuilder builder(*names, *names);
    builder.start(0);
    for (const std::string& name : *names) builder.environment(name);
    for (int x = 0; x < static_cast<int>(names->size()); ++x) builder.outcome(x, 0, {{1, {x, 0, {}}}});
    Names signs = {"known"};
    try {
      const auto shown = assay::files::read_outcome_table(text, "t", {names, names, names}, signs, builder);
      for (const std::string& sign : signs) need(!sign.empty() && assay::is_utf8(sign), "a bad sign");
      need(signs.size() == 1 || !shown.empty(), "signs that are seen nowhere");
    } catch (const assay::UsageError& error) {
      need(std::string_view(error.what()).starts_with("t:"), error.what());
      continue;
    }
    try {
      assay::fuzz::check_family(builder.build());
    } catch (const assay::UsageError& error) {
      need(std::string_view(error.what()).find("environments") != std::string_view::npos, error.what());
    }
  }
  return 0;
}
