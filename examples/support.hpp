#pragma once

// What the examples have in common besides their kernels: options, the message of a failure, and relaunches.

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <allograph/allograph.hpp>

namespace example {

/// Anything that is wrong with what the user gave.
struct bad_input : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The words of a command line: options are taken out, the rest is left.
class arguments {
public:
    arguments(int count, char** words) : words_(words + (count > 0 ? 1 : 0), words + count) {}

    /// The word that follows `option`, if that is there. @throws bad_input where no word follows
    [[nodiscard]] std::optional<std::string> take(std::string_view option) {
        for (auto at = words_.begin(); at != words_.end(); ++at) {
            if (*at == option) {
                if (at + 1 == words_.end()) {
                    throw bad_input(*at + " needs a value behind it");
                }
                std::string value = *(at + 1);
                words_.erase(at, at + 2);
                return value;
            }
        }
        return std::nullopt;
    }
    /// A whole number from 1 on. @throws bad_input for anything else
    [[nodiscard]] std::size_t take_count(std::string_view option, std::size_t otherwise, std::size_t most) {
        const std::optional<std::string> text = take(option);
        return text ? count_of(*text, std::string(option), most) : otherwise;
    }
    /// A number above 0 and below 1. @throws bad_input for anything else
    [[nodiscard]] double take_fraction(std::string_view option, double otherwise) {
        const std::optional<std::string> text = take(option);
        if (!text) {
            return otherwise;
        }
        double value = 0;
        const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
        if (error != std::errc{} || end != text->data() + text->size() || !(value > 0 && value < 1)) {
            throw bad_input(std::string(option) + " is a number between 0 and 1, not '" + *text + "'");
        }
        return value;
    }
    static std::size_t count_of(std::string_view text, const std::string& what, std::size_t most) {
        std::size_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size() || value < 1 || value > most) {
            throw bad_input(what + " is a whole number from 1 to " + std::to_string(most) + ", not '" + std::string(text) + "'");
        }
        return value;
    }

    /// What is left. @throws bad_input for options that nobody took
    [[nodiscard]] const std::vector<std::string>& rest() const {
        for (const std::string& word : words_) {
            if (word.size() > 1 && word[0] == '-') {
                throw bad_input("there is no option " + word);
            }
        }
        return words_;
    }

private:
    std::vector<std::string> words_;
};

/// Launches `count` times, the first time included, and compares the graph memory in use after the first and after the last.
/// @param launch  launches on the stream, looks at the results and lets go of them
/// @return true where both figures are the same
template <class Launch>
[[nodiscard]] bool relaunch(std::size_t count, const allograph::stream& stream, Launch&& launch,
                            allograph::device where = allograph::device{0}) {
    const allograph::graph_memory memory(where);
    launch();
    stream.synchronize();  // what was let go of is free then
    const std::uint64_t first = memory.used();
    for (std::size_t i = 1; i < count; ++i) {
        launch();
    }
    stream.synchronize();
    const std::uint64_t last = memory.used();
    std::printf("graph memory in use: %llu bytes after the first launch, %llu after launch %zu\n",
                static_cast<unsigned long long>(first), static_cast<unsigned long long>(last), count);
    return first == last;
}

/// Runs an example; what it throws becomes one message.
/// @param body  gets the `arguments`, returns what `main` does
template <class Body>
int run(const char* name, int count, char** words, Body&& body) {
    try {
        arguments given(count, words);
        return body(given);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", name, error.what());
        return 1;
    }
}

}  // namespace example
