#pragma once

/// @file
/// The version in numbers; every other copy of it is compared with this one.

#define ALLOGRAPH_VERSION_MAJOR 0  ///< also in the name of the inline namespace
#define ALLOGRAPH_VERSION_MINOR 1  ///< before 1.0 a new one may break
#define ALLOGRAPH_VERSION_PATCH 0  ///< repairs alone
