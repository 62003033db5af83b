#include "report/page_template.hpp"

// The assembler puts the file in as it is: the compiler need not read a hundred thousand characters.
// NOLINTBEGIN(hicpp-no-assembler)
asm(R"(
  .section .rodata
  .hidden assay_page_begin
  .hidden assay_page_end
  .global assay_page_begin
  .global assay_page_end
assay_page_begin:
  .incbin ")" ASSAY_PAGE_TEMPLATE R"("
assay_page_end:
  .byte 0
  .previous
)");
// NOLINTEND(hicpp-no-assembler)

extern "C" {
[[gnu::visibility("hidden")]] extern const char assay_page_begin[];  // NOLINT(modernize-avoid-c-arrays)
[[gnu::visibility("hidden")]] extern const char assay_page_end[];    // NOLINT(modernize-avoid-c-arrays)
}

namespace assay {

std::string_view page_template() { return {assay_page_begin, assay_page_end}; }

}  // namespace assay
