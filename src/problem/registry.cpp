#include "assay/problem/registry.hpp"

#include <algorithm>

#include "problem/loading.hpp"
#include "problem/problem_identity.hpp"

namespace assay {

template <class Made>
void Registry<Made>::add(Entry<Made> entry) {
  const auto place = std::ranges::lower_bound(entries_, entry.name, {}, &Entry<Made>::name);
  if (place != entries_.end() && place->name == entry.name) {
    return detail::complain_of_registration("a " + kind_ + " called '" + entry.name +
                                            "' is registered already");
  }
  entries_.insert(place, std::move(entry));
  detail::count_registration();
}

template <class Made>
const Entry<Made>& Registry<Made>::find(std::string_view name) const {
  const auto place = std::ranges::lower_bound(entries_, name, {}, &Entry<Made>::name);
  if (place != entries_.end() && place->name == name) return *place;
  std::vector<std::string> known;
  for (const auto& entry : entries_) known.push_back(entry.name);
  throw UsageError(unknown_name_message(kind_, name, known));
}

template <class Made>
std::unique_ptr<Made> Registry<Made>::make(std::string_view text) const {
  const Spec spec = parse_spec(text);
  const Entry<Made>& entry = find(spec.name);
  try {
    return entry.make(spec);
  } catch (const UsageError& error) {
    throw UsageError(spec.name + ": " + error.what());
  }
}

template class Registry<Problem>;
template class Registry<Method>;

// These are functions and not globals, because registration runs before main, in an unspecified order.
Registry<Problem>& families() {
  static Registry<Problem> registry("family");
  return registry;
}

Registry<Method>& methods() {
  static Registry<Method> registry("method");
  return registry;
}

namespace {
ProblemLoader& problem_loader() {
  static ProblemLoader loader;
  return loader;
}
}  // namespace

void set_problem_loader(ProblemLoader loader) { problem_loader() = std::move(loader); }

bool is_problem_file(std::string_view name) {
  const ProblemLoader& loader = problem_loader();
  return loader.knows && loader.knows(name);
}

std::unique_ptr<Problem> make_problem(std::string_view text) {
  if (is_problem_file(text)) return problem_loader().load(std::string(text));
  // The name of a family has no dot.
  if (problem_loader().knows && text.substr(0, text.find('(')).find('.') != std::string_view::npos) {
    const std::string given = printable(text);
    throw UsageError("'" + given +
                     "' is no family, and problem files end in .toml: rename the file, or name it with its "
                     "folder, as in ./" +
                     given);
  }
  return families().make(text);
}

std::string problem_identity(std::string_view name) {
  const std::size_t mark = name.rfind('#');
  return std::string(is_problem_file(name) && mark != std::string_view::npos ? name.substr(mark) : name);
}

}  // namespace assay
