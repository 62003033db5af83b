set(ASSAY_WARNINGS -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor -Werror)
# GCC 12 sees overlaps and overflows in std::string that are not there (GCC bug 105651); where depends on what it inlines. The
# sanitizers look for real ones.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  list(APPEND ASSAY_WARNINGS -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow)
endif()
