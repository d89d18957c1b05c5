# Runs an example and judges it; see allograph_example_test.
execute_process(
  COMMAND ${program} ${arguments}
  RESULT_VARIABLE result
  OUTPUT_VARIABLE output
  ERROR_VARIABLE output
)
message("${output}")
if(output MATCHES "Sanitizer|runtime error:")
  message(FATAL_ERROR "a sanitizer found something")
endif()
if(fails)
  if(NOT result EQUAL 1)
    message(FATAL_ERROR "ended with ${result}, not with 1")
  endif()
elseif(NOT result EQUAL 0)
  message(FATAL_ERROR "ended with ${result}, not with 0")
endif()
foreach(expected IN LISTS fails prints)
  if(expected AND NOT output MATCHES "${expected}")
    message(FATAL_ERROR "did not print '${expected}'")
  endif()
endforeach()
