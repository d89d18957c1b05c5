set(VCPKG_BUILD_TYPE release) # header-only

# An overlay of the source tree that it stands in.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        -DALLOGRAPH_BUILD_TESTS=OFF
        -DALLOGRAPH_BUILD_EXAMPLES=OFF
        -DALLOGRAPH_BUILD_BENCHMARKS=OFF
        -DALLOGRAPH_BUILD_REFERENCE_DRIVER=OFF
        -DALLOGRAPH_BUILD_TOOLS=OFF
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/allograph)

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/lib")

file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
