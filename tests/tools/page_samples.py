"""Reports in JSON as an audit writes them, of graphs of any size, for the tests of the page."""

import random


def sample(layers, width, seed=1, name="a model's step", broken=True):
    """A network of kernels in `layers` of up to `width`, each with a buffer of its own, freed after its readers."""
    pick = random.Random(seed)
    nodes, edges, allocations, findings = [], [], [], []

    def node(kind, level, before, kernel="", parent=None):
        nodes.append({"id": len(nodes), "kind": kind, "name": kernel, "parent": parent, "level": level})
        edges.extend({"from": b, "to": len(nodes) - 1, "type": "default"} for b in sorted(set(before)))
        return len(nodes) - 1

    kernels = ["_Z10layer_normPfPKfi", "_ZN3net6matmulIfEEvPT_PKS1_S4_iii", "_Z7softmaxPfPKfi", "gelu", "_Z8residualPfPKfS1_i"]
    address, previous = 0x302000000, []
    for layer in range(layers):
        made = []
        for _ in range(pick.randint(1, width)):
            bytes_ = pick.choice([1 << 20, 3 << 20, 8 << 20, 700])
            readers = pick.sample(previous, min(len(previous), pick.randint(1, 2)))
            alloc = node("alloc", 3 * layer, [k for k, _ in readers])
            kernel = node("kernel" if layer else "memset", 3 * layer + 1, [alloc] + [k for k, _ in readers],
                          pick.choice(kernels) if layer else "")
            a = {"id": len(allocations), "address": hex(address), "bytes": bytes_, "device": 0, "allocated_by": alloc, "freed_by": None,
                 "first_level": 3 * layer, "last_level": 3 * layers, "planned_offset": None,
                 "uses": [{"node": kernel, "access": "unknown" if layer else "write"}]}
            address += -(-bytes_ // 512) * 512
            allocations.append(a)
            for _, b in readers:
                b["uses"].append({"node": kernel, "access": "unknown"})
            made.append((kernel, a))
        for _, a in previous:
            users = [u["node"] for u in a["uses"]]
            late = broken and len(users) > 1 and not findings
            a["freed_by"] = node("free", 3 * layer + 2, users[:-1] if late else users)
            a["last_level"] = 3 * layer + 2
            if late:
                findings.append({
                    "rule": "O3", "severity": "error", "allocation": a["id"], "overlaps": None, "path": [], "missing": [users[-1], a["freed_by"]],
                    "message": f"the free of allocation {a['id']} (node {a['freed_by']}) is not ordered after kernel (node {users[-1]}), which uses it",
                    "fix": f"let the free (node {a['freed_by']}) depend on kernel (node {users[-1]})",
                    "nodes": [a["allocated_by"], users[-1], a["freed_by"]]})
        previous = made
    if broken and previous:
        a = previous[0][1]
        findings.append({"rule": "F10", "severity": "note", "message": f"allocation {a['id']} is freed by nothing in this graph",
                         "fix": "free it, or instantiate with automatic frees", "allocation": a["id"], "overlaps": None,
                         "nodes": [a["allocated_by"]], "path": [], "missing": []})
    conditional = node("conditional", 3 * layers, [k for k, _ in previous])
    inner = node("kernel", 3 * layers + 1, [], "body_step", conditional)
    node("memcpy", 3 * layers + 2, [inner], "", conditional)
    level_bytes = [0] * (3 * layers + 1)
    end, free = 0, []
    for a in allocations:  # first fit over time: a plan
        placed = sorted((b["planned_offset"], b["planned_offset"] + b["bytes"]) for b in free
                        if b["first_level"] <= a["last_level"] and a["first_level"] <= b["last_level"])
        at = 0
        for low, high in placed:
            if at + a["bytes"] <= low:
                break
            at = max(at, -(-high // 512) * 512)
        a["planned_offset"] = at
        end = max(end, at + a["bytes"])
        free.append(a)
        for level in range(a["first_level"], a["last_level"] + 1):
            level_bytes[level] += a["bytes"]
    chunk = 32 << 20
    return {"allograph": "0.1.0", "graph": {"name": name, "nodes": len(nodes), "edges": len(edges)}, "nodes": nodes, "edges": edges,
            "allocations": allocations, "findings": findings,
            "footprint": {"chunk": chunk, "driver": -(-(address - 0x302000000) // chunk) * chunk, "planned": end,
                          "lower_bound": max(level_bytes)},
            "limits": ["Of kernels, the addresses among their arguments are known: not what is reached through pointers in memory."]}
