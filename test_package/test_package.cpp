#include <allograph/allograph.hpp>

#include <cstdio>

int main() {
    std::printf("allograph %d.%d.%d\n", ALLOGRAPH_VERSION_MAJOR, ALLOGRAPH_VERSION_MINOR,
                ALLOGRAPH_VERSION_PATCH);
}
