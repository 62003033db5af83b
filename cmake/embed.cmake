# The experiments' data files go into the tool as they are: the assembler puts them into a source file that is written here.
file(GLOB ASSAY_EXPERIMENTS CONFIGURE_DEPENDS experiments/*.toml)
set(ASSAY_EMBEDDED ${CMAKE_BINARY_DIR}/embedded_experiments.cpp)
set(symbols "")
set(declarations "")
set(entries "")
foreach(file ${ASSAY_EXPERIMENTS})
  get_filename_component(name ${file} NAME_WE)
  string(MAKE_C_IDENTIFIER "kAssayExperiment_${name}" symbol)
  string(APPEND symbols "  .hidden ${symbol}\n  .hidden ${symbol}_end\n  .global ${symbol}\n  .global ${symbol}_end\n"
    "${symbol}:\n  .incbin \"${file}\"\n${symbol}_end:\n  .byte 0\n")
  string(APPEND declarations "[[gnu::visibility(\"hidden\")]] extern const char ${symbol}[];\n"
    "[[gnu::visibility(\"hidden\")]] extern const char ${symbol}_end[];\n")
  string(APPEND entries "      {\"${name}\", {${symbol}, ${symbol}_end}},\n")
endforeach()
file(CONFIGURE OUTPUT ${ASSAY_EMBEDDED} CONTENT [=[
#include "experiments/embedded.hpp"

asm(R"(
  .section .rodata
@symbols@  .previous
)");

// NOLINTBEGIN(readability-identifier-naming): the names are those of the files
extern "C" {
@declarations@}
// NOLINTEND(readability-identifier-naming)

namespace assay::experiments {

const std::vector<EmbeddedFile>& embedded_files() {
  static const std::vector<EmbeddedFile> all = {
@entries@  };
  return all;
}

}  // namespace assay::experiments
]=] @ONLY)
set_source_files_properties(${ASSAY_EMBEDDED} PROPERTIES OBJECT_DEPENDS "${ASSAY_EXPERIMENTS}")
