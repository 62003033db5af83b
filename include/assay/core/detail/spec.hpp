// `name(key=value,...)`: how a model, a method or an experiment is named everywhere.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay {

struct Spec {
  struct Setting {
    std::string key, value;
  };
  std::string name;
  std::vector<Setting> settings;  // in the order given, keys distinct
};

/// Reads `name`, `name()` or `name(key=value,key=value)`; blanks around the parts are ignored. Throws
/// UsageError with the column of the fault.
Spec parse_spec(std::string_view text);

/// What a thing is called for short: "t_maze" for "t_maze(arm=2)" and for "problems/t_maze.toml#0123abcd".
std::string short_name(std::string_view text);

/// The text on one line, safe to show on a terminal, cut after `longest` bytes: characters that cannot be
/// seen are written as in TOML (\t, \u0007), bytes that are no character as \xff.
std::string printable(std::string_view text, std::size_t longest = 200);

/// The entry of `known` that is closest to `given`, or "" if none is close enough to be a slip of the hand.
std::string nearest_name(std::string_view given, const std::vector<std::string>& known);

/// "unknown KIND 'given'; did you mean 'nearest'? Known: ...".
std::string unknown_name_message(std::string_view kind, std::string_view given,
                                 const std::vector<std::string>& known);

}  // namespace assay
