// Estimators by their names.
#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "assay/cashing/cashing.hpp"
#include "assay/core/error.hpp"

namespace assay {
namespace {

TEST(EstimatorNames, GoRoundTrip) {
  EXPECT_EQ(estimator_names().size(), std::variant_size_v<Estimator>);
  for (const std::string& name : estimator_names()) EXPECT_EQ(estimator_name(estimator_named(name, 7)), name);
  EXPECT_EQ(std::get<Crossed>(estimator_named("crossed", 7)).plans, 7);
  EXPECT_EQ(std::get<Paired>(estimator_named("paired", 7)).pairs, 7);
  EXPECT_EQ(std::get<Linear>(estimator_named("linear", 7)).plans, 7);
  EXPECT_EQ(std::get<MeanPlan>(estimator_named("mean", 7)).draws, 7);
  EXPECT_EQ(std::get<BestPlan>(estimator_named("best", 7)).plans, 7);
}

TEST(EstimatorNames, AreListedWhereOneIsUnknown) {
  std::string said;
  try {
    estimator_named("pared", 7);
  } catch (const UsageError& error) {
    said = error.what();
  }
  EXPECT_NE(said.find("unknown estimator 'pared'; did you mean 'paired'?"), std::string::npos) << said;
  for (const std::string& name : estimator_names()) EXPECT_NE(said.find(name), std::string::npos) << name;
}

}  // namespace
}  // namespace assay
