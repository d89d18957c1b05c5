#pragma once

namespace allograph {
inline namespace v0 {
namespace detail {

/// The audit's page behind its data: what draws it.
inline constexpr const char* audit_page_script = R"page(</script>
<script>
'use strict';
addEventListener('error', e => { document.documentElement.dataset.error = e.message; });
const report = JSON.parse(document.getElementById('report').textContent);
const by = id => document.getElementById(id);
const nodes = report.nodes, allocations = report.allocations, findings = report.findings;
const drawnAtMost = 2000;
findings.sort((a, b) => (a.severity === 'note') - (b.severity === 'note'));

// --- small helpers

function make(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(attributes || {})) k.startsWith('on') ? e.addEventListener(k.slice(2), v) : e.setAttribute(k, v);
  e.append(...children.filter(c => c !== null));
  return e;
}
function draw(tag, attributes, ...children) {
  const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [k, v] of Object.entries(attributes || {})) k.startsWith('on') ? e.addEventListener(k.slice(2), v) : e.setAttribute(k, v);
  e.append(...children);
  return e;
}
function size(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let u = 0, n = bytes;
  while (n >= 1024 && u < 4) { n /= 1024; u++; }
  return (u === 0 || n === Math.floor(n) ? n : n.toFixed(n < 10 ? 2 : 1)) + ' ' + units[u];
}
// The readable end of a mangled name: its last plain identifier.
function plain(name) {
  if (!name.startsWith('_Z')) return name;
  let last = '', at = 2, found;
  while (at < name.length) {
    if ((found = /^[1-9]\d*/.exec(name.slice(at, at + 4)))) {
      const n = Number(found[0]), from = at + found[0].length;
      if (from + n > name.length) break;
      const word = name.slice(from, from + n);
      if (!/^_GLOBAL__/.test(word)) last = word;
      at = from + n;
      if (!/^N/.test(name.slice(2)) || !/^[1-9]/.test(name.slice(at))) break;
    } else at++;
  }
  return last || name;
}
const cut = (text, n) => text.length > n ? text.slice(0, n - 1) + '\u2026' : text;
const named = i => i + ' ' + nodes[i].kind.replace('_', ' ') + (nodes[i].name ? ' ' + plain(nodes[i].name) : '');
const groups = { alloc: 'alloc', free: 'free', memset: 'copy', memcpy: 'copy', kernel: 'kernel', child: 'holder', conditional: 'holder' };
const groupOf = n => groups[n.kind] || 'other';

// --- what belongs to what

const before = nodes.map(() => []), after = nodes.map(() => []);
for (const e of report.edges) { after[e.from].push(e.to); before[e.to].push(e.from); }
const inside = new Map([[null, []]]);
nodes.forEach((n, i) => { if (!inside.has(n.parent)) inside.set(n.parent, []); inside.get(n.parent).push(i); });
const usesOf = nodes.map(() => []);
allocations.forEach((a, i) => {
  const all = new Map([[a.allocated_by, 'allocates']]);
  if (a.freed_by !== null) all.set(a.freed_by, 'frees');
  for (const u of a.uses) if (!all.has(u.node)) all.set(u.node, u.access === 'read' ? 'reads' : u.access === 'write' ? 'writes' : 'may touch');
  for (const [n, how] of all) usesOf[n].push({ allocation: i, how });
});
const severity = {};
const worst = (table, key, s) => { if (table[key] !== 'error') table[key] = s; };
const ofAllocation = {};
for (const f of findings) {
  for (const n of [...f.nodes, ...(f.path || []), ...(f.missing || [])]) worst(severity, n, f.severity);
  if (f.allocation !== null) worst(ofAllocation, f.allocation, f.severity);
}
const classOf = (table, key) => table[key] === 'error' ? ' found' : table[key] ? ' noted' : '';

// --- what is shown now

const state = { parent: null, show: 'all', node: 0, allocation: null, finding: null, chosen: null, scale: 1 };

function choose(change) {
  Object.assign(state, change);
  if (state.chosen !== null && change.chosen !== undefined) {
    state.parent = nodes[state.chosen].parent;
    state.node = state.chosen;
    if (state.show === 'all' && inside.get(state.parent).length > drawnAtMost) state.show = severity[state.chosen] ? 'findings' : 'node';
  }
  drawGraph();
  mark();
  tell();
}
const link = i => make('button', { type: 'button', class: 'link', onclick: () => { choose({ chosen: i }); by('h-graph').scrollIntoView({ block: 'start' }); } }, named(i));
const memoryLink = i => make('button', { type: 'button', class: 'link', onclick: () => choose({ allocation: i }) },
  `allocation ${i} (${size(allocations[i].bytes)})`);

// --- summary and findings

function summary() {
  by('name').textContent = report.graph.name || 'a graph without a name';
  by('made').textContent = 'allograph ' + report.allograph;
  const errors = findings.filter(f => f.severity === 'error').length, notes = findings.length - errors, f = report.footprint;
  const rows = [['findings', errors || 'none', errors ? 'bad' : 'good'], ['notes', notes || 'none', notes ? 'note' : ''],
    ['nodes', report.graph.nodes, ''], ['edges', report.graph.edges, ''], ['allocations', allocations.length, '']];
  if (allocations.length) rows.push(['the driver takes', size(f.driver), ''], ['a plan needs', size(f.planned), ''], ['least possible', size(f.lower_bound), '']);
  for (const [what, value, kind] of rows) by('figures').append(make('div', { class: kind }, make('dt', {}, what), make('dd', {}, String(value))));
}
function chain(list, arrow, label) {
  const row = make('div', { class: 'chain' }, make('span', { class: 'quiet' }, label));
  list.forEach((n, i) => { if (i) row.append(make('span', { 'aria-hidden': 'true' }, arrow)); row.append(link(n)); });
  return row;
}
function findingList() {
  const at = by('findings'), most = 200;
  if (!findings.length) at.append(make('p', {}, 'None: no rule that this audit checks is broken.'));
  findings.slice(0, most).forEach((f, i) => {
    const card = make('article', { class: 'finding ' + (f.severity === 'note' ? 'note' : '') },
      make('h3', {}, make('span', { class: 'tag' }, f.rule + (f.severity === 'note' ? ' note' : '')), f.message),
      make('p', {}, make('strong', {}, 'Fix: '), f.fix));
    if ((f.missing || []).length) card.append(chain(f.missing, '\u21e2', 'no path'));
    if ((f.path || []).length) card.append(chain(f.path.slice(0, 40), '\u2192', 'path'));
    const rest = f.nodes.filter(n => !(f.missing || []).includes(n) && !(f.path || []).includes(n)).slice(0, 20);
    if (rest.length) card.append(chain(rest, '\u00b7', 'nodes'));
    const row = make('div', { class: 'chain' });
    if (f.allocation !== null) row.append(make('span', { class: 'quiet' }, 'memory'), memoryLink(f.allocation));
    if (f.overlaps !== null && f.overlaps !== undefined) row.append(make('span', { class: 'quiet' }, 'has its bytes by then'), memoryLink(f.overlaps));
    if (f.nodes.length) row.append(make('button', { type: 'button', onclick: () => {
      choose({ finding: i, allocation: f.allocation, chosen: f.nodes[0] });
      by('h-graph').scrollIntoView({ block: 'start' });
    } }, 'Show in the graph'));
    card.append(row);
    at.append(card);
  });
  if (findings.length > most) at.append(make('p', {}, `and ${findings.length - most} more, in the text report`));
}

// --- the graph: layers by level, ordered by their neighbours, straightened

function shownNodes() {
  const all = inside.get(state.parent) || [];
  if (state.show === 'all' && all.length <= drawnAtMost) return all;
  const here = new Set(all), start = (state.show === 'node' ? [state.node] : all.filter(n => severity[n])).filter(n => here.has(n));
  const seen = new Set(start.length ? start.slice(0, 200) : all.slice(0, 1));
  let front = [...seen];
  for (let step = 0; step < (seen.size > 20 ? 2 : 4) && seen.size < 600; step++) {
    const next = [];
    for (const n of front) for (const m of [...before[n], ...after[n]]) if (!seen.has(m) && seen.size < 600) { seen.add(m); next.push(m); }
    front = next;
  }
  return all.filter(n => seen.has(n));
}
// The places nearest to the wanted ones, in order and `gap` apart: neighbours that push each other move as one block.
function spread(wanted, gap) {
  const blocks = [];
  wanted.forEach((w, i) => {
    let block = { sum: w - i * gap, n: 1 };
    while (blocks.length && blocks[blocks.length - 1].sum / blocks[blocks.length - 1].n > block.sum / block.n) {
      const last = blocks.pop();
      block = { sum: last.sum + block.sum, n: last.n + block.n };
    }
    blocks.push(block);
  });
  const out = [];
  for (const b of blocks) for (let k = 0; k < b.n; k++) out.push(b.sum / b.n + out.length * gap);
  return out;
}
const wide = 158, tall = 40, gapX = 22, gapY = 34;
function layout(list) {
  const levels = [...new Set(list.map(n => nodes[n].level))].sort((a, b) => a - b), rank = new Map(levels.map((l, i) => [l, i]));
  const here = new Set(list), layers = levels.map(() => []), items = new Map();
  for (const n of list) { const item = { n, layer: rank.get(nodes[n].level), up: [], down: [], x: 0 }; items.set(n, item); layers[item.layer].push(item); }
  const edges = report.edges.filter(e => here.has(e.from) && here.has(e.to));
  let bends = edges.reduce((sum, e) => sum + Math.max(0, items.get(e.to).layer - items.get(e.from).layer - 1), 0);
  const lines = edges.map(e => {
    const chain = [items.get(e.from)], last = items.get(e.to);
    if (bends < 6000) for (let l = chain[0].layer + 1; l < last.layer; l++) { const bend = { n: null, layer: l, up: [], down: [], x: 0 }; layers[l].push(bend); chain.push(bend); }
    chain.push(last);
    for (let i = 1; i < chain.length; i++) { chain[i].up.push(chain[i - 1]); chain[i - 1].down.push(chain[i]); }
    return { e, chain };
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
  for (const item of items.values()) { left = Math.min(left, item.x); right = Math.max(right, item.x); }
  for (const layer of layers) for (const item of layer) { item.x += wide / 2 + 12 - left; item.y = 14 + item.layer * (tall + gapY); }
  return { items, lines, width: right - left + wide + 24, height: layers.length * (tall + gapY) + 14 };
}
function curve(chain) {
  let d = '';
  chain.forEach((p, i) => {
    const top = p.y, bottom = p.y + tall;
    if (i === 0) d += `M${p.x} ${bottom}`;
    else {
      const from = chain[i - 1], y0 = from.y + tall, bend = Math.max(12, (top - y0) / 2);
      d += `C${from.x} ${y0 + bend} ${p.x} ${top - bend} ${p.x} ${top}`;
      if (i < chain.length - 1) d += `L${p.x} ${bottom}`;
    }
  });
  return d;
}
let current = null;
function drawGraph() {
  const all = inside.get(state.parent) || [];
  by('show').options[0].disabled = all.length > drawnAtMost;
  if (state.show === 'all' && all.length > drawnAtMost) state.show = all.some(n => severity[n]) ? 'findings' : 'node';
  by('show').value = state.show;
  by('around').hidden = state.show !== 'node';
  by('node').value = state.node;
  by('scope').value = String(state.parent);
  by('memory').value = String(state.allocation);
  const list = shownNodes();
  if (!list.length) { by('graph').replaceChildren(make('p', { class: 'quiet' }, 'There are no nodes here.')); current = null; return; }
  const key = state.parent + '/' + list.length + '/' + list[0] + '/' + list[list.length - 1] + '/' + (state.show === 'node' ? state.node : '');
  if (current && current.key === key) return;
  const plan = layout(list), svg = draw('svg', { role: 'group', 'aria-label': 'Graph of ' + list.length + ' nodes; arrow keys go from node to node' });
  svg.append(draw('defs', {}, draw('marker', { id: 'tip', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto-start-reverse' }, draw('path', { d: 'M0 0L8 4L0 8z', fill: 'var(--edge)' }))));
  const drawn = new Map(), edges = [];
  for (const { e, chain } of plan.lines) {
    const path = draw('path', { class: 'edge' + (e.type === 'programmatic' ? ' programmatic' : ''), d: curve(chain), 'marker-end': 'url(#tip)' });
    edges.push({ e, path });
    svg.append(path);
  }
  const over = draw('g', {});
  for (const [n, p] of plan.items) {
    const node = nodes[n], holds = inside.has(n);
    const g = draw('g', { class: 'node' + classOf(severity, n), tabindex: -1, role: 'button', 'aria-label': named(n) + (severity[n] ? ', in a finding' : ''), transform: `translate(${p.x - wide / 2} ${p.y})`, onclick: () => choose({ chosen: n, finding: null }) },
      draw('rect', { class: 'box ' + groupOf(node), width: wide, height: tall, rx: 6 }),
      draw('text', { x: 9, y: node.name ? 16 : 24 }, n + '  ' + node.kind.replace('_', ' ') + (holds ? ' \u25be' : '')));
    if (node.name) g.append(draw('text', { class: 'name', x: 9, y: 31 }, cut(plain(node.name), 21)));
    else if (usesOf[n].length && (node.kind === 'alloc' || node.kind === 'free')) g.append(draw('text', { class: 'name', x: 66, y: 24 }, size(allocations[usesOf[n][0].allocation].bytes)));
    if (severity[n]) g.append(draw('text', { class: 'mark', x: wide - 13, y: 17 }, '!'));
    g.append(draw('title', {}, named(n) + (node.name ? '\n' + node.name : '')));
    drawn.set(n, g);
    svg.append(g);
  }
  svg.append(over);
  by('graph').replaceChildren(svg);
  current = { key, plan, svg, drawn, edges, over };
  const room = by('graph').clientWidth || 800;
  zoom(Math.min(1, Math.max(room / plan.width, 0.85)));
  const first = list.find(n => severity[n]) ?? list[0];
  if (first !== undefined) { drawn.get(first).setAttribute('tabindex', 0); reveal(first); }
}
function zoom(scale) {
  if (!current) return;
  state.scale = Math.min(3, Math.max(0.02, scale));
  const { svg, plan } = current;
  svg.setAttribute('viewBox', `0 0 ${plan.width} ${plan.height}`);
  svg.setAttribute('width', plan.width * state.scale);
  svg.setAttribute('height', plan.height * state.scale);
}
function reveal(n) {
  const p = current.plan.items.get(n), box = by('graph');
  if (p) box.scrollTo(p.x * state.scale - box.clientWidth / 2, (p.y + tall / 2) * state.scale - box.clientHeight / 2);
}
// The choice, on what is drawn.
function mark() {
  if (!current) return;
  const f = state.finding === null ? null : findings[state.finding];
  const used = new Set();
  if (state.allocation !== null) { const a = allocations[state.allocation]; [a.allocated_by, a.freed_by, ...a.uses.map(u => u.node)].forEach(n => used.add(n)); }
  for (const [n, g] of current.drawn) {
    g.classList.toggle('uses', used.has(n));
    g.classList.toggle('chosen', n === state.chosen);
    g.setAttribute('tabindex', n === state.chosen ? 0 : -1);
  }
  if (!current.drawn.has(state.chosen)) { const one = [...current.drawn.values()][0]; if (one) one.setAttribute('tabindex', 0); }
  const steps = new Set();
  for (const each of f ? [f] : []) for (let i = 1; i < (each.path || []).length; i++) steps.add(each.path[i - 1] + '>' + each.path[i]);
  for (const { e, path } of current.edges) path.classList.toggle('path', steps.has(e.from + '>' + e.to));
  current.over.replaceChildren();
  for (const each of f ? [f] : findings.slice(0, 100)) {
    if ((each.missing || []).length !== 2) continue;
    const a = current.plan.items.get(each.missing[0]), b = current.plan.items.get(each.missing[1]);
    if (!a || !b) continue;
    const side = a.layer >= b.layer ? Math.max(a.x, b.x) + wide / 2 + 10 : (a.x + b.x) / 2 + wide * 0.35;
    current.over.append(draw('path', { class: 'edge missing', d: `M${a.x + wide / 2 - 20} ${a.y + tall}Q${side} ${(a.y + b.y) / 2 + tall} ${b.x + wide / 2 - 20} ${b.y + (a.layer > b.layer ? tall : 0)}` }));
  }
  for (const e of document.querySelectorAll('.life')) e.classList.toggle('chosen', Number(e.dataset.allocation) === state.allocation);
  if (state.chosen !== null) reveal(state.chosen);
}
function tell() {
  const at = by('detail'), n = state.chosen;
  at.replaceChildren();
  if (n === null && state.allocation === null) { at.append(make('p', { class: 'quiet' }, 'Choose a node to read about it, or an allocation to see who uses it.')); return; }
  if (n !== null) {
    const node = nodes[n];
    at.append(make('h3', {}, named(n)));
    if (node.name && plain(node.name) !== node.name) at.append(make('p', {}, node.name));
    at.append(make('p', {}, `level ${node.level}; edges: ${before[n].length} in, ${after[n].length} out`));
    const list = make('ul');
    for (const u of usesOf[n]) list.append(make('li', {}, u.how + ' ', memoryLink(u.allocation)));
    if (usesOf[n].length) at.append(list);
    if (node.parent !== null) at.append(make('p', {}, 'inside of ', link(node.parent)));
    if (inside.has(n)) at.append(make('button', { type: 'button', onclick: () => choose({ parent: n, show: 'all', chosen: inside.get(n)[0] }) }, 'Open its graph'));
    for (const f of findings) if (f.nodes.includes(n)) at.append(make('p', { class: f.severity === 'note' ? 'note' : '' }, make('span', { class: 'tag' }, f.rule), f.message));
  }
  if (state.allocation !== null) {
    const a = allocations[state.allocation];
    at.append(make('h3', {}, 'Allocation ' + state.allocation), make('p', {}, `${size(a.bytes)} at ${a.address} on device ${a.device}`));
    const list = make('ul', {}, make('li', {}, 'allocated by ', link(a.allocated_by)));
    for (const u of a.uses.slice(0, 30)) list.append(make('li', {}, (u.access === 'unknown' ? 'may be touched' : u.access === 'read' ? 'read' : 'written') + ' by ', link(u.node)));
    if (a.uses.length > 30) list.append(make('li', {}, `and ${a.uses.length - 30} more`));
    list.append(make('li', {}, a.freed_by === null ? 'freed by no node of this graph' : 'freed by ', a.freed_by === null ? '' : link(a.freed_by)));
    at.append(list);
  }
}

// --- lifetimes and the memory map

const lastLevel = Math.max(1, ...[0], nodes.reduce((most, n) => Math.max(most, n.level), 0), allocations.reduce((most, a) => Math.max(most, a.last_level), 0));
const life = (i, attributes) => draw('rect', { class: 'life' + classOf(ofAllocation, i), 'data-allocation': i, onclick: () => choose({ allocation: i }), ...attributes },
  draw('title', {}, `allocation ${i}: ${size(allocations[i].bytes)} at ${allocations[i].address}, levels ${allocations[i].first_level} to ${allocations[i].last_level}`));
function levelAxis(svg, left, width, height) {
  const step = Math.max(1, Math.ceil(lastLevel / Math.max(2, Math.floor(width / 70))));
  for (let l = 0; l <= lastLevel; l += step) {
    const x = left + l / (lastLevel + 1) * width;
    svg.append(draw('line', { class: 'grid', x1: x, x2: x, y1: 0, y2: height }), draw('text', { class: 'quiet', x: x + 3, y: height + 14 }, x + 8 * String(l).length < left + width ? String(l) : ''));
  }
  svg.append(draw('text', { class: 'quiet', x: left + width - 32, y: height + 28 }, 'level'));
}
function lives() {
  const box = by('lives'), most = 2000, shown = allocations.map((a, i) => i).sort((a, b) => allocations[a].first_level - allocations[b].first_level).slice(0, most);
  by('some').textContent = allocations.length > most ? `The first ${most} of ${allocations.length} allocations:` : shown.length ? '' : 'This graph allocates nothing.';
  box.hidden = by('table').parentNode.hidden = !shown.length;
  if (!shown.length) return;
  const left = 96, width = Math.max(180, box.clientWidth - left - 12, 4 * (lastLevel + 1)), row = shown.length > 60 ? 12 : 22, height = shown.length * row + 4;
  const svg = draw('svg', { width: left + width + 8, height: height + 34, role: 'img', 'aria-label': 'Lifetimes of ' + shown.length + ' allocations; the table below has the same' });
  levelAxis(svg, left, width, height);
  const x = level => left + level / (lastLevel + 1) * width;
  shown.forEach((i, r) => {
    const a = allocations[i], y = r * row + 3;
    if (row > 16 || r % 4 === 0) svg.append(draw('text', { x: 6, y: y + row - 8, class: row > 16 ? '' : 'quiet' }, row > 16 ? `${i}: ${size(a.bytes)}` : String(i)));
    svg.append(life(i, { x: x(a.first_level), y, width: Math.max(3, x(a.last_level + 1) - x(a.first_level)), height: row - 5, rx: 2 }));
    for (const u of a.uses.slice(0, 200)) { const n = outermost(u.node); svg.append(draw('circle', { class: 'dot', cx: x(nodes[n].level + 0.5), cy: y + (row - 5) / 2, r: row > 16 ? 3 : 2 })); }
  });
  box.replaceChildren(svg);
  if (by('table').firstChild) return;
  const head = ['allocation', 'bytes', 'address', 'device', 'allocated by', 'freed by', 'levels', 'uses'];
  const table = make('table', {}, make('thead', {}, make('tr', {}, ...head.map(h => make('th', { scope: 'col' }, h)))));
  const body = make('tbody');
  for (const i of shown) {
    const a = allocations[i];
    body.append(make('tr', {}, make('td', {}, memoryLink(i)), make('td', {}, String(a.bytes)), make('td', {}, a.address), make('td', {}, String(a.device)),
      make('td', {}, link(a.allocated_by)), make('td', {}, a.freed_by === null ? '\u2013' : link(a.freed_by)), make('td', {}, `${a.first_level} to ${a.last_level}`), make('td', {}, String(a.uses.length))));
  }
  table.append(body);
  by('table').append(table);
}
// A node of the outermost graph: levels of lifetimes are its.
function outermost(n) { while (nodes[n].parent !== null) n = nodes[n].parent; return n; }

function picture(title, list, place, bytes, lines) {
  const box = make('div', {}, make('h3', {}, title));
  const room = Math.min(560, Math.max(260, (by('map').clientWidth - 16) / (innerWidth > 900 ? 2 : 1) - 8)), left = 90, width = room - left - 8, height = 300;
  const svg = draw('svg', { width: room, height: height + 34, role: 'img', 'aria-label': title });
  levelAxis(svg, left, width, height);
  const y = b => b / bytes * height;
  let said = -20;
  for (const [at, text, chunk] of lines) {
    svg.append(draw('line', { class: chunk ? 'chunk' : 'grid', x1: left, x2: left + width, y1: y(at), y2: y(at) }));
    if (text && y(at) - said > 15) { said = y(at); svg.append(draw('text', { class: 'quiet', x: 2, y: Math.max(11, said + 4) }, text)); }
  }
  for (const i of list) {
    const a = allocations[i], x0 = left + a.first_level / (lastLevel + 1) * width;
    svg.append(life(i, { x: x0, y: y(place(i)), width: Math.max(2, (a.last_level + 1 - a.first_level) / (lastLevel + 1) * width), height: Math.max(2, y(a.bytes)) }));
  }
  box.append(svg);
  return box;
}
function memoryMap() {
  const at = by('map'), f = report.footprint;
  at.replaceChildren();
  if (!allocations.length) { at.append(make('p', {}, 'This graph allocates nothing.')); return; }
  const chunks = f.chunk ? Math.ceil(f.planned / f.chunk) * f.chunk : f.planned, saved = f.driver > chunks ? `, ${size(f.driver - chunks)} less` : '';
  at.append(make('p', {}, `The driver maps chunks of ${size(f.chunk)}. Placed as it is, this graph takes ${size(f.driver)}. Planned, the same lifetimes need ${size(f.planned)}, in chunks ${size(chunks)}${saved}; no plan needs less than ${size(f.lower_bound)}.`));
  const devices = [...new Set(allocations.map(a => a.device))].sort((a, b) => a - b);
  for (const device of devices) {
    const list = allocations.map((a, i) => i).filter(i => allocations[i].device === device), of = devices.length > 1 ? `, device ${device}` : '';
    // Stretches of addresses that are used; what lies between them is left out.
    const ranges = list.map(i => [BigInt(allocations[i].address), BigInt(Math.max(512, allocations[i].bytes))]).sort((a, b) => a[0] < b[0] ? -1 : 1);
    const parts = [];
    for (const [from, bytes] of ranges) {
      const last = parts[parts.length - 1];
      if (last && from <= last.to) { if (from + bytes > last.to) last.to = from + bytes; } else parts.push({ from, to: from + bytes });
    }
    let total = 0;
    for (const p of parts) { p.at = total; total += Number(p.to - p.from); }
    const gap = parts.length > 1 ? total * 0.02 : 0;
    parts.forEach((p, i) => { p.at += i * gap; });
    total += gap * (parts.length - 1);
    const find = address => { let lo = 0, hi = parts.length - 1; while (lo < hi) { const mid = (lo + hi + 1) >> 1; if (parts[mid].from <= address) lo = mid; else hi = mid - 1; } return parts[lo]; };
    const placed = i => { const p = find(BigInt(allocations[i].address)); return p.at + Number(BigInt(allocations[i].address) - p.from); };
    const lines = parts.length <= 12 ? parts.map(p => [p.at, cut('0x' + p.from.toString(16), 13), false]) : [];
    if (f.chunk && total / f.chunk < 40) for (const p of parts) for (let c = (p.from / BigInt(f.chunk) + 1n) * BigInt(f.chunk); c < p.to; c += BigInt(f.chunk)) lines.push([p.at + Number(c - p.from), '', true]);
    const pair = make('div', { class: 'pair' });
    const planned = list.filter(i => allocations[i].planned_offset !== null);
    const most = planned.reduce((m, i) => Math.max(m, allocations[i].planned_offset + allocations[i].bytes), 0), scale = Math.max(total, most);
    pair.append(picture('As the driver placed it' + of, list, placed, scale, lines));
    if (planned.length) pair.append(picture('As planned' + of, planned, i => allocations[i].planned_offset, scale, [[0, '0', false], [most, size(most), false]]));
    at.append(pair);
  }
  at.append(make('p', { class: 'quiet small' }, 'Address against level, at one scale; addresses that nobody uses are left out. Dashed: where a chunk ends. Allocations that leave the graph are not in the plan.'));
}

// --- controls

by('scope').append(...[...inside.keys()].map(p => make('option', { value: String(p) }, (p === null ? 'outermost' : 'inside of ' + cut(named(p), 26)) + ` (${inside.get(p).length})`)));
by('memory').append(make('option', { value: 'null' }, 'none'), ...allocations.slice(0, 5000).map((a, i) => make('option', { value: String(i) }, `${i}: ${size(a.bytes)}`)));
by('scope').onchange = e => choose({ parent: e.target.value === 'null' ? null : Number(e.target.value), chosen: null, finding: null, show: 'all' });
by('show').onchange = e => choose({ show: e.target.value });
by('memory').onchange = e => choose({ allocation: e.target.value === 'null' ? null : Number(e.target.value) });
by('node').max = nodes.length - 1;
by('node').onchange = e => { const n = Number(e.target.value); if (nodes[n]) choose({ chosen: n, show: 'node' }); };
by('in').onclick = () => zoom(state.scale * 1.4);
by('out').onclick = () => zoom(state.scale / 1.4);
by('fit').onclick = () => current && zoom(Math.min(by('graph').clientWidth / current.plan.width, 600 / current.plan.height, 1));
by('graph').addEventListener('keydown', e => {
  const from = [...current.drawn].find(([, g]) => g === document.activeElement);
  if (!from) return;
  const here = current.plan.items.get(from[0]);
  let to = null;
  if (e.key === 'ArrowDown') to = after[from[0]].find(n => current.drawn.has(n));
  else if (e.key === 'ArrowUp') to = before[from[0]].find(n => current.drawn.has(n));
  else if (e.key === 'ArrowLeft' || e.key === 'ArrowRight') {
    const right = e.key === 'ArrowRight', row = [...current.plan.items.values()].filter(p => p.layer === here.layer && (right ? p.x > here.x : p.x < here.x)).sort((a, b) => right ? a.x - b.x : b.x - a.x);
    to = row.length ? row[0].n : null;
  } else if (e.key === 'Enter' || e.key === ' ') { e.preventDefault(); choose({ chosen: from[0], finding: null }); return; } else return;
  e.preventDefault();
  if (to === null || to === undefined) return;
  current.drawn.get(from[0]).setAttribute('tabindex', -1);
  current.drawn.get(to).setAttribute('tabindex', 0);
  current.drawn.get(to).focus({ preventScroll: true });
  reveal(to);
});
const system = matchMedia('(prefers-color-scheme: dark)');
let theme = 'auto';
function paint() {
  document.documentElement.classList.toggle('dark', theme === 'dark' || (theme === 'auto' && system.matches));
  by('theme').textContent = 'Colours: ' + theme;
  by('theme').setAttribute('aria-label', 'Colours: ' + (theme === 'auto' ? 'as the system has them' : theme));
}
by('theme').onclick = () => { theme = { auto: system.matches ? 'light' : 'dark', light: system.matches ? 'dark' : 'auto', dark: system.matches ? 'auto' : 'light' }[theme]; paint(); };
system.addEventListener('change', paint);
let drawnFor = innerWidth;
addEventListener('resize', () => {
  if (innerWidth === drawnFor) return;
  drawnFor = innerWidth;
  lives();
  memoryMap();
  mark();
});

paint();
summary();
findingList();
if (!nodes.length) by('h-graph').parentNode.hidden = true;
lives();
memoryMap();
if (findings.length && findings[0].nodes.length) choose({ finding: 0, allocation: findings[0].allocation, chosen: findings[0].nodes[0] });
else choose({});
if (report.limits.length) by('limits').append(...report.limits.map(l => make('li', {}, l))); else by('h-limits').parentNode.hidden = true;
document.documentElement.dataset.ready = 'yes';
</script>
</body>
</html>
)page";

}  // namespace detail
}  // namespace v0
}  // namespace allograph
