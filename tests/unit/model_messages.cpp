// Every message of the run-time model, word for word.

#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include <allograph/model/recorded_graph.hpp>
#include <allograph/model/verify.hpp>

namespace ag = allograph;

namespace {

const ag::kernel<void(float*)> writer("writer");
const ag::kernel<void(const float*)> reader("reader");
constexpr std::size_t n = 1 << 20;

/// What the first mistake of a program says, and the rule it names.
template <class Program>
std::string message_of(const Program& program, const char* rule, bool races = false) {
    ag::recorded_graph g(3);
    g.model().report_races(races);
    try {
        program(g);
    } catch (const ag::misuse& m) {
        CHECK(std::string(m.rule()) == rule);
        return m.what();
    }
    return "(no mistake)";
}

// clang-format off
// The lines from here on are those of solver.cpp, so that messages do not change with this file.
#line 40 "/home/user/solver.cpp"
const auto free_too_early = [](auto& g) {
    auto x = g.template add_alloc<float>(n, ag::named("x"));                                  // 41
    auto m = g.add_memset(ag::after(x), x.span(), 0.0f);                                      // 42
    auto k = g.add_kernel(ag::after(m), writer, ag::grid_for(n), x.data());                   // 43
    static_cast<void>(k);                                                                     //
    g.add_free(ag::after(m), std::move(x));                                                   // 45
};
const auto free_beside_users = [](auto& g) {
    auto x = g.template add_alloc<double>(3);                                                 // 48
    g.add_memset(ag::after(x), x.span(), ag::zero);                                           // 49
    g.add_kernel(ag::after(x), ag::kernel<void(const double*)>("sum"), ag::grid_for(3), x.data());  // 50
    g.add_free(std::move(x));                                                                 // 51
};
const auto free_as_a_root = [](auto& g) {
    auto x = g.template add_alloc<float>(300, ag::named("x"));                                // 54
    g.add_free(std::move(x));                                                                 // 55
};
const auto use_too_early = [](auto& g) {
    auto x = g.template add_alloc<float>(n, ag::named("x"));                                  // 58
    auto e = g.add_empty(ag::after(x));                                                       // 59
    auto f = g.add_empty();                                                                   // 60
    g.add_memset(ag::after(f), x.span(), 0.0f);                                               // 61
    static_cast<void>(e);
};
const auto use_after_free = [](auto& g) {
    auto x = g.template add_alloc<float>(n, ag::named("x"));                                  // 65
    auto p = x.data();                                                                        //
    auto f = g.add_free(ag::after(x), std::move(x));                                          // 67
    g.add_kernel(ag::after(f), writer, ag::grid_for(n), p);                                   // 68
};
const auto use_of_memory_of_another = [](auto& g) {
    auto x = g.template add_alloc<float>(n, ag::named("x"));                                  // 71
    auto p = x.data();                                                                        //
    auto f = g.add_free(ag::after(x), std::move(x));                                          // 73
    auto y = g.template add_alloc<float>(ag::after(f), n, ag::named("y"));                    // 74
    g.add_kernel(ag::after(y), writer, ag::grid_for(n), p);                                   // 75
};
const auto depends_twice = [](auto& g) {
    auto e = g.add_empty();                                                                   // 78
    g.add_empty(ag::after(e, e));                                                             // 79
};
const auto depends_on_nothing = [](auto& g) {
    auto e = g.add_empty();                                                                   // 82
    g.add_empty(ag::after(e, ag::node{}));                                                    // 83
};
const auto depends_on_a_spent_token = [](auto& g) {
    auto x = g.template add_alloc<float>(n, ag::named("x"));                                  // 86
    auto y = std::move(x);                                                                    //
    g.add_memset(ag::after(x), y.span(), 0.0f);                                               // 88
};
const auto closes_a_cycle = [](auto& g) {
    auto e = g.add_empty();                                                                   // 91
    auto k = g.add_kernel(ag::after(e), ag::kernel<void()>("k"), ag::grid_for(1));            // 92
    g.add_dependency(k, e);                                                                   // 93
};
const auto adds_an_edge_twice = [](auto& g) {
    auto e = g.add_empty();                                                                   // 96
    auto f = g.add_empty(ag::after(e));                                                       // 97
    g.add_dependency(e, f);                                                                   // 98
};
const auto races = [](auto& g) {
    auto x = g.template add_alloc<float>(n, ag::named("x"));                                  // 101
    g.add_kernel(ag::after(x), writer, ag::grid_for(n), x.data());                            // 102
    auto r = g.add_kernel(ag::after(x), reader, ag::grid_for(n), x.data());                   // 103
    static_cast<void>(r);
};
const auto forgets_two = [](auto& g) {
    auto x = g.template add_alloc<float>(n, ag::named("x"));                                  // 107
    auto y = g.template add_alloc<char>(1536);                                                // 108
    static_cast<void>(x);
    static_cast<void>(y);
};
const auto breaks_three_rules = [](auto& g) {
    auto x = g.template add_alloc<float>(n, ag::named("x"));                                  // 113
    g.add_memset(x.span(), 0.0f);                                                             // 114
    g.add_empty(ag::after(ag::node{}));                                                       // 115
};
// clang-format on
#line 116 "model_messages.cpp"

}  // namespace

