// The meaning of the letters of a map.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "files/problem_parts.hpp"
#include "files/unknown_reward.hpp"

namespace assay::files {

struct MapLetter {
  std::string name;
  ReadReward pays;     // on arrival
  bool once = false;   // is it paid, and the cue shown, on the first arrival only?
  double leaving = 0;  // paid for every action there
  bool start = false;
  double weight = 1;  // of the start
  bool wall = false;
  bool terminal = false;
  char teleport = 0;
  std::map<std::string, std::string> signs;  // environment -> what the cue shows there; empty: no cue
  double accuracy = 1;
  bool shows_rewards = false;  // looks at every unknown reward
};

using MapLegend = std::map<char, MapLetter>;

/// Reads a legend, which `what` names in messages. It changes only what it mentions.
void read_legend(const toml::table& table, const std::string& where, const std::string& what,
                 const std::vector<NamedEnvironment>& environments, MapLegend& legend,
                 std::vector<std::string>& warnings);

}  // namespace assay::files
