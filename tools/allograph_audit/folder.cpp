#include "folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace allograph_audit {

folder::folder() noexcept {
    const char* given = std::getenv("ALLOGRAPH_AUDIT");
    if (given == nullptr || given[0] == '\0') {
        return;
    }
    std::size_t at = 0;
    if (given[0] != '/') {
        if (getcwd(path_, sizeof path_ - 1) == nullptr) {
            path_[0] = '\0';
            return;
        }
        at = std::strlen(path_);
        path_[at++] = '/';
    }
    const std::size_t size = std::strlen(given);
    if (at + size >= sizeof path_) {
        path_[0] = '\0';
        return;
    }
    std::memcpy(path_ + at, given, size + 1);
}

bool folder::claim(const std::string& name) const noexcept { return open_and_write(name.c_str(), O_EXCL, nullptr, 0); }

bool folder::write(const std::string& name, const std::string& text) const noexcept {
    return open_and_write(name.c_str(), O_TRUNC, text.data(), text.size());
}

bool folder::add_line(const char* file, const std::string& line) const noexcept {
    return open_and_write(file, O_APPEND, line.data(), line.size());  // one write: lines of others do not get in between
}

bool folder::open_and_write(const char* name, int flags, const char* text, std::size_t bytes) const noexcept {
    char path[sizeof path_ + 256];
    const std::size_t size = std::strlen(path_);
    const std::size_t name_size = std::strlen(name);
    if (name_size >= 255) {
        return false;
    }
    std::memcpy(path, path_, size);
    path[size] = '/';
    std::memcpy(path + size + 1, name, name_size + 1);
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
    if (file < 0 && errno == ENOENT && mkdir(path_, 0777) == 0) {
        file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
    }
    if (file < 0) {
        return false;
    }
    bool whole = true;
    while (bytes != 0 && whole) {
        const ssize_t written = ::write(file, text, bytes);
        if (written >= 0) {
            text += written;
            bytes -= static_cast<std::size_t>(written);
        } else {
            whole = errno == EINTR;
        }
    }
    return close(file) == 0 && whole;
}

}  // namespace allograph_audit