TEST_CASE("model: a free beside a node that uses the memory", "[O3]") {
    CHECK(message_of(free_too_early, "O3") == "allograph: [O3] the free of 'x' is not ordered after a node that uses it\n"
                                              "  allocated  solver.cpp:41   x: float[1048576], 4 MiB\n"
                                              "  used       solver.cpp:43   kernel 'writer'\n"
                                              "  freed      solver.cpp:45   depends on: memset solver.cpp:42\n"
                                              "  fix: let the free depend on the kernel, or pass ag::inferred");
    CHECK(message_of(free_beside_users, "O3") == "allograph: [O3] the free of double[3] is not ordered after nodes that use it\n"
                                                 "  allocated  solver.cpp:48   double[3], 24 bytes\n"
                                                 "  used       solver.cpp:49   memset\n"
                                                 "  used       solver.cpp:50   kernel 'sum'\n"
                                                 "  freed      solver.cpp:51   depends on: nothing\n"
                                                 "  fix: let the free depend on them, or pass ag::inferred");
}

TEST_CASE("model: a free that is not ordered after its allocation", "[O4]") {
    CHECK(message_of(free_as_a_root, "O4") == "allograph: [O4] the free of 'x' is not ordered after its allocation\n"
                                              "  allocated  solver.cpp:54   x: float[300], 1.1 KiB\n"
                                              "  freed      solver.cpp:55   depends on: nothing\n"
                                              "  fix: let the free depend on the allocation, or pass ag::inferred");
}

TEST_CASE("model: a use that is not ordered after the allocation", "[O1]") {
    CHECK(message_of(use_too_early, "O1") ==
          "allograph: [O1] memset uses 'x', but is not ordered after its allocation\n"
          "  allocated  solver.cpp:58   x: float[1048576], 4 MiB\n"
          "  used       solver.cpp:61   memset; depends on: empty node solver.cpp:60\n"
          "  fix: let the memset depend on the allocation or on a node behind it, or pass ag::inferred");
}

TEST_CASE("model: a use after the free", "[O2][X9]") {
    CHECK(message_of(use_after_free, "O2") == "allograph: [O2] kernel 'writer' uses 'x' after its free\n"
                                              "  allocated  solver.cpp:65   x: float[1048576], 4 MiB\n"
                                              "  freed      solver.cpp:67\n"
                                              "  used       solver.cpp:68   kernel 'writer'\n"
                                              "  fix: add the kernel before the free, and let the free depend on it");
    CHECK(message_of(use_of_memory_of_another, "O2") ==
          "allograph: [O2] kernel 'writer' uses 'x' after its free\n"
          "  allocated  solver.cpp:71   x: float[1048576], 4 MiB\n"
          "  freed      solver.cpp:73\n"
          "  used       solver.cpp:75   kernel 'writer'\n"
          "  allocated  solver.cpp:74   y: float[1048576], 4 MiB\n"
          "  note:      [X9] the freed bytes may belong to 'y' by now, which the kernel would touch\n"
          "  fix: add the kernel before the free, and let the free depend on it");
}

