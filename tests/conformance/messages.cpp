// What a user reads: each message names its rule, the memory, every line involved, and the fix.

#include "fixture.hpp"

namespace {

void check_rows(const std::string& text, const char* rule, std::initializer_list<std::string> rows) {
    CHECK_THAT(text, Catch::Matchers::StartsWith("allograph: [" + std::string(rule) + "] "));
    for (const std::string& row : rows) {
        CHECK_THAT(text, ContainsSubstring(row));
    }
    CHECK_THAT(text, ContainsSubstring("\n  fix: "));
}

}  // namespace

TEST_CASE("a use before the allocation", "[O1]") {
    const nothing_leaks guard;
    ag::memory_graph g;
    const std::string made = BELOW;
    auto x = g.add_alloc<float>(1 << 20, ag::named("x"));
    const std::string other = BELOW;
    const auto unrelated = g.add_empty();
    std::string used;
    const std::size_t calls = allograph_reference_calls("cuGraphAddMemsetNode");
    const ag::misuse mistake = misuse_of([&] { used = HERE, g.add_memset(ag::after(unrelated), x.span(), 1.0f); });
    check_rows(mistake.what(), "O1",
               {"'x'", "allocated  " + made, "x: float[1048576], 4 MiB", "used       " + used, "memset", other});
    CHECK(allograph_reference_calls("cuGraphAddMemsetNode") == calls);
    const auto set = g.add_memset(ag::after(x), x.span(), 1.0f);
    g.add_free(ag::after(set), std::move(x));
}

TEST_CASE("a use after the free, of bytes that may be another's by now", "[O2][X9]") {
    const nothing_leaks guard;
    ag::memory_graph g;
    const std::string made = BELOW;
    auto x = g.add_alloc<int>(100, ag::named("x"));
    const auto memory = x.data();
    const ag::node x_made = x;
    const std::string freed_at = BELOW;
    const auto freed = g.add_free(ag::after(x_made), std::move(x));
    const std::string later = BELOW;
    auto y = g.add_alloc<int>(ag::after(freed), 100, ag::named("y"));
    std::string used;
    const ag::misuse mistake = misuse_of([&] {
        used = HERE, g.add_kernel(ag::after(y), test_kernels::nothing(), ag::launch_config{}, ag::uses(ag::writes(memory)));
    });
    check_rows(mistake.what(), "O2", {"kernel 'nothing'", made, freed_at, used, later, "[X9]", "'y'"});
    const ag::node y_made = y;
    g.add_free(ag::after(y_made), std::move(y));
}

TEST_CASE("a free that is not ordered after a use, or after its allocation", "[O3][O4]") {
    const nothing_leaks guard;
    ag::memory_graph g;
    const std::string made = BELOW;
    auto x = g.add_alloc<float>(1 << 20, ag::named("x"));
    const auto set = g.add_memset(ag::after(x), x.span(), 1.0f);
    const std::string used = BELOW;
    const auto k = g.add_kernel(ag::after(set), test_kernels::scale_add(), ag::grid_for(10), 10, 1.0f, x.data(), x.data());
    std::string freed;
    const ag::misuse mistake = misuse_of([&] { freed = HERE, g.add_free(ag::after(set), std::move(x)); });
    check_rows(mistake.what(), "O3",
               {"the free of 'x'", "allocated  " + made, "used       " + used, "kernel 'scale_add'", "freed      " + freed,
                "depends on: memset"});
    CHECK_FALSE(x.spent());
    g.add_free(ag::after(k), std::move(x));

    const std::string bare = BELOW;
    auto y = g.add_alloc<float>(3);
    const ag::misuse root = misuse_of([&] { freed = HERE, g.add_free(std::move(y)); });
    check_rows(root.what(), "O4", {bare, freed, "float[3], 12 bytes"});
    CHECK_FALSE(y.spent());
    const ag::node y_made = y;
    g.add_free(ag::after(y_made), std::move(y));
}

TEST_CASE("a driver_error names the call, the error, the arguments and the line", "[A10]") {
    const nothing_leaks guard;
    ag::unchecked_memory_graph g;
    auto x = g.add_alloc<int>(4);
    const ag::node made = x;
    const auto memory = x.span();
    const auto freed = g.add_free(ag::after(made), std::move(x));
    std::string line;
    const ag::driver_error error =
        driver_error_of([&] { line = HERE, g.add_memset(ag::after(freed), memory, 1); });  // what the driver does see
    CHECK(error.result() == CUDA_ERROR_INVALID_VALUE);
    CHECK(error.code() == std::error_code(CUDA_ERROR_INVALID_VALUE, ag::driver_category()));
    CHECK(error.call() == std::string("cuGraphAddMemsetNode"));
    CHECK(place(error.where().file, static_cast<int>(error.where().line)) == line);
    CHECK_THAT(error.what(), ContainsSubstring("cuGraphAddMemsetNode(address = 0x") && ContainsSubstring("bytes = 16") &&
                                 ContainsSubstring("dependencies = 1"));
    CHECK_THAT(error.what(), ContainsSubstring(line) && ContainsSubstring(": CUDA_ERROR_INVALID_VALUE: "));
}
