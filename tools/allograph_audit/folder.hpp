#pragma once

#include <cstddef>
#include <string>

namespace allograph_audit {

/// Where reports go. All that it does fails in silence: the process that is audited has no part in it.
class folder {
public:
    /// Reads ALLOGRAPH_AUDIT, a folder's path. A relative one is of the working directory of this moment.
    folder() noexcept;

    /// Whether there is one.
    [[nodiscard]] bool given() const noexcept { return path_[0] != '\0'; }

    /// Makes an empty file, and the folder if it has to. @return false where it cannot, and where the file exists
    bool claim(const std::string& name) const noexcept;

    /// @return whether the file was written
    bool write(const std::string& name, const std::string& text) const noexcept;

    /// Adds a line to a file that processes and threads share.
    bool add_line(const char* file, const std::string& line) const noexcept;

private:
    bool open_and_write(const char* name, int flags, const char* text, std::size_t bytes) const noexcept;

    char path_[4096] = {};
};

}  // namespace allograph_audit