TEST_CASE("model: dependencies that are none", "[D2][D4][F9]") {
    CHECK(message_of(depends_twice, "D2") == "allograph: [D2] a dependency stands twice\n"
                                             "  twice      solver.cpp:78   empty node\n"
                                             "  added      solver.cpp:79   empty node\n"
                                             "  fix: name each node once; ag::unique_after(range) merges ranges that overlap");
    CHECK(message_of(depends_on_nothing, "D4") ==
          "allograph: [D4] dependency 2 of 2 is no node: it was default-constructed, or is null\n"
          "  added      solver.cpp:83   empty node\n"
          "  fix: pass a node that an add_ member returned");
    CHECK(message_of(depends_on_a_spent_token, "F9") ==
          "allograph: [F9] the dependency is a spent allocation: it was moved away, or is freed already\n"
          "  added      solver.cpp:88   memset\n"
          "  fix: keep its node from before the move: ag::node n = x;");
}

TEST_CASE("model: a dependency of another graph", "[D3]") {
    ag::recorded_graph other(5);
    const ag::node foreign = other.add_empty();
    CHECK(message_of([&](auto& g) { g.add_empty(ag::dependencies({foreign}, "solver.cpp", 30)); }, "D3") ==
          "allograph: [D3] the dependency is a node of graph 5, not of graph 3\n"
          "  added      solver.cpp:30   empty node\n"
          "  fix: depend on nodes of this graph alone; whole graphs are ordered by launching them on one stream, or as child "
          "graphs");
    CUgraphNode_st* const raw = reinterpret_cast<CUgraphNode_st*>(64);
    CHECK(message_of([&](auto& g) { g.add_empty(ag::dependencies({ag::node(raw)}, "solver.cpp", 30)); }, "D3") ==
          "allograph: [D3] the dependency is a handle that is no node of graph 3\n"
          "  added      solver.cpp:30   empty node\n"
          "  fix: depend on nodes of this graph alone; whole graphs are ordered by launching them on one stream, or as child "
          "graphs");
}

TEST_CASE("model: late edges", "[D6][D7]") {
    CHECK(message_of(closes_a_cycle, "D7") ==
          "allograph: [D7] the edge would close a cycle: its target already comes before its source\n"
          "  from       solver.cpp:92   kernel 'k'\n"
          "  to         solver.cpp:91   empty node\n"
          "  at         solver.cpp:93\n"
          "  fix: leave this edge out, or take away one of those that lead back");
    CHECK(message_of(adds_an_edge_twice, "D6") == "allograph: [D6] the edge is there already\n"
                                                  "  from       solver.cpp:96   empty node\n"
                                                  "  to         solver.cpp:97   empty node\n"
                                                  "  at         solver.cpp:98\n"
                                                  "  fix: add each edge once");
    CHECK(message_of(
              [](auto& g) {
                  const ag::node e = g.add_empty();
                  g.add_dependency(e, ag::node{}, "solver.cpp", 5);
              },
              "D4") == "allograph: [D4] 'to' is no node: it was default-constructed, or is null\n"
                       "  at         solver.cpp:5\n"
                       "  fix: pass a node that an add_ member returned");
}

TEST_CASE("model: races are mistakes when asked", "[O6]") {
    CHECK(message_of(races, "") == "(no mistake)");
    CHECK(message_of(races, "O6", true) ==
          "allograph: [O6] kernel 'reader' and kernel 'writer' touch 'x' in no order, and one of them writes\n"
          "  allocated  solver.cpp:101   x: float[1048576], 4 MiB\n"
          "  used       solver.cpp:102   kernel 'writer'\n"
          "  used       solver.cpp:103   kernel 'reader'; depends on: allocation 'x' solver.cpp:101\n"
          "  fix: let one depend on the other, or pass ag::inferred");
}

TEST_CASE("model: allocations without a fate", "[F10]") {
    ag::recorded_graph g;
    forgets_two(g);
    const auto text = [&](std::vector<std::uint32_t> taken) -> std::string {
        try {
            g.model().require_fates(taken, {"solver.cpp", 120});
        } catch (const ag::misuse& m) {
            CHECK(std::string(m.rule()) == "F10");
            return m.what();
        }
        return "";
    };
    CHECK(text({}) == "allograph: [F10] 2 allocations have no fate: nobody frees them\n"
                      "  allocated  solver.cpp:107   x: float[1048576], 4 MiB\n"
                      "  allocated  solver.cpp:108   char[1536], 1.5 KiB\n"
                      "  at         solver.cpp:120\n"
                      "  fix: free each with add_free, or pass it to ag::outputs or ag::auto_free");
    CHECK(text({0}) == "allograph: [F10] char[1536] has no fate: nobody frees it\n"
                       "  allocated  solver.cpp:108   char[1536], 1.5 KiB\n"
                       "  at         solver.cpp:120\n"
                       "  fix: free it with add_free, or pass it to ag::outputs or ag::auto_free");
    CHECK(text({1, 0}).empty());
    g.model().set_fate(0, ag::allocation_fate::given);
    CHECK(text({1}).empty());
    g.model().set_fate(0, ag::allocation_fate::none);
    CHECK(!text({1}).empty());
}

