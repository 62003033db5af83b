# Compiles several sources as one where that changes nothing but the time that it takes; join.py says where.
set(ASSAY_JOIN 1 CACHE STRING "How many sources may be compiled as one; 1 compiles each on its own")
if(ASSAY_JOIN GREATER 1)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
endif()

# assay_join(OUT NAME SOURCES...) sets OUT to the files to compile for SOURCES. Those with options, definitions or the property
# SKIP_UNITY_BUILD_INCLUSION of their own stay alone. The properties must be set before.
function(assay_join out name)
  if(NOT ASSAY_JOIN GREATER 1)
    set(${out} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  set(alone "")
  set(together "")
  foreach(source ${ARGN})
    get_source_file_property(skipped ${source} SKIP_UNITY_BUILD_INCLUSION)
    get_source_file_property(options ${source} COMPILE_OPTIONS)
    get_source_file_property(definitions ${source} COMPILE_DEFINITIONS)
    if(skipped OR options OR definitions)
      list(APPEND alone ${source})
    else()
      list(APPEND together ${source})
    endif()
  endforeach()
  set(folder ${CMAKE_BINARY_DIR}/joined)
  set(root ${PROJECT_SOURCE_DIR})
  set(command ${Python3_EXECUTABLE} ${root}/cmake/join.py ${folder} ${name} ${ASSAY_JOIN}
    ${root}/include:${root}/src:${root}/apps:${root}/tests:${root} ${together})
  execute_process(COMMAND ${command} COMMAND_ERROR_IS_FATAL ANY)
  file(STRINGS ${folder}/${name}.txt joined)
  # A changed source may need other groups: then the list changes, and with it what CMake says. The sources are in the file of
  # dependencies: they may vanish.
  add_custom_command(OUTPUT ${folder}/${name}.txt COMMAND ${command} DEPENDS ${root}/cmake/join.py
    DEPFILE ${folder}/${name}.txt.d COMMENT "Joining the sources of ${name}")
  add_custom_target(join_${name} DEPENDS ${folder}/${name}.txt)
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/${name}.txt)
  set(${out} ${joined} ${alone} PARENT_SCOPE)
endfunction()
