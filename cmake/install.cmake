# `cmake --install build/release --prefix DIR`, then `find_package(assay)` with DIR in CMAKE_PREFIX_PATH.
include(CMakePackageConfigHelpers)

set(ASSAY_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/assay)
install(TARGETS assay EXPORT assayTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS assay_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/assay DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# What a command in a shared object includes.
install(FILES ${PROJECT_SOURCE_DIR}/apps/assay/cli.hpp ${PROJECT_SOURCE_DIR}/apps/assay/command.hpp
  ${PROJECT_SOURCE_DIR}/apps/assay/options.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/assay)
install(EXPORT assayTargets NAMESPACE assay:: DESTINATION ${ASSAY_CMAKE_DIR})

file(WRITE ${CMAKE_BINARY_DIR}/assayConfig.cmake
"include(\${CMAKE_CURRENT_LIST_DIR}/assayTargets.cmake)
")
write_basic_package_version_file(${CMAKE_BINARY_DIR}/assayConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/assayConfig.cmake ${CMAKE_BINARY_DIR}/assayConfigVersion.cmake
  DESTINATION ${ASSAY_CMAKE_DIR})
