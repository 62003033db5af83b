// RegisterFamily, with which the file of a model ends.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "assay/problem/detail/problem_of.hpp"
#include "assay/problem/registry.hpp"

namespace assay {

/// What a model states about itself when it registers.
template <class Settings>
struct FamilyCard {
  std::string name;
  std::string summary;
  Schema<Settings> schema;
  std::vector<std::string> small;
};

/// A static object of this type, in the file of a model, adds the model to the registry.
template <class M, BeliefOver<M> B, class Settings>
struct RegisterFamily {
  explicit RegisterFamily(FamilyCard<Settings> card) {
    const Schema<Settings> schema = card.schema;
    const std::string name = card.name;
    families().add({card.name, card.summary, schema.info(), card.small, [schema, name](const Spec& spec) {
                      const Settings settings = schema.read(spec);
                      return std::make_unique<ProblemOf<M, B>>(schema.text(name, settings), M(settings));
                    }});
  }
};

}  // namespace assay
