// A plan as text and as a picture.

#include <cstddef>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <allograph/model/program_plan.hpp>

#include "plan_programs.hpp"

namespace ag = allograph;
using namespace plan_test;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr const char* awkward = "<&>\"'\\n\\ \n\t\r\x01\xff\xc3\xa9";

ag::memory_plan sample() {
    return ag::plan([](auto& g) {
        auto x = g.template add_alloc<float>(1000, ag::named(awkward));
        auto y = g.template add_alloc<double>(ag::after(x), 300);
        auto gone = g.add_free(ag::after(y), std::move(x));
        auto z = g.template add_alloc<float>(ag::after(gone), 10, ag::named("z"));
        g.add_free(ag::after(z), std::move(y));
        g.add_free(ag::after(z), std::move(z));
    });
}

std::string error_of(const std::string& text) {
    try {
        (void)ag::memory_plan::load(text);
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "none";
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    const std::size_t at = text.find(what);
    REQUIRE(at != std::string::npos);
    return text.replace(at, what.size(), by);
}

/// What is wrong with a text as XML, or nothing: tags nest, attributes are quoted, no bare & or <.
std::string xml_trouble(const std::string& xml) {
    std::vector<std::string> open;
    bool root = false;
    for (std::size_t i = 0; i < xml.size(); ++i) {
        const auto c = static_cast<unsigned char>(xml[i]);
        if (c < 0x20 && c != '\n' && c != '\t') {
            return "a control character";
        }
        if (c == '&') {
            const std::size_t end = xml.find(';', i);
            const std::string name = xml.substr(i + 1, end - i - 1);
            if (name != "lt" && name != "gt" && name != "amp" && name != "quot") {
                return "a bare &";
            }
        }
        if (c != '<') {
            if (open.empty() && c != '\n') {
                return "text outside of the root";
            }
            continue;
        }
        const std::size_t end = xml.find('>', i);
        if (end == std::string::npos) {
            return "an open <";
        }
        std::string tag = xml.substr(i + 1, end - i - 1);
        if (tag.find('<') != std::string::npos) {
            return "a < in a tag";
        }
        std::size_t quotes = 0;
        for (const char q : tag) {
            quotes += q == '"' ? 1 : 0;
        }
        if (quotes % 2 != 0) {
            return "an open quote";
        }
        if (tag.front() == '/') {
            if (open.empty() || open.back() != tag.substr(1)) {
                return "a wrong end: " + tag;
            }
            open.pop_back();
        } else {
            if (open.empty() && root) {
                return "two roots";
            }
            root = true;
            if (tag.back() != '/') {
                open.push_back(tag.substr(0, tag.find(' ')));
            }
        }
        i = end;
    }
    return open.empty() && root ? "" : "an open element";
}

std::size_t count_of(const std::string& text, const std::string& what) {
    std::size_t count = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
        ++count;
    }
    return count;
}

}  // namespace

TEST_CASE("a saved plan comes back as it was", "[plan]") {
    const ag::memory_plan plan = sample();
    const ag::memory_plan again = ag::memory_plan::load(plan.save());
    CHECK(again.save() == plan.save());
    CHECK(again.text() == plan.text());
    CHECK(again.svg() == plan.svg());
    CHECK(again.allocations()[0].label == awkward);
    CHECK(std::string(again.allocated_at(1).file) == __FILE__);
    CHECK(again.allocated_at(1).line == plan.allocated_at(1).line);
    CHECK(again.freed_at(1).line == plan.freed_at(1).line);
    CHECK(again.lower_bound() == plan.lower_bound());
    CHECK(again.optimal() == plan.optimal());
    std::string windows;
    for (const char c : plan.save()) {
        windows += c == '\n' ? "\r\n" : std::string(1, c);
    }
    CHECK(ag::memory_plan::load(windows).save() == plan.save());
}

