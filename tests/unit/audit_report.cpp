// Reports of audits as JSON, text and DOT.

#include <allograph/model/audit_judge.hpp>

#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

namespace ag = allograph;
using Catch::Matchers::ContainsSubstring;
using report = ag::audit_report;

namespace {

report sample() {
    report r;
    r.name = "step \"1\"";
    r.nodes = {{ag::node_kind::alloc, "", report::none, 0, nullptr},
               {ag::node_kind::kernel, "bad\x1b[31m</script>\n\"name\"", report::none, 1, nullptr},
               {ag::node_kind::free, "", report::none, 1, nullptr}};
    r.edges = {{0, 1}, {0, 2, true}};
    r.allocations = {{0x302000000, 4096, 0, 0, 2, 0, 1, {{1, report::access::unknown}}, 512}};
    r.findings = {{"O3", report::severity::error, "message", "fix it", 0, report::none, {0, 1, 2}, {}, {1, 2}}};
    r.memory = {1 << 25, 1 << 25, 4096, 4096};
    r.limits = {"a limit"};
    return r;
}

}  // namespace

TEST_CASE("strings in JSON are ASCII, whole, and end no element around them", "[audit]") {
    using ag::detail::json_string;
    CHECK(json_string("plain") == "\"plain\"");
    CHECK(json_string("\"\\") == R"("\"\\")");
    CHECK(json_string("</script>&") == R"("\u003c/script\u003e\u0026")");
    CHECK(json_string(std::string("\0\n\x7f", 3)) == R"("\u0000\u000a\u007f")");
    CHECK(json_string("\xC3\xA9") == R"("\u00e9")");
    CHECK(json_string("\xE2\x82\xAC") == R"("\u20ac")");
    CHECK(json_string("\xF0\x9F\x98\x80") == R"("\ud83d\ude00")");
    // What is no UTF-8: cut short, too long, a surrogate, beyond the last, a lone byte.
    CHECK(json_string("\xC3") == R"("\ufffd")");
    CHECK(json_string("\xC3z") == R"("\ufffdz")");
    CHECK(json_string("\xC0\xAF") == R"("\ufffd\ufffd")");
    CHECK(json_string("\xE0\x80\xAF") == R"("\ufffd\ufffd\ufffd")");
    CHECK(json_string("\xED\xA0\x80") == R"("\ufffd\ufffd\ufffd")");
    CHECK(json_string("\xF4\x90\x80\x80") == R"("\ufffd\ufffd\ufffd\ufffd")");
    CHECK(json_string("a\x80"
                      "b") == R"("a\ufffdb")");
}

TEST_CASE("a report as JSON", "[audit]") {
    CHECK(sample().json() == R"({"allograph":"0.1.0",
"graph":{"name":"step \"1\"","nodes":3,"edges":2},
"nodes":[
{"id":0,"kind":"alloc","name":"","parent":null,"level":0},
{"id":1,"kind":"kernel","name":"bad\u001b[31m\u003c/script\u003e\u000a\"name\"","parent":null,"level":1},
{"id":2,"kind":"free","name":"","parent":null,"level":1}],
"edges":[
{"from":0,"to":1,"type":"default"},
{"from":0,"to":2,"type":"programmatic"}],
"allocations":[
{"id":0,"address":"0x302000000","bytes":4096,"device":0,"allocated_by":0,"freed_by":2,"first_level":0,"last_level":1,"uses":[{"node":1,"access":"unknown"}],"planned_offset":512}],
"findings":[
{"rule":"O3","severity":"error","message":"message","fix":"fix it","allocation":0,"overlaps":null,"nodes":[0,1,2],"path":[],"missing":[1,2]}],
"footprint":{"chunk":33554432,"driver":33554432,"planned":4096,"lower_bound":4096},
"limits":["a limit"]}
)");
    CHECK_THAT(report().json(), ContainsSubstring("\"nodes\":[],") && ContainsSubstring("\"limits\":[]}"));
}

TEST_CASE("a report as text gives no terminal an order", "[audit]") {
    CHECK(sample().text() == R"(allograph audit of 'step "1"': 3 nodes, 2 edges, 1 allocation; 1 error

[O3] message
  allocated   node 0, allocation, 4 KiB at 0x302000000 on device 0
  used        node 1, kernel 'bad?[31m</script>?"name"'
  freed       node 2, free
  no path     from node 1 to node 2
  fix: fix it

allocations
  0: 4 KiB at 0x302000000, levels 0 to 1, 1 use, allocated by node 0, freed by node 2

memory
  as it is  32 MiB in chunks of 32 MiB
  planned   4 KiB; no plan takes less than 4 KiB

limits
  a limit
)");
    CHECK(report().text() == "allograph audit: 0 nodes, 0 edges, 0 allocations; nothing found\n");
}

TEST_CASE("a report for Graphviz", "[audit]") {
    const std::string dot = sample().dot();
    CHECK_THAT(dot,
               ContainsSubstring("n0 -> n1") && ContainsSubstring("label=\"programmatic\"") && ContainsSubstring("O3 missing"));
    CHECK_THAT(dot, ContainsSubstring(R"(bad?[31m</script>\n\"name\")"));
    CHECK_THAT(dot, ContainsSubstring("fillcolor=\"#ffa0a0\""));
    report inner = sample();
    inner.nodes[0].kind = ag::node_kind::child;
    inner.nodes[1].parent = 0;
    CHECK_THAT(inner.dot(), ContainsSubstring("subgraph cluster_0"));
}

TEST_CASE("long lists are cut in text", "[audit]") {
    report r = sample();
    for (int i = 0; i < 100; ++i) {
        r.nodes.push_back({ag::node_kind::kernel, "k", report::none, 2, nullptr});
        r.allocations[0].uses.push_back({static_cast<std::uint32_t>(3 + i), report::access::write});
        r.findings[0].nodes.push_back(static_cast<std::uint32_t>(3 + i));
        r.findings[0].path.push_back(static_cast<std::uint32_t>(i));
        r.allocations.push_back(r.allocations[0]);
    }
    const std::string text = r.text();
    CHECK_THAT(text, ContainsSubstring("used        by 93 more") &&
                         ContainsSubstring("nodes 0 -> 1 -> 2 -> 3 -> 4 -> 5 -> ... -> 94 -> 95 -> 96 -> 97 -> 98 -> 99"));
    CHECK_THAT(text, ContainsSubstring("  and 61 more\n"));
}
