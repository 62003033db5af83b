// The registry finds families and methods by name. They register themselves in their own files.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/core/detail/spec.hpp"
#include "assay/core/error.hpp"
#include "assay/core/parameters.hpp"
#include "assay/problem/method.hpp"
#include "assay/problem/problem.hpp"

namespace assay {

/// What is registered: a name, parameters, and how the thing is made.
template <class Made>
struct Entry {
  std::string name;
  std::string summary;
  std::vector<ParameterInfo> parameters;
  std::vector<std::string> small;  // specs small enough to be enumerated, for the conformance tests
  std::function<std::unique_ptr<Made>(const Spec&)> make;
};

/// The names of one kind ("family", "method"), sorted.
template <class Made>
class Registry {
 public:
  explicit Registry(std::string kind) : kind_(std::move(kind)) {}

  void add(Entry<Made> entry);
  [[nodiscard]] const std::vector<Entry<Made>>& entries() const { return entries_; }
  /// Throws UsageError that names the nearest known name.
  [[nodiscard]] const Entry<Made>& find(std::string_view name) const;
  /// Makes what `name(key=value,...)` describes. The name precedes error messages.
  [[nodiscard]] std::unique_ptr<Made> make(std::string_view text) const;

 private:
  std::string kind_;
  std::vector<Entry<Made>> entries_;
};

extern template class Registry<Problem>;
extern template class Registry<Method>;

Registry<Problem>& families();
Registry<Method>& methods();

/// Where problems come from that are not families with names: files.
struct ProblemLoader {
  std::function<bool(std::string_view)> knows;
  std::function<std::unique_ptr<Problem>(const std::string&)> load;
};
void set_problem_loader(ProblemLoader loader);

/// A problem from the name of a family or of a problem file.
std::unique_ptr<Problem> make_problem(std::string_view text);
inline std::unique_ptr<Method> make_method(std::string_view text) { return methods().make(text); }

template <class M, class Settings>
struct RegisterMethod {
  RegisterMethod(const std::string& name, const std::string& summary, const Schema<Settings>& schema) {
    // For the conformance tests, a method need not learn much.
    bool learns = false;
    for (const ParameterInfo& parameter : schema.info()) learns = learns || parameter.name == "epochs";
    const std::string small = learns ? name + "(epochs=2)" : name;
    methods().add({name, summary, schema.info(), {small}, [schema, name](const Spec& spec) {
                     const Settings settings = schema.read(spec);
                     auto method = std::make_unique<M>(settings);
                     method->set_name(schema.text(name, settings));
                     return method;
                   }});
  }
};

}  // namespace assay