TEST_CASE("model: the second free of one allocation", "[F1]") {
    ag::recorder model(3);
    model.check_alloc(ag::dependencies({}, "solver.cpp", 41), {512, 128, 4, "float", ag::named("x")});
    model.commit(nullptr);
    const ag::node x = ag::detail::handle_access::make_node(nullptr, 3, 0);
    model.check_free(ag::dependencies({x}, "solver.cpp", 42), {x, {3, 0}, 0});
    model.commit(nullptr);
    std::string text;
    try {
        model.check_free(ag::dependencies({x}, "solver.cpp", 43), {x, {3, 0}, 0});
    } catch (const ag::misuse& m) {
        text = m.what();
    }
    CHECK(text == "allograph: [F1] 'x' is freed already\n"
                  "  allocated  solver.cpp:41   x: float[128], 512 bytes\n"
                  "  freed      solver.cpp:42\n"
                  "  again      solver.cpp:43\n"
                  "  fix: free an allocation once");
}

TEST_CASE("model: a report holds every mistake of a program", "[O1][D4][F10]") {
    const ag::verification_report all = ag::report(breaks_three_rules);
    CHECK(!all);
    CHECK(all.text() == "allograph: 3 mistakes in 3 nodes and 1 allocation\n"
                        "\n"
                        "allograph: [O1] memset uses 'x', but is not ordered after its allocation\n"
                        "  allocated  solver.cpp:113   x: float[1048576], 4 MiB\n"
                        "  used       solver.cpp:114   memset; depends on: nothing\n"
                        "  fix: let the memset depend on the allocation or on a node behind it, or pass ag::inferred\n"
                        "\n"
                        "allograph: [D4] the dependency is no node: it was default-constructed, or is null\n"
                        "  added      solver.cpp:115   empty node\n"
                        "  fix: pass a node that an add_ member returned\n"
                        "\n"
                        "allograph: [F10] 'x' has no fate: nobody frees it\n"
                        "  allocated  solver.cpp:113   x: float[1048576], 4 MiB\n"
                        "  fix: free it with add_free, or pass it to ag::outputs or ag::auto_free");
}

TEST_CASE("model: sizes are written as people say them") {
    CHECK(ag::detail::bytes_text(0) == "0 bytes");
    CHECK(ag::detail::bytes_text(1023) == "1023 bytes");
    CHECK(ag::detail::bytes_text(1536) == "1.5 KiB");
    CHECK(ag::detail::bytes_text((1ull << 40) - 1) == "1023.9 GiB");
    CHECK(ag::detail::bytes_text(~0ull) == "15.9 EiB");
    CHECK(ag::detail::bytes_text(64ull << 20) == "64 MiB");
}

TEST_CASE("model: a message names the first users, and counts the others", "[O3]") {
    const std::string text = message_of(
        [](auto& g) {
            auto x = g.template add_alloc<float>(ag::dependencies({}, "solver.cpp", 9), 128, ag::named("x"));
            const ag::node made = x;
            for (unsigned i = 10; i < 25; ++i) {
                g.add_memset(ag::dependencies({made}, "solver.cpp", i), x.span(), 0.0f);
            }
            g.add_memcpy(ag::dependencies({made}, "solver.cpp", 8), x.span().first(64), x.span().last(64));
            g.add_free(ag::dependencies({made}, "solver.cpp", 25), std::move(x));
        },
        "O3");
    CHECK(text.find("  used       solver.cpp:10   memset\n") != std::string::npos);
    CHECK(text.find("  used       solver.cpp:17   memset\n") != std::string::npos);
    CHECK(text.find("solver.cpp:18") == std::string::npos);
    CHECK(text.find("  note:      used 9 times more\n") != std::string::npos);
}
