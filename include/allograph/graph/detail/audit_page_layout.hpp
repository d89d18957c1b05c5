#pragma once

namespace allograph {
inline namespace v0 {
namespace detail {

/// Of the audit's page: where the nodes of the graph go.
inline constexpr const char* audit_page_layout =
    R"page(// --- the graph: layers by level, ordered by their neighbours, straightened

function shownNodes() {
  const all = inside.get(state.parent) || [];
  if (state.show === 'all' && all.length <= drawnAtMost) return all;
  const here = new Set(all),
        start = (state.show === 'node' ? [state.node] : all.filter(n => severity[n])).filter(n => here.has(n));
  const seen = new Set(start.length ? start.slice(0, 200) : all.slice(0, 1));
  let front = [...seen];
  for (let step = 0; step < (seen.size > 20 ? 2 : 4) && seen.size < 600; step++) {
    const next = [];
    for (const n of front)
      for (const m of [...before[n], ...after[n]])
        if (!seen.has(m) && seen.size < 600) {
          seen.add(m);
          next.push(m);
        }
    front = next;
  }
  return all.filter(n => seen.has(n));
}
// The places nearest to the wanted ones, in order and `gap` apart: neighbours that push each other move as one block.
function spread(wanted, gap) {
  const blocks = [];
  wanted.forEach((w, i) => {
    let block = {sum: w - i * gap, n: 1};
    while (blocks.length && blocks[blocks.length - 1].sum / blocks[blocks.length - 1].n > block.sum / block.n) {
      const last = blocks.pop();
      block = {sum: last.sum + block.sum, n: last.n + block.n};
    }
    blocks.push(block);
  });
  const out = [];
  for (const b of blocks)
    for (let k = 0; k < b.n; k++) out.push(b.sum / b.n + out.length * gap);
  return out;
}
const wide = 158, tall = 40, gapX = 22, gapY = 34;
function layout(list) {
  const levels = [...new Set(list.map(n => nodes[n].level))].sort((a, b) => a - b), rank = new Map(levels.map((l, i) => [l, i]));
  const here = new Set(list), layers = levels.map(() => []), items = new Map();
  for (const n of list) {
    const item = {n, layer: rank.get(nodes[n].level), up: [], down: [], x: 0};
    items.set(n, item);
    layers[item.layer].push(item);
  }
  const edges = report.edges.filter(e => here.has(e.from) && here.has(e.to));
  let bends = edges.reduce((sum, e) => sum + Math.max(0, items.get(e.to).layer - items.get(e.from).layer - 1), 0);
  const lines = edges.map(e => {
    const chain = [items.get(e.from)], last = items.get(e.to);
    if (bends < 6000)
      for (let l = chain[0].layer + 1; l < last.layer; l++) {
        const bend = {n: null, layer: l, up: [], down: [], x: 0};
        layers[l].push(bend);
        chain.push(bend);
      }
    chain.push(last);
    for (let i = 1; i < chain.length; i++) {
      chain[i].up.push(chain[i - 1]);
      chain[i - 1].down.push(chain[i]);
    }
    return {e, chain};
  });
  const mean = (near, otherwise) => near.length ? near.reduce((sum, m) => sum + m.x, 0) / near.length : otherwise;
  for (const layer of layers) layer.forEach((item, i) => { item.x = i; });
  for (let sweep = 0; sweep < 8; sweep++) {
    const down = sweep % 2 === 0;
    for (const layer of down ? layers : [...layers].reverse()) {
      for (const item of layer) item.want = mean(down ? item.up : item.down, item.x);
      layer.sort((a, b) => a.want - b.want);
      layer.forEach((item, i) => { item.x = i; });
    }
  }
  const gap = wide + gapX;
  for (const layer of layers) layer.forEach((item, i) => { item.x = (i - (layer.length - 1) / 2) * gap; });
  for (let sweep = 0; sweep < 6; sweep++) {
    const down = sweep % 2 === 0;
    for (const layer of down ? layers : [...layers].reverse()) {
      const places = spread(layer.map(item => mean(down ? item.up : item.down, item.x)), gap);
      layer.forEach((item, i) => { item.x = places[i]; });
    }
  }
  let left = Infinity, right = -Infinity;
  for (const item of items.values()) {
    left = Math.min(left, item.x);
    right = Math.max(right, item.x);
  }
  for (const layer of layers)
    for (const item of layer) {
      item.x += wide / 2 + 12 - left;
      item.y = 14 + item.layer * (tall + gapY);
    }
  return {items, lines, width: right - left + wide + 24, height: layers.length * (tall + gapY) + 14};
}
function curve(chain) {
  let d = '';
  chain.forEach((p, i) => {
    const top = p.y, bottom = p.y + tall;
    if (i === 0)
      d += `M${p.x} ${bottom}`;
    else {
      const from = chain[i - 1], y0 = from.y + tall, bend = Math.max(12, (top - y0) / 2);
      d += `C${from.x} ${y0 + bend} ${p.x} ${top - bend} ${p.x} ${top}`;
      if (i < chain.length - 1) d += `L${p.x} ${bottom}`;
    }
  });
  return d;
}
)page";

}  // namespace detail
}  // namespace v0
}  // namespace allograph
