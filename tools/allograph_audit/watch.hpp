#pragma once

#include <cuda.h>

#include <cstddef>

namespace allograph_audit {

/// Whether the process is audited: ALLOGRAPH_AUDIT names a folder.
bool on() noexcept;

struct audited;

/// One call that instantiates a graph. The graph is audited, and its report written, when this is made, before the call.
/// Nothing is thrown, errno is kept, and what the audit itself calls is not watched.
class instantiation {
public:
    instantiation(CUgraph graph, unsigned long long flags) noexcept;
    instantiation(const instantiation&) = delete;
    instantiation& operator=(const instantiation&) = delete;
    ~instantiation();

    /// Takes note of the driver's answer. @return it
    CUresult ended(const CUgraphExec* exec, CUresult answer) const noexcept;

private:
    bool outermost_ = false;
    audited* audited_ = nullptr;
};

/// Takes note of the answer to a launch: a relaunch that is refused while the last launch's memory lives is rule F10's
/// evidence. @return the answer
CUresult launched(CUgraphExec exec, CUresult answer) noexcept;

/// Takes note of the graphs inside of a conditional node. To be called where `on()`.
void conditional_added(CUgraphNode node, const CUgraph* bodies, std::size_t count) noexcept;

}  // namespace allograph_audit
