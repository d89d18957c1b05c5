# Install rules and the package that find_package(allograph CONFIG) reads, in the install tree and in the build tree.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_DATADIR}/cmake/allograph)

install(TARGETS allograph EXPORT allograph_targets FILE_SET HEADERS COMPONENT allograph)
install(EXPORT allograph_targets FILE allograph-targets.cmake NAMESPACE allograph:: DESTINATION ${package_dir}
        COMPONENT allograph)
export(EXPORT allograph_targets FILE allograph-targets.cmake NAMESPACE allograph::)

if(TARGET allograph_reference_driver)
  # Its own folder: a libcuda.so.1 among the system's libraries would hide the real driver.
  set_target_properties(allograph_reference_driver PROPERTIES EXPORT_NAME reference_driver)
  target_include_directories(
    allograph_reference_driver INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/reference_driver/include>
                                         $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
  )
  install(TARGETS allograph_reference_driver EXPORT allograph_reference_driver_targets
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/allograph/reference_driver COMPONENT reference_driver)
  install(DIRECTORY reference_driver/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT reference_driver)
  install(EXPORT allograph_reference_driver_targets FILE allograph-reference_driver-targets.cmake
          NAMESPACE allograph:: DESTINATION ${package_dir} COMPONENT reference_driver)
  export(EXPORT allograph_reference_driver_targets FILE allograph-reference_driver-targets.cmake NAMESPACE allograph::)
endif()

configure_package_config_file(cmake/allograph-config.cmake.in allograph-config.cmake INSTALL_DESTINATION ${package_dir}
                              NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(allograph-config-version.cmake COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/allograph-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/allograph-config-version.cmake
        DESTINATION ${package_dir} COMPONENT allograph)
