static_assert(__cplusplus >= 202002L);
#include "main.cpp"
