set(ASSAY_WARNINGS -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor -Werror)
# GCC 12 sees overlaps in std::string's operator+ that are not there (GCC bug 105651); where depends on what it inlines.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  list(APPEND ASSAY_WARNINGS -Wno-restrict)
endif()
