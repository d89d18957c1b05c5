#pragma once

// Clang's consumed analysis makes a use after move of a token a warning (-Wconsumed). Advisory: members, containers
// and structured bindings escape it, and clang 14 and 16 warn falsely across loops. Never `test_typestate`: it
// crashes clang 14 to 22. These names are the library's own; they change no layout and users need none of them.
#if defined(__clang__) && !defined(__CUDACC__)
#define ALLOGRAPH_DETAIL_CONSUMABLE [[clang::consumable(unconsumed)]]
#define ALLOGRAPH_DETAIL_WHEN_UNCONSUMED [[clang::callable_when("unconsumed", "unknown")]]
#define ALLOGRAPH_DETAIL_RETURNS_UNCONSUMED [[clang::return_typestate(unconsumed)]]
#define ALLOGRAPH_DETAIL_CONSUMES [[clang::return_typestate(consumed)]]
#else
#define ALLOGRAPH_DETAIL_CONSUMABLE
#define ALLOGRAPH_DETAIL_WHEN_UNCONSUMED
#define ALLOGRAPH_DETAIL_RETURNS_UNCONSUMED
#define ALLOGRAPH_DETAIL_CONSUMES
#endif