TEST_CASE("a text that is no plan is refused with the line and what is wrong there", "[plan]") {
    const std::string good = sample().save();
    const auto check = [](const std::string& text, const char* line, const char* what) {
        const std::string error = error_of(text);
        CHECK_THAT(error, ContainsSubstring("allograph: a saved plan, line " + std::string(line)));
        CHECK_THAT(error, ContainsSubstring(what));
    };
    check("", "0", "starts with the line 'allograph plan 1'");
    check("allograph plan 2\n", "1", "starts with");
    check("allograph plan 1\n", "1", "stops before its end");
    check("allograph plan 1\narena 0 1 1 1 1\n", "2", "'program' comes second");
    check("allograph plan 1\nprogram 1 1 511 0\nend\n", "2", "no power of two");
    check("allograph plan 1\nprogram 1 1 512\nend\n", "2", "the excess is no whole number that fits, but ''");
    check("allograph plan 1\nprogram 5000000000 1 512 0\nend\n", "2", "the number of nodes");
    check("allograph plan 1\nprogram -1 1 512 0\nend\n", "2", "'-1'");
    check(good + "end\n", "11", "something follows the end");
    check(replaced(good, "end\n", ""), "9", "stops before its end");
    check(replaced(good, "end\n", "end of it\n"), "10", "more on the line");
    check(replaced(good, "end\n", "edge 0 0\nend\n"), "10", "no such pair");
    check(replaced(good, "end\n", "edge 0 3\nend\n"), "10", "no such pair");
    check(replaced(good, "end\n", "colour 7\nend\n"), "10", "an unknown word: 'colour'");
    check(replaced(good, "arena 0 ", "arena 3000000000 "), "3", "the device");
    check(replaced(good, "allocation 0 0 ", "allocation 0 1 "), "7", "no such arena");
    check(replaced(good, "allocation 0 0 0", "allocation 0 0 4096"), "7", "passes the end");
    check(replaced(good, "allocation 0 0 0", "allocation 0 0 1"), "7", "not aligned");
    check(replaced(good, "allocation 1 ", "allocation 0 "), "8", "do not ascend");
    check(replaced(good, "\\\\n\\\\ ", "\\x "), "7", "a backslash");
}

TEST_CASE("a mangled plan is refused or is a plan, and nothing else happens", "[plan]") {
    std::mt19937 random(3);
    const std::string good = sample().save();
    unsigned loaded = 0;
    for (int i = 0; i < 20'000; ++i) {
        std::string text = good;
        for (auto k = 1 + random() % 3; k > 0; --k) {
            const std::size_t at = random() % text.size();
            switch (random() % 4) {
            case 0:
                text[at] = static_cast<char>('0' + random() % 10);
                break;
            case 1:
                text.erase(at, 1 + random() % 4);
                break;
            case 2:
                text.insert(at, 1, " \n9"[random() % 3]);
                break;
            default:
                text[at] = static_cast<char>(random());
                break;
            }
            if (text.empty()) {
                text.push_back('x');
            }
        }
        try {
            const ag::memory_plan plan = ag::memory_plan::load(text);
            ++loaded;
            REQUIRE(!plan.text().empty());
            REQUIRE(xml_trouble(plan.svg()) == "");
            REQUIRE(ag::memory_plan::load(plan.save()).save() == plan.save());
        } catch (const std::runtime_error&) {
        }
    }
    CHECK(loaded > 100);
}

TEST_CASE("the picture is well-formed, with a bar and a name for each allocation", "[plan]") {
    const ag::memory_plan plan = sample();
    const std::string svg = plan.svg();
    CHECK(xml_trouble(svg) == "");
    CHECK(count_of(svg, "<rect ") == 3);
    CHECK(count_of(svg, "the peak: ") == 1);
    CHECK_THAT(svg, ContainsSubstring("&lt;&amp;&gt;\"'\\n\\ ?\t???\xc3\xa9: float[1000], 3.9 KiB"));
    CHECK_THAT(svg, ContainsSubstring("prefers-color-scheme:dark"));
    CHECK_THAT(svg, ContainsSubstring("viewBox=\"0 0 1080 500\""));
    CHECK(svg.find("href") == std::string::npos);
    const ag::memory_plan two = ag::plan([](auto& g) {
        auto x = g.template add_alloc<float>(10);
        auto y = g.template add_alloc<float>(10, ag::on(ag::device{1}));
        g.add_free(ag::after(x), std::move(x));
        g.add_free(ag::after(y), std::move(y));
    });
    CHECK(xml_trouble(two.svg()) == "");
    CHECK_THAT(two.svg(), ContainsSubstring("viewBox=\"0 0 1080 1000\""));
    CHECK_THAT(two.svg(), ContainsSubstring("device 1: "));
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        REQUIRE(xml_trouble(ag::plan(run_drawn{}, random_program(seed), scale_add_kernel("k")).svg()) == "");
    }
}
