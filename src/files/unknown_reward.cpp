#include "files/unknown_reward.hpp"

#include <fmt/format.h>

#include <array>

namespace assay::files {
namespace {

constexpr int kMostLooked = 100;

/// The two numbers of an array.
std::array<double, 2> read_pair(TableReader& reader, const char* key, const char* example, double low,
                                double high) {
  const toml::node& node = reader.need(key, example);
  const toml::array* array = node.as_array();
  std::array<double, 2> pair{};
  const bool two = array != nullptr && array->size() == 2;
  for (std::size_t i = 0; two && i < 2; ++i) {
    const toml::node& each = *array->get(i);
    if (!each.is_number()) reader.fail(each, fmt::format("{}: for example {}", reader.what(), example));
    pair[i] = *each.value<double>();
    if (!(pair[i] >= low && pair[i] <= high)) {
      reader.fail(each, fmt::format("{}: {} is out of range; it is from {} to {}", reader.what(), pair[i],
                                    low, high));
    }
  }
  if (!two)
    reader.fail(node, fmt::format("{}: {} has two numbers; for example {}", reader.what(), key, example));
  return pair;
}

UnknownReward read_beta(TableReader& reader, const toml::table& table, double amount) {
  TableReader chance(table, reader.where(), reader.what() + ", chance");
  const auto [a, b] = read_pair(chance, "beta", "beta = [1, 3]", 0.01, 1e4);
  chance.finish();
  UnknownReward unknown;
  unknown.law = UnknownReward::Law::kBernoulli;
  unknown.amount = amount;
  unknown.a = a;
  unknown.b = b;
  return unknown;
}

UnknownReward read_normal(TableReader& reader, const toml::table& table) {
  TableReader reward(table, reader.where(), reader.what() + ", reward");
  const auto [mean, deviation] = read_pair(reward, "normal", "normal = [0, 2]", -1e6, 1e6);
  UnknownReward unknown;
  unknown.law = UnknownReward::Law::kNormal;
  unknown.mean = mean;
  unknown.deviation = deviation;
  unknown.noise = reward.number("noise", 1, 0, 1e6);
  reward.finish();
  if (!(deviation > 0)) {
    reward.fail(*reward.find("normal"), fmt::format("{}: a deviation of {}; it is positive, or the reward "
                                                    "would be known",
                                                    reward.what(), deviation));
  }
  return unknown;
}

}  // namespace

void read_reward(TableReader& reader, ReadReward& reward) {
  const toml::node* amount = reader.find("reward");
  const toml::node* chance = reader.find("chance");
  if (amount != nullptr && amount->is_table()) {
    if (chance != nullptr) {
      reader.fail(*chance, reader.what() + ": a chance besides an unknown reward; one of the two is unknown");
    }
    reward.unknown = read_normal(reader, *amount->as_table());
  } else if (chance != nullptr && chance->is_table()) {
    reward.unknown =
        read_beta(reader, *chance->as_table(), reader.number("reward", 1, -kMostReward, kMostReward));
  } else {
    if (amount != nullptr || chance != nullptr) reward.unknown.reset();
    reward.reward = reader.number("reward", reward.reward, -kMostReward, kMostReward);
    reward.chance = reader.number("chance", reward.chance, 0, 1);
  }
  reward.looks = static_cast<int>(reader.integer("looks", reward.looks, 0, kMostLooked));
  if (reward.looks > 0 && reward.normal()) {
    reader.fail(
        reader.place("looks"),
        reader.what() + ": looks at a normal reward; only a chance = { beta = ... } can be looked at");
  }
}

}  // namespace assay::files
