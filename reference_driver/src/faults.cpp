#include "faults.hpp"

#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>

#include <array>

#include "summary.hpp"

namespace allograph_reference {
namespace {

constexpr std::uint64_t page_bytes = 4096;

// What the signal handler may know of the node that runs on this thread. Plain data only: it is read inside a signal.
struct guard {
    sigjmp_buf escape;
    bool active = false;
    std::uint64_t opened_pages = 0;
    std::uint64_t first_touched = 0;
    std::uint64_t bad_address = 0;
    std::array<std::uint64_t, 4096> pages{};
};
thread_local guard here;
struct sigaction previous_segv;
struct sigaction previous_bus;

device_state* owner_of(std::uint64_t address) {
    for (const auto& device : state().devices)
        if (device->graph_space.contains(address))
            return device.get();
    return nullptr;
}

void on_fault(int signal, siginfo_t* info, void* more) {
    const auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
    if (here.active && is_device_address(address)) {
        // The thread holds the driver's lock while a node runs, so the tables are at rest.
        const device_state* device = owner_of(address);
        if (device != nullptr && device->physical.mapped(address) && here.opened_pages < here.pages.size()) {
            const std::uint64_t page = address / page_bytes * page_bytes;
            if (here.opened_pages == 0)
                here.first_touched = address;
            here.pages[here.opened_pages++] = page;
            mprotect(reinterpret_cast<void*>(page), page_bytes, PROT_READ | PROT_WRITE);
            return;
        }
        here.bad_address = address;
        siglongjmp(here.escape, 1);
    }
    if (state().initialised && is_device_address(address)) {
        std::array<char, 160> text{};
        const int length =
            std::snprintf(text.data(), text.size(),
                          "allograph reference driver: host code used device address 0x%llx, which is not allocated now\n",
                          static_cast<unsigned long long>(address));
        std::fwrite(text.data(), 1, static_cast<std::size_t>(length), stderr);
    }
    // Not ours: whoever was there before decides, and the faulting instruction runs again.
    const struct sigaction& previous = signal == SIGBUS ? previous_bus : previous_segv;
    if ((previous.sa_flags & SA_SIGINFO) != 0 && previous.sa_sigaction != nullptr)
        previous.sa_sigaction(signal, info, more);
    else
        sigaction(signal, &previous, nullptr);
}

// Installed with the first node that runs, and again when somebody (a test framework) has put another handler in its place.
void install_handler() {
    for (const int signal : {SIGSEGV, SIGBUS}) {
        struct sigaction now{};
        sigaction(signal, nullptr, &now);
        if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_fault)
            continue;
        (signal == SIGBUS ? previous_bus : previous_segv) = now;
        struct sigaction ours{};
        ours.sa_sigaction = on_fault;
        ours.sa_flags = SA_SIGINFO | SA_NODEFER;
        sigemptyset(&ours.sa_mask);
        sigaction(signal, &ours, nullptr);
    }
}

std::string hexadecimal(std::uint64_t value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(value));
    return text.data();
}

// ALLOGRAPH_REFERENCE_FAIL="cuGraphLaunch:3:CUDA_ERROR_LAUNCH_FAILED,cuMemAlloc:1:CUDA_ERROR_OUT_OF_MEMORY"
void read_environment() {
    const char* text = std::getenv("ALLOGRAPH_REFERENCE_FAIL");
    if (text == nullptr)
        return;
    std::string_view rest = text;
    while (!rest.empty()) {
        const std::string_view item = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(rest.size(), item.size() + 1));
        const std::size_t first = item.find(':');
        const std::size_t second = first == std::string_view::npos ? first : item.find(':', first + 1);
        if (second == std::string_view::npos) {
            std::fprintf(stderr, "allograph reference driver: ALLOGRAPH_REFERENCE_FAIL wants FUNCTION:N:RESULT, not '%s'\n",
                         std::string(item).c_str());
            continue;
        }
        const auto nth =
            static_cast<unsigned>(std::strtoul(std::string(item.substr(first + 1, second - first - 1)).c_str(), nullptr, 10));
        state().failures.push_back(
            failure{std::string(base_name(item.substr(0, first))), nth == 0 ? 1 : nth, result_named(item.substr(second + 1))});
    }
}

}  // namespace

CUresult count_call(std::string_view function) {
    static const bool read = (read_environment(), summarise_at_exit(), true);
    static_cast<void>(read);
    driver_state& all = state();
    ++all.calls[std::string(function)];
    CUresult result = CUDA_SUCCESS;
    for (std::size_t index = 0; index < all.failures.size();) {
        failure& each = all.failures[index];
        if (each.function != function || --each.remaining != 0) {
            ++index;
            continue;
        }
        if (result == CUDA_SUCCESS)
            result = each.result;
        all.failures.erase(all.failures.begin() + static_cast<std::ptrdiff_t>(index));
    }
    return result;
}

bool run_guarded(const std::string& what, const std::function<void()>& work) {
    install_handler();
    here.opened_pages = 0;
    here.active = true;
    if (sigsetjmp(here.escape, 1) == 0) {
        work();
        here.active = false;
    } else {
        here.active = false;
        report("[illegal address] " + what + " touched " + hexadecimal(here.bad_address) + ", where no memory is mapped");
        return false;
    }
    if (here.opened_pages != 0) {
        for (std::uint64_t index = 0; index < here.opened_pages; ++index)
            mprotect(reinterpret_cast<void*>(here.pages[index]), page_bytes, PROT_NONE);
        if (state().strict)
            report("[O1/O2] " + what + " touched " + hexadecimal(here.first_touched) + " while it was not allocated");
    }
    return true;
}

}  // namespace allograph_reference
