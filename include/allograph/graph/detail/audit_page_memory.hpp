#pragma once

namespace allograph {
inline namespace v0 {
namespace detail {

/// Of the audit's page: lifetimes and the memory map.
inline constexpr const char* audit_page_memory = R"page(// --- lifetimes and the memory map

const lastLevel = Math.max(1, ...[0], nodes.reduce((most, n) => Math.max(most, n.level), 0),
                           allocations.reduce((most, a) => Math.max(most, a.last_level), 0));
const life = (i, attributes) =>
    draw('rect',
         {class: 'life' + classOf(ofAllocation, i), 'data-allocation': i, onclick: () => choose({allocation: i}), ...attributes},
         draw('title', {},
              `allocation ${i}: ${size(allocations[i].bytes)} at ${allocations[i].address}, levels ${
                  allocations[i].first_level} to ${allocations[i].last_level}`));
function levelAxis(svg, left, width, height) {
  const step = Math.max(1, Math.ceil(lastLevel / Math.max(2, Math.floor(width / 70))));
  for (let l = 0; l <= lastLevel; l += step) {
    const x = left + l / (lastLevel + 1) * width;
    svg.append(
        draw('line', {class: 'grid', x1: x, x2: x, y1: 0, y2: height}),
        draw('text', {class: 'quiet', x: x + 3, y: height + 14}, x + 8 * String(l).length < left + width ? String(l) : ''));
  }
  svg.append(draw('text', {class: 'quiet', x: left + width - 32, y: height + 28}, 'level'));
}
function lives() {
  const box = by('lives'), most = 2000,
        shown =
            allocations.map((a, i) => i).sort((a, b) => allocations[a].first_level - allocations[b].first_level).slice(0, most);
  by('some').textContent = allocations.length > most ? `The first ${most} of ${allocations.length} allocations:`
                           : shown.length ? ''
                                          : 'This graph allocates nothing.';
  box.hidden = by('table').parentNode.hidden = !shown.length;
  if (!shown.length) return;
  const left = 96, width = Math.max(180, box.clientWidth - left - 12, 4 * (lastLevel + 1)), row = shown.length > 60 ? 12 : 22,
        height = shown.length * row + 4;
  const svg = draw('svg', {
    width: left + width + 8,
    height: height + 34,
    role: 'img',
    'aria-label': 'Lifetimes of ' + shown.length + ' allocations; the table below has the same'
  });
  levelAxis(svg, left, width, height);
  const x = level => left + level / (lastLevel + 1) * width;
  shown.forEach((i, r) => {
    const a = allocations[i], y = r * row + 3;
    if (row > 16 || r % 4 === 0)
      svg.append(
          draw('text', {x: 6, y: y + row - 8, class: row > 16 ? '' : 'quiet'}, row > 16 ? `${i}: ${size(a.bytes)}` : String(i)));
    svg.append(
        life(i, {x: x(a.first_level), y, width: Math.max(3, x(a.last_level + 1) - x(a.first_level)), height: row - 5, rx: 2}));
    for (const u of a.uses.slice(0, 200)) {
      svg.append(draw('circle', {class: 'dot', cx: x(nodes[u.node].level + 0.5), cy: y + (row - 5) / 2, r: row > 16 ? 3 : 2}));
    }
  });
  box.replaceChildren(svg);
  if (by('table').firstChild) return;
  const head = ['allocation', 'bytes', 'address', 'device', 'allocated by', 'freed by', 'levels', 'uses'];
  const table = make('table', {}, make('thead', {}, make('tr', {}, ...head.map(h => make('th', {scope: 'col'}, h)))));
  const body = make('tbody');
  for (const i of shown) {
    const a = allocations[i];
    body.append(make('tr', {}, make('td', {}, memoryLink(i)), make('td', {}, String(a.bytes)), make('td', {}, a.address),
                     make('td', {}, String(a.device)), make('td', {}, link(a.allocated_by)),
                     make('td', {}, a.freed_by === null ? '\u2013' : link(a.freed_by)),
                     make('td', {}, `${a.first_level} to ${a.last_level}`), make('td', {}, String(a.uses.length))));
  }
  table.append(body);
  by('table').append(table);
}
function picture(title, list, place, bytes, lines) {
  const box = make('div', {}, make('h3', {}, title));
  const room = Math.min(560, Math.max(260, (by('map').clientWidth - 16) / (innerWidth > 900 ? 2 : 1) - 8)), left = 90,
        width = room - left - 8, height = 300;
  const svg = draw('svg', {width: room, height: height + 34, role: 'img', 'aria-label': title});
  levelAxis(svg, left, width, height);
  const y = b => b / bytes * height;
  let said = -20;
  for (const [at, text, chunk] of lines) {
    svg.append(draw('line', {class: chunk ? 'chunk' : 'grid', x1: left, x2: left + width, y1: y(at), y2: y(at)}));
    if (text && y(at) - said > 15) {
      said = y(at);
      svg.append(draw('text', {class: 'quiet', x: 2, y: Math.max(11, said + 4)}, text));
    }
  }
  for (const i of list) {
    const a = allocations[i], x0 = left + a.first_level / (lastLevel + 1) * width;
    svg.append(life(i, {
      x: x0,
      y: y(place(i)),
      width: Math.max(2, (a.last_level + 1 - a.first_level) / (lastLevel + 1) * width),
      height: Math.max(2, y(a.bytes))
    }));
  }
  box.append(svg);
  return box;
}
function memoryMap() {
  const at = by('map'), f = report.footprint;
  at.replaceChildren();
  if (!allocations.length) {
    at.append(make('p', {}, 'This graph allocates nothing.'));
    return;
  }
  const chunks = f.chunk ? Math.ceil(f.planned / f.chunk) * f.chunk : f.planned,
        saved = f.driver > chunks ? `, ${size(f.driver - chunks)} less` : '';
  at.append(make('p', {},
                 `The driver maps chunks of ${size(f.chunk)}. Placed as it is, this graph takes ${
                     size(f.driver)}. Planned, the same lifetimes need ${size(f.planned)}, in chunks ${size(chunks)}${
                     saved}; no plan needs less than ${size(f.lower_bound)}.`));
  const devices = [...new Set(allocations.map(a => a.device))].sort((a, b) => a - b);
  for (const device of devices) {
    const list = allocations.map((a, i) => i).filter(i => allocations[i].device === device),
          of = devices.length > 1 ? `, device ${device}` : '';
    // Stretches of addresses that are used; what lies between them is left out.
    const ranges = list.map(i => [BigInt(allocations[i].address), BigInt(Math.max(512, allocations[i].bytes))])
                       .sort((a, b) => a[0] < b[0] ? -1 : 1);
    const parts = [];
    for (const [from, bytes] of ranges) {
      const last = parts[parts.length - 1];
      if (last && from <= last.to) {
        if (from + bytes > last.to) last.to = from + bytes;
      } else
        parts.push({from, to: from + bytes});
    }
    let total = 0;
    for (const p of parts) {
      p.at = total;
      total += Number(p.to - p.from);
    }
    const gap = parts.length > 1 ? total * 0.02 : 0;
    parts.forEach((p, i) => { p.at += i * gap; });
    total += gap * (parts.length - 1);
    const find = address => {
      let lo = 0, hi = parts.length - 1;
      while (lo < hi) {
        const mid = (lo + hi + 1) >> 1;
        if (parts[mid].from <= address)
          lo = mid;
        else
          hi = mid - 1;
      }
      return parts[lo];
    };
    const placed = i => {
      const p = find(BigInt(allocations[i].address));
      return p.at + Number(BigInt(allocations[i].address) - p.from);
    };
    const lines = parts.length <= 12 ? parts.map(p => [p.at, cut('0x' + p.from.toString(16), 13), false]) : [];
    if (f.chunk && total / f.chunk < 40)
      for (const p of parts)
        for (let c = (p.from / BigInt(f.chunk) + 1n) * BigInt(f.chunk); c < p.to; c += BigInt(f.chunk))
          lines.push([p.at + Number(c - p.from), '', true]);
    const pair = make('div', {class: 'pair'});
    const planned = list.filter(i => allocations[i].planned_offset !== null);
    const most = planned.reduce((m, i) => Math.max(m, allocations[i].planned_offset + allocations[i].bytes), 0),
          scale = Math.max(total, most);
    pair.append(picture('As the driver placed it' + of, list, placed, scale, lines));
    if (planned.length)
      pair.append(picture('As planned' + of, planned, i => allocations[i].planned_offset, scale,
                          [[0, '0', false], [most, size(most), false]]));
    at.append(pair);
  }
  at.append(make(
      'p', {class: 'quiet small'},
      'Address against level, at one scale; addresses that nobody uses are left out. Dashed: where a chunk ends. ' +
                    'Allocations that leave the graph are not in the plan.'));
}
)page";

}  // namespace detail
}  // namespace v0
}  // namespace allograph
