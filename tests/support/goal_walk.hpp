// The best way to look for a goal on a grid, without beliefs: until the goal is found nothing is learned but
// that it is not where the agent has been, so that a policy is one walk, left as soon as the goal is found.
// What a walk is worth is the mean over goals of what finding each of them at its time is worth. All walks
// are tried, apart from those that cannot beat the best one found.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace assay::test {

class GoalWalk {
 public:
  struct Task {
    int size = 0;
    std::pair<int, int> start;               // row, column
    std::vector<std::pair<int, int>> goals;  // each as likely
    double on_goal = 1, elsewhere = 0;
    int horizon = 1, episodes = 1;
  };

  explicit GoalWalk(const Task& task) : task_(task) {}

  /// The undiscounted Bayes-optimal value.
  double best() {
    found_at_.assign(task_.goals.size(), 0);
    walk(1, task_.start, 0);
    return best_ / static_cast<double>(task_.goals.size());
  }

 private:
  static int distance(std::pair<int, int> a, std::pair<int, int> b) {
    return std::abs(a.first - b.first) + std::abs(a.second - b.second);
  }
  /// What a goal that is first stepped on at step `time` (from 1) pays in all.
  [[nodiscard]] double worth(std::size_t goal, int time) const {
    const int steps = task_.horizon * task_.episodes;
    if (time > steps) return steps * task_.elsewhere;
    const int episode = (time - 1) / task_.horizon;
    const int left = (episode + 1) * task_.horizon - time + 1;
    const int away = std::max(1, distance(task_.start, task_.goals[goal]));
    const int on = std::max(0, task_.horizon - away + 1);
    const double later = on * task_.on_goal + (task_.horizon - on) * task_.elsewhere;
    return (time - 1) * task_.elsewhere + left * task_.on_goal + (task_.episodes - 1 - episode) * later;
  }
  /// The earliest step at which a goal can be stepped on, if the agent is here before step `time`.
  [[nodiscard]] int earliest(std::size_t goal, int time, std::pair<int, int> here) const {
    int episode = (time - 1) / task_.horizon;
    const int due = time - 1 + std::max(1, distance(here, task_.goals[goal]));
    if (due <= (episode + 1) * task_.horizon) return due;
    const int away = std::max(1, distance(task_.start, task_.goals[goal]));
    const int never = task_.horizon * task_.episodes + 1;
    if (away > task_.horizon || ++episode == task_.episodes) return never;
    return episode * task_.horizon + away;
  }
  /// An upper bound of what the goals that have not been found can pay: at most one is found at a step. The
  /// worth of a goal falls with the time, and by the same amount for all goals within an episode.
  [[nodiscard]] double bound(int time, std::pair<int, int> here, std::uint32_t seen) const {
    double sum = 0;
    std::array<int, 32> times{};
    std::size_t count = 0;
    for (std::size_t g = 0; g < task_.goals.size(); ++g) {
      if ((seen >> g & 1U) != 0) continue;
      const int due = earliest(g, time, here);
      sum += worth(g, due);
      times[count++] = due;
    }
    std::sort(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(count));
    const double step = task_.on_goal - task_.elsewhere;  // what one step's delay costs within an episode
    for (std::size_t i = 1; i < count; ++i) {
      // A goal that has to wait until the next episode, or for ever, loses one more step than the last one of
      // this episode, and is not counted there.
      const int end = ((times[i] - 1) / task_.horizon + 1) * task_.horizon;
      const int due = std::min(std::max(times[i], times[i - 1] + 1), end + 1);
      if (times[i] <= task_.horizon * task_.episodes) sum -= step * (due - times[i]);
      times[i] = std::min(due, end);
    }
    return sum;
  }

  void walk(int time, std::pair<int, int> here, std::uint32_t seen) {
    double sure = 0;
    for (std::size_t g = 0; g < task_.goals.size(); ++g) {
      if ((seen >> g & 1U) != 0) sure += worth(g, found_at_[g]);
    }
    const int steps = task_.horizon * task_.episodes;
    const auto everything = static_cast<std::uint32_t>((std::uint64_t{1} << task_.goals.size()) - 1);
    if (time > steps || seen == everything) {
      for (std::size_t g = 0; g < task_.goals.size(); ++g) {
        if ((seen >> g & 1U) == 0) sure += worth(g, steps + 1);
      }
      best_ = std::max(best_, sure);
      return;
    }
    constexpr double kRounding = 1e-9;
    if (sure + bound(time, here, seen) <= best_ + kRounding) return;
    const auto [known, added] = tried_.try_emplace(std::tuple(time, here, seen), sure);
    if (!added && known->second >= sure - kRounding) return;  // a walk that led here was as good
    known->second = sure;
    static constexpr std::array<std::pair<int, int>, 5> kSteps = {{{-1, 0}, {0, 1}, {1, 0}, {0, -1}, {0, 0}}};
    for (const auto& [down, right] : kSteps) {
      std::pair<int, int> there = {here.first + down, here.second + right};
      if (there.first < 0 || there.first >= task_.size || there.second < 0 || there.second >= task_.size) {
        continue;  // as staying
      }
      std::uint32_t after = seen;
      for (std::size_t g = 0; g < task_.goals.size(); ++g) {
        if (task_.goals[g] != there || (seen >> g & 1U) != 0) continue;
        found_at_[g] = time;
        after |= 1U << g;
      }
      walk(time + 1, time % task_.horizon == 0 ? task_.start : there, after);
    }
  }

  Task task_;
  double best_ = -1e300;
  std::vector<int> found_at_;  // [goal]
  std::map<std::tuple<int, std::pair<int, int>, std::uint32_t>, double> tried_;
};

}  // namespace assay::test
