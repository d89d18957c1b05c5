// The recorder and the static graph against the oracle, on random programs.

#include <cstdlib>
#include <random>

#include <catch2/catch_test_macros.hpp>

#include "model_oracle.hpp"

TEST_CASE("model: random programs, valid and broken, are judged as the oracle judges them",
          "[O1][O2][O3][O4][O6][X9][D2][D3][D4][D6][D7][F1][F9]") {
    const char* const wanted = std::getenv("ALLOGRAPH_MODEL_PROGRAMS");
    const long programs = wanted == nullptr ? 10'000 : std::atol(wanted);
    model_test::tally count;
    for (long program = 0; program < programs; ++program) {
        std::mt19937 random(static_cast<unsigned>(program));
        const auto choose = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
        const int steps = 4 + static_cast<int>(choose(57));
        const std::string trouble = model_test::compare(choose, steps, count);
        INFO("program " << program);
        REQUIRE(trouble == "");
    }
    for (const char* rule : {"O1", "O2", "O3", "O4", "O6", "X9", "D2", "D3", "D4", "D6", "D7", "F1", "F9"}) {
        INFO(rule << ": " << count.broken[rule] << " in " << programs << " programs, " << count.nodes << " nodes");
        CHECK(count.broken[rule] > programs / 100);
    }
    CHECK(count.late_edges > programs);
    CHECK(count.inferred > programs);
}
