#include "report/page_template.hpp"

// The assembler includes the file as it is, so that the compiler need not read a hundred thousand
// characters.
// NOLINTBEGIN(hicpp-no-assembler)
asm(R"(
  .section .rodata
  .hidden kAssayPageBegin
  .hidden kAssayPageEnd
  .global kAssayPageBegin
  .global kAssayPageEnd
kAssayPageBegin:
  .incbin ")" ASSAY_PAGE_TEMPLATE R"("
kAssayPageEnd:
  .byte 0
  .previous
)");
// NOLINTEND(hicpp-no-assembler)

extern "C" {
[[gnu::visibility("hidden")]] extern const char kAssayPageBegin[];  // NOLINT(modernize-avoid-c-arrays)
[[gnu::visibility("hidden")]] extern const char kAssayPageEnd[];    // NOLINT(modernize-avoid-c-arrays)
}

namespace assay {

std::string_view page_template() { return {kAssayPageBegin, kAssayPageEnd}; }

}  // namespace assay
