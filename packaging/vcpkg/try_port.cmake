# Runs the port's steps without vcpkg: cmake -D ROOT=<sources> -D WORK=<folder> -P try_port.cmake
# Stands in for vcpkg's functions as far as a header-only port needs them: the files end where vcpkg would put them.
# vcpkg's own checks of the result, its download step and its triplets are not exercised.
cmake_minimum_required(VERSION 3.24)

set(PORT allograph)
set(CURRENT_PACKAGES_DIR ${WORK}/packages)
set(build_dir ${WORK}/build)
file(REMOVE_RECURSE ${WORK})

function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${arg_SOURCE_PATH} -B ${build_dir} -G Ninja -DCMAKE_BUILD_TYPE=Release
                          -DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR} ${arg_OPTIONS}
                  COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(vcpkg_cmake_install)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${build_dir} --target install COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "CONFIG_PATH" "")
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
