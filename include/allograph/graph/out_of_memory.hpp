#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include <allograph/model/device.hpp>
#include <allograph/model/misuse.hpp>

namespace allograph {
inline namespace v0 {

/// A launch or upload that the device has no memory for, refused before the driver was called: a driver that is let
/// try fails and never gives the device's memory back to the process (rule M2). Nothing was launched.
class out_of_memory : public std::runtime_error {
public:
    /// @param needed,available  in bytes
    /// @param where             the line of the launch or upload
    out_of_memory(device which, std::uint64_t needed, std::uint64_t available, source_line where)
        : std::runtime_error(
              "allograph: [M2] this graph takes " + std::to_string(needed) + " bytes of device " + std::to_string(which.ordinal) +
              ", which has " + std::to_string(available) + " left for it" +
              (where.known() ? "\n  launched   " + detail::line_text(where) : std::string()) +
              "\n  fix: free memory, trim the graph memory that nobody uses, or plan the program into fewer bytes"),
          which_(which), needed_(needed), available_(available) {}

    /// The device that has too little.
    [[nodiscard]] device which() const noexcept { return which_; }
    /// Bytes that the graph takes, in whole chunks.
    [[nodiscard]] std::uint64_t needed() const noexcept { return needed_; }
    /// Bytes that the device could still give it.
    [[nodiscard]] std::uint64_t available() const noexcept { return available_; }

private:
    device which_;
    std::uint64_t needed_;
    std::uint64_t available_;
};

}  // namespace v0
}  // namespace allograph
