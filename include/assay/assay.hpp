// All of assay that is public, except assay/problem/register_family.hpp: whoever registers a family includes
// that, too. It has the templates that are compiled for each model, and so takes longer to compile.
#pragma once

#include "assay/advice/explanation.hpp"
#include "assay/advice/solution.hpp"
#include "assay/beliefs/beta.hpp"
#include "assay/beliefs/finite.hpp"
#include "assay/cashing/cashing.hpp"
#include "assay/core/belief.hpp"
#include "assay/core/episode.hpp"
#include "assay/core/error.hpp"
#include "assay/core/model.hpp"
#include "assay/core/policy.hpp"
#include "assay/core/rng.hpp"
#include "assay/families/builders.hpp"
#include "assay/lab/evaluation.hpp"
#include "assay/problem/method.hpp"
#include "assay/problem/problem.hpp"
#include "assay/problem/registry.hpp"
#include "assay/solver/exact_solution.hpp"
#include "assay/testing/conformance.hpp"
