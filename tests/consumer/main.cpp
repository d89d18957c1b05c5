#include <allograph/allograph.hpp>

#include <cstdio>

#ifdef CONSUMER_REFERENCE
#include <allograph_reference/reference_driver.h>
#endif

int main() {
#ifdef CONSUMER_REFERENCE
    if (!allograph_reference_active())
        return 2;
#endif
    int driver = 0;
    if (cuDriverGetVersion(&driver) != CUDA_SUCCESS)
        return 1;
    std::printf("allograph %d.%d.%d, driver %d\n", ALLOGRAPH_VERSION_MAJOR, ALLOGRAPH_VERSION_MINOR, ALLOGRAPH_VERSION_PATCH,
                driver);
}
