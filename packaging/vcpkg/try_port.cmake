# Runs the port's steps without vcpkg: cmake -D ROOT=<sources> -D WORK=<folder> -P try_port.cmake
# Stands in for vcpkg's functions as far as a header-only port needs them: the files end where vcpkg would put them, and
# what vcpkg checks of such a package afterwards is checked here. Here it ends: vcpkg itself, its triplets, the ports that
# this one depends on and a download of the sources (the port takes the tree that it stands in) are not exercised.
cmake_minimum_required(VERSION 3.24)

set(PORT allograph)
set(CURRENT_PACKAGES_DIR ${WORK}/packages)
set(build_dir ${WORK}/build)
file(REMOVE_RECURSE ${WORK})

function(refuse_unknown name)
  if(ARGN)
    message(FATAL_ERROR "${name} has no arguments ${ARGN}")
  endif()
endfunction()

function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
  refuse_unknown(vcpkg_cmake_configure ${arg_UNPARSED_ARGUMENTS})
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${arg_SOURCE_PATH} -B ${build_dir} -G Ninja -DCMAKE_BUILD_TYPE=Release
                          -DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR} ${arg_OPTIONS}
                  COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(vcpkg_cmake_install)
  refuse_unknown(vcpkg_cmake_install ${ARGN})
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${build_dir} --target install COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "CONFIG_PATH" "")
  refuse_unknown(vcpkg_cmake_config_fixup ${arg_UNPARSED_ARGUMENTS})
  file(GLOB files ${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/*)
  if(NOT files)
    message(FATAL_ERROR "no package config in ${arg_CONFIG_PATH}")
  endif()
  file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/share/${PORT})
  file(MAKE_DIRECTORY ${CURRENT_PACKAGES_DIR}/share/${PORT})
  foreach(file ${files})
    cmake_path(GET file FILENAME name)
    file(READ ${file} text)
    # The prefix is one folder nearer than before.
    string(REPLACE "\${CMAKE_CURRENT_LIST_DIR}/../../../" "\${CMAKE_CURRENT_LIST_DIR}/../../" text "${text}")
    string(REPLACE "get_filename_component(_IMPORT_PREFIX \"\${_IMPORT_PREFIX}\" PATH)\nget_filename_component(_IMPORT_PREFIX \"\${_IMPORT_PREFIX}\" PATH)"
                   "get_filename_component(_IMPORT_PREFIX \"\${_IMPORT_PREFIX}\" PATH)" text "${text}")
    file(WRITE ${CURRENT_PACKAGES_DIR}/share/${PORT}/${name} "${text}")
  endforeach()
  file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH})
endfunction()

function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FILE_LIST")
  refuse_unknown(vcpkg_install_copyright ${arg_UNPARSED_ARGUMENTS})
  file(INSTALL ${arg_FILE_LIST} DESTINATION ${CURRENT_PACKAGES_DIR}/share/${PORT} RENAME copyright)
endfunction()

file(READ ${ROOT}/packaging/vcpkg/allograph/vcpkg.json manifest)
string(JSON version GET "${manifest}" version)
include(${ROOT}/packaging/vcpkg/allograph/portfile.cmake)

foreach(file include/allograph/version.hpp share/allograph/allograph-config.cmake share/allograph/copyright share/allograph/usage)
  if(NOT EXISTS ${CURRENT_PACKAGES_DIR}/${file})
    message(FATAL_ERROR "the port installs no ${file}")
  endif()
endforeach()
file(STRINGS ${CURRENT_PACKAGES_DIR}/share/allograph/allograph-config-version.cmake installed REGEX "set\\(PACKAGE_VERSION \"")
if(NOT installed MATCHES "\"${version}\"")
  message(FATAL_ERROR "vcpkg.json says ${version}; the package says ${installed}")
endif()

# What vcpkg refuses after a build.
foreach(path lib bin debug share/cmake)
  if(EXISTS ${CURRENT_PACKAGES_DIR}/${path})
    message(FATAL_ERROR "the port of a header-only library leaves ${path}")
  endif()
endforeach()
file(GLOB_RECURSE entries LIST_DIRECTORIES true ${CURRENT_PACKAGES_DIR}/*)
foreach(entry ${entries})
  if(IS_DIRECTORY ${entry})
    file(GLOB inside ${entry}/*)
    if(NOT inside)
      message(FATAL_ERROR "the port leaves an empty folder, ${entry}")
    endif()
  else()
    file(READ ${entry} text)
    foreach(folder ${ROOT} ${WORK})
      string(FIND "${text}" "${folder}/" found)
      if(NOT found EQUAL -1)
        message(FATAL_ERROR "${entry} names a folder of the machine that built it, ${folder}")
      endif()
    endforeach()
  endif()
endforeach()
