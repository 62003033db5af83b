// Families, methods and commands from a shared object.
#pragma once

#include <string>

namespace assay {

/// Loads the shared object for the rest of the process: the families, methods and commands that register
/// themselves in it are then known like all others. Loading it a second time does nothing. Throws UsageError
/// if the file does not exist, is no shared object, was built against another version of assay, registers
/// nothing, or registers a name that is taken.
void load_object(const std::string& path);

}  // namespace assay
