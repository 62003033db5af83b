#include "assay/command.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "problem/loading.hpp"

namespace assay::cli {
namespace {

/// The list is local to a function because commands register before main begins.
std::vector<Command>& registered() {
  static std::vector<Command> all;
  return all;
}

/// Is this a name that can be typed: small letters, then also digits, '_' and '-'?
bool is_name(std::string_view name) {
  return !name.empty() && name.front() >= 'a' && name.front() <= 'z' &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == std::string_view::npos;
}

auto place(const Command& command) {
  return std::tie(command.text.group, command.text.rank, command.text.name);
}

}  // namespace

const std::vector<Command>& commands() { return registered(); }

void register_command(Command command) {
  std::vector<Command>& all = registered();
  const auto same = [&](const Command& other) { return other.text.name == command.text.name; };
  if (command.text.name == "help" || std::ranges::any_of(all, same)) {
    return detail::complain_of_registration("a command called '" + command.text.name +
                                            "' is registered already");
  }
  if (!is_name(command.text.name)) {
    return detail::complain_of_registration("'" + command.text.name +
                                            "' cannot be the name of a command: a name has small letters, "
                                            "then also digits, '_' and '-'");
  }
  const auto after = [](const Command& one, const Command& other) { return place(one) < place(other); };
  all.insert(std::upper_bound(all.begin(), all.end(), command, after), std::move(command));
  detail::count_registration();
}

}  // namespace assay::cli
