#pragma once

namespace allograph {
inline namespace v0 {
namespace detail {

/// Of the audit's page: what its script knows of the report, the summary and the findings.
inline constexpr const char* audit_page_report = R"page(</script>
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
  for (const [k, v] of Object.entries(attributes || {}))
    k.startsWith('on') ? e.addEventListener(k.slice(2), v) : e.setAttribute(k, v);
  e.append(...children.filter(c => c !== null));
  return e;
}
function draw(tag, attributes, ...children) {
  const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [k, v] of Object.entries(attributes || {}))
    k.startsWith('on') ? e.addEventListener(k.slice(2), v) : e.setAttribute(k, v);
  e.append(...children);
  return e;
}
function size(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let u = 0, n = bytes;
  while (n >= 1024 && u < 4) {
    n /= 1024;
    u++;
  }
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
    } else
      at++;
  }
  return last || name;
}
const cut = (text, n) => text.length > n ? text.slice(0, n - 1) + '\u2026' : text;
const named = i => i + ' ' + nodes[i].kind.replace('_', ' ') + (nodes[i].name ? ' ' + plain(nodes[i].name) : '');
const groups = {
  alloc: 'alloc',
  free: 'free',
  memset: 'copy',
  memcpy: 'copy',
  kernel: 'kernel',
  child: 'holder',
  conditional: 'holder'
};
const groupOf = n => groups[n.kind] || 'other';

// --- what belongs to what

const before = nodes.map(() => []), after = nodes.map(() => []);
for (const e of report.edges) {
  after[e.from].push(e.to);
  before[e.to].push(e.from);
}
const inside = new Map([[null, []]]);
nodes.forEach((n, i) => {
  if (!inside.has(n.parent)) inside.set(n.parent, []);
  inside.get(n.parent).push(i);
});
const usesOf = nodes.map(() => []);
allocations.forEach((a, i) => {
  const all = new Map([[a.allocated_by, 'allocates']]);
  if (a.freed_by !== null) all.set(a.freed_by, 'frees');
  for (const u of a.uses)
    if (!all.has(u.node)) all.set(u.node, u.access === 'read' ? 'reads' : u.access === 'write' ? 'writes' : 'may touch');
  for (const [n, how] of all) usesOf[n].push({allocation: i, how});
});
const severity = {};
const worst = (table, key, s) => {
  if (table[key] !== 'error') table[key] = s;
};
const ofAllocation = {};
for (const f of findings) {
  for (const n of [...f.nodes, ...(f.path || []), ...(f.missing || [])]) worst(severity, n, f.severity);
  if (f.allocation !== null) worst(ofAllocation, f.allocation, f.severity);
}
const classOf = (table, key) => table[key] === 'error' ? ' found' : table[key] ? ' noted' : '';

// --- what is shown now

const state = {
  parent: null,
  show: 'all',
  node: 0,
  allocation: null,
  finding: null,
  chosen: null,
  scale: 1
};

function choose(change) {
  Object.assign(state, change);
  if (state.chosen !== null && change.chosen !== undefined) {
    state.parent = nodes[state.chosen].parent;
    state.node = state.chosen;
    if (state.show === 'all' && inside.get(state.parent).length > drawnAtMost)
      state.show = severity[state.chosen] ? 'findings' : 'node';
  }
  drawGraph();
  mark();
  tell();
}
const link = i => make('button', {
  type: 'button',
  class: 'link',
  onclick: () => {
    choose({chosen: i});
    by('h-graph').scrollIntoView({block: 'start'});
  }
},
                       named(i));
const memoryLink = i => make('button', {type: 'button', class: 'link', onclick: () => choose({allocation: i})},
                             `allocation ${i} (${size(allocations[i].bytes)})`);

// --- summary and findings

function summary() {
  by('name').textContent = report.graph.name || 'a graph without a name';
  by('made').textContent = 'allograph ' + report.allograph;
  const errors = findings.filter(f => f.severity === 'error').length, notes = findings.length - errors, f = report.footprint;
  const rows = [
    ['findings', errors || 'none', errors ? 'bad' : 'good'], ['notes', notes || 'none', notes ? 'note' : ''],
    ['nodes', report.graph.nodes, ''], ['edges', report.graph.edges, ''], ['allocations', allocations.length, '']
  ];
  if (allocations.length)
    rows.push(['the driver takes', size(f.driver), ''], ['a plan needs', size(f.planned), ''],
              ['least possible', size(f.lower_bound), '']);
  for (const [what, value, kind] of rows)
    by('figures').append(make('div', {class: kind}, make('dt', {}, what), make('dd', {}, String(value))));
}
function chain(list, arrow, label) {
  const row = make('div', {class: 'chain'}, make('span', {class: 'quiet'}, label));
  list.forEach((n, i) => {
    if (i) row.append(make('span', {'aria-hidden': 'true'}, arrow));
    row.append(link(n));
  });
  return row;
}
function findingList() {
  const at = by('findings'), most = 200;
  if (!findings.length) at.append(make('p', {}, 'None: no rule that this audit checks is broken.'));
  findings.slice(0, most).forEach((f, i) => {
    const card = make('article', {class: 'finding ' + (f.severity === 'note' ? 'note' : '')},
                      make('h3', {}, make('span', {class: 'tag'}, f.rule + (f.severity === 'note' ? ' note' : '')), f.message),
                      make('p', {}, make('strong', {}, 'Fix: '), f.fix));
    if ((f.missing || []).length) card.append(chain(f.missing, '\u21e2', 'no path'));
    if ((f.path || []).length) card.append(chain(f.path.slice(0, 40), '\u2192', 'path'));
    const rest = f.nodes.filter(n => !(f.missing || []).includes(n) && !(f.path || []).includes(n)).slice(0, 20);
    if (rest.length) card.append(chain(rest, '\u00b7', 'nodes'));
    const row = make('div', {class: 'chain'});
    if (f.allocation !== null) row.append(make('span', {class: 'quiet'}, 'memory'), memoryLink(f.allocation));
    if (f.overlaps !== null && f.overlaps !== undefined)
      row.append(make('span', {class: 'quiet'}, 'has its bytes by then'), memoryLink(f.overlaps));
    if (f.nodes.length)
      row.append(make('button', {
        type: 'button',
        onclick: () => {
          choose({finding: i, allocation: f.allocation, chosen: f.nodes[0]});
          by('h-graph').scrollIntoView({block: 'start'});
        }
      },
                      'Show in the graph'));
    card.append(row);
    at.append(card);
  });
  if (findings.length > most) at.append(make('p', {}, `and ${findings.length - most} more, in the text report`));
}
)page";

}  // namespace detail
}  // namespace v0
}  // namespace allograph
