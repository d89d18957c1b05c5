#include <allograph/allograph.hpp>

#include <cstdio>

int main() {
    int driver = 0;
    if (cuDriverGetVersion(&driver) != CUDA_SUCCESS)
        return 1;
    std::printf("allograph %d.%d.%d, driver %d\n", ALLOGRAPH_VERSION_MAJOR, ALLOGRAPH_VERSION_MINOR,
                ALLOGRAPH_VERSION_PATCH, driver);
}
