#pragma once

namespace allograph {
inline namespace v0 {
namespace detail {

/// Of the audit's page: how the graph is drawn, and what is told of the choice.
inline constexpr const char* audit_page_graph = R"page(// --- the graph as it is drawn

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
  if (!list.length) {
    by('graph').replaceChildren(make('p', {class: 'quiet'}, 'There are no nodes here.'));
    current = null;
    return;
  }
  const key = state.parent + '/' + list.length + '/' + list[0] + '/' + list[list.length - 1] + '/' +
              (state.show === 'node' ? state.node : '');
  if (current && current.key === key) return;
  const plan = layout(list),
        svg = draw('svg', {role: 'group', 'aria-label': 'Graph of ' + list.length + ' nodes; arrow keys go from node to node'});
  svg.append(
      draw('defs', {},
           draw('marker',
                {id: 'tip', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto-start-reverse'},
                draw('path', {d: 'M0 0L8 4L0 8z', fill: 'var(--edge)'}))));
  const drawn = new Map(), edges = [];
  for (const {e, chain} of plan.lines) {
    const path = draw(
        'path', {class: 'edge' + (e.type === 'programmatic' ? ' programmatic' : ''), d: curve(chain), 'marker-end': 'url(#tip)'});
    edges.push({e, path});
    svg.append(path);
  }
  const over = draw('g', {});
  for (const [n, p] of plan.items) {
    const node = nodes[n], holds = inside.has(n);
    const g =
        draw('g', {
          class: 'node' + classOf(severity, n),
          tabindex: -1,
          role: 'button',
          'aria-label': named(n) + (severity[n] ? ', in a finding' : ''),
          transform: `translate(${p.x - wide / 2} ${p.y})`,
          onclick: () => choose({chosen: n, finding: null})
        },
             draw('rect', {class: 'box ' + groupOf(node), width: wide, height: tall, rx: 6}),
             draw('text', {x: 9, y: node.name ? 16 : 24}, n + '  ' + node.kind.replace('_', ' ') + (holds ? ' \u25be' : '')));
    if (node.name)
      g.append(draw('text', {class: 'name', x: 9, y: 31}, cut(plain(node.name), 19)));
    else if (usesOf[n].length && (node.kind === 'alloc' || node.kind === 'free'))
      g.append(draw('text', {class: 'name', x: 66, y: 24}, size(allocations[usesOf[n][0].allocation].bytes)));
    if (severity[n]) g.append(draw('text', {class: 'mark', x: wide - 13, y: 17}, '!'));
    g.append(draw('title', {}, named(n) + (node.name ? '\n' + node.name : '')));
    drawn.set(n, g);
    svg.append(g);
  }
  svg.append(over);
  by('graph').replaceChildren(svg);
  current = {key, plan, svg, drawn, edges, over};
  const room = by('graph').clientWidth || 800;
  zoom(Math.min(1, Math.max(room / plan.width, 0.85)));
  const first = list.find(n => severity[n]) ?? list[0];
  if (first !== undefined) {
    drawn.get(first).setAttribute('tabindex', 0);
    reveal(first);
  }
}
function zoom(scale) {
  if (!current) return;
  state.scale = Math.min(3, Math.max(0.02, scale));
  const {svg, plan} = current;
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
  if (state.allocation !== null) {
    const a = allocations[state.allocation];
    [a.allocated_by, a.freed_by, ...a.uses.map(u => u.node)].forEach(n => used.add(n));
  }
  for (const [n, g] of current.drawn) {
    g.classList.toggle('uses', used.has(n));
    g.classList.toggle('chosen', n === state.chosen);
    g.setAttribute('tabindex', n === state.chosen ? 0 : -1);
  }
  if (!current.drawn.has(state.chosen)) {
    const one = [...current.drawn.values()][0];
    if (one) one.setAttribute('tabindex', 0);
  }
  const steps = new Set();
  for (const each of f ? [f] : [])
    for (let i = 1; i < (each.path || []).length; i++) steps.add(each.path[i - 1] + '>' + each.path[i]);
  for (const {e, path} of current.edges) path.classList.toggle('path', steps.has(e.from + '>' + e.to));
  current.over.replaceChildren();
  for (const each of f ? [f] : findings.slice(0, 100)) {
    if ((each.missing || []).length !== 2) continue;
    const a = current.plan.items.get(each.missing[0]), b = current.plan.items.get(each.missing[1]);
    if (!a || !b) continue;
    const side = a.layer >= b.layer ? Math.max(a.x, b.x) + wide / 2 + 10 : (a.x + b.x) / 2 + wide * 0.35;
    current.over.append(draw('path', {
      class: 'edge missing',
      d: `M${a.x + wide / 2 - 20} ${a.y + tall}Q${side} ${(a.y + b.y) / 2 + tall} ${b.x + wide / 2 - 20} ${
          b.y + (a.layer > b.layer ? tall : 0)}`
    }));
  }
  for (const e of document.querySelectorAll('.life'))
    e.classList.toggle('chosen', Number(e.dataset.allocation) === state.allocation);
  if (state.chosen !== null) reveal(state.chosen);
}
function tell() {
  const at = by('detail'), n = state.chosen;
  at.replaceChildren();
  if (n === null && state.allocation === null) {
    at.append(make('p', {class: 'quiet'}, 'Choose a node to read about it, or an allocation to see who uses it.'));
    return;
  }
  if (n !== null) {
    const node = nodes[n];
    at.append(make('h3', {}, named(n)));
    if (node.name && plain(node.name) !== node.name) at.append(make('p', {}, node.name));
    at.append(make('p', {}, `level ${node.level}; edges: ${before[n].length} in, ${after[n].length} out`));
    const list = make('ul');
    for (const u of usesOf[n]) list.append(make('li', {}, u.how + ' ', memoryLink(u.allocation)));
    if (usesOf[n].length) at.append(list);
    if (node.parent !== null) at.append(make('p', {}, 'inside of ', link(node.parent)));
    if (inside.has(n))
      at.append(make('button', {type: 'button', onclick: () => choose({parent: n, show: 'all', chosen: inside.get(n)[0]})},
                     'Open its graph'));
    for (const f of findings)
      if (f.nodes.includes(n))
        at.append(make('p', {class: f.severity === 'note' ? 'note' : ''}, make('span', {class: 'tag'}, f.rule), f.message));
  }
  if (state.allocation !== null) {
    const a = allocations[state.allocation];
    at.append(make('h3', {}, 'Allocation ' + state.allocation),
              make('p', {}, `${size(a.bytes)} at ${a.address} on device ${a.device}`));
    const list = make('ul', {}, make('li', {}, 'allocated by ', link(a.allocated_by)));
    for (const u of a.uses.slice(0, 30))
      list.append(make('li', {},
                       (u.access === 'unknown' ? 'may be touched'
                        : u.access === 'read'  ? 'read'
                                               : 'written') +
                           ' by ',
                       link(u.node)));
    if (a.uses.length > 30) list.append(make('li', {}, `and ${a.uses.length - 30} more`));
    list.append(make('li', {}, a.freed_by === null ? 'freed by no node of this graph' : 'freed by ',
                     a.freed_by === null ? '' : link(a.freed_by)));
    at.append(list);
  }
}
)page";

}  // namespace detail
}  // namespace v0
}  // namespace allograph
