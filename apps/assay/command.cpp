#include "assay/command.hpp"

#include <algorithm>
#include <tuple>

#include "assay/core/error.hpp"

namespace assay::cli {
namespace {

/// A function's own, as commands register before main begins.
std::vector<Command>& registered() {
  static std::vector<Command> all;
  return all;
}

auto place(const Command& command) {
  return std::tie(command.text.group, command.text.rank, command.text.name);
}

}  // namespace

const std::vector<Command>& commands() { return registered(); }

void register_command(Command command) {
  std::vector<Command>& all = registered();
  const auto same = [&](const Command& other) { return other.text.name == command.text.name; };
  if (std::ranges::any_of(all, same)) throw Error("two commands are called '" + command.text.name + "'");
  const auto after = [](const Command& one, const Command& other) { return place(one) < place(other); };
  all.insert(std::upper_bound(all.begin(), all.end(), command, after), std::move(command));
}

}  // namespace assay::cli
