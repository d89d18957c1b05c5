#pragma once

namespace allograph {
inline namespace v0 {
namespace detail {

/// Of the audit's page: its controls, and its end.
inline constexpr const char* audit_page_controls = R"page(// --- controls

by('scope').append(...[...inside.keys()].map(
    p => make('option', {value: String(p)},
              (p === null ? 'outermost' : 'inside of ' + cut(named(p), 26)) + ` (${inside.get(p).length})`)));
by('memory').append(make('option', {value: 'null'}, 'none'),
                    ...allocations.slice(0, 5000).map((a, i) => make('option', {value: String(i)}, `${i}: ${size(a.bytes)}`)));
by('scope').onchange = e =>
    choose({parent: e.target.value === 'null' ? null : Number(e.target.value), chosen: null, finding: null, show: 'all'});
by('show').onchange = e => choose({show: e.target.value});
by('memory').onchange = e => choose({allocation: e.target.value === 'null' ? null : Number(e.target.value)});
by('node').max = nodes.length - 1;
by('node').onchange = e => {
  const n = Number(e.target.value);
  if (nodes[n]) choose({chosen: n, show: 'node'});
};
by('in').onclick = () => zoom(state.scale * 1.4);
by('out').onclick = () => zoom(state.scale / 1.4);
by('fit').onclick = () => current && zoom(Math.min(by('graph').clientWidth / current.plan.width, 600 / current.plan.height, 1));
by('graph').addEventListener('keydown', e => {
  const from = [...current.drawn].find(([, g]) => g === document.activeElement);
  if (!from) return;
  const here = current.plan.items.get(from[0]);
  let to = null;
  if (e.key === 'ArrowDown')
    to = after[from[0]].find(n => current.drawn.has(n));
  else if (e.key === 'ArrowUp')
    to = before[from[0]].find(n => current.drawn.has(n));
  else if (e.key === 'ArrowLeft' || e.key === 'ArrowRight') {
    const right = e.key === 'ArrowRight', row = [...current.plan.items.values()]
                                                    .filter(p => p.layer === here.layer && (right ? p.x > here.x : p.x < here.x))
                                                    .sort((a, b) => right ? a.x - b.x : b.x - a.x);
    to = row.length ? row[0].n : null;
  } else if (e.key === 'Enter' || e.key === ' ') {
    e.preventDefault();
    choose({chosen: from[0], finding: null});
    return;
  } else
    return;
  e.preventDefault();
  if (to === null || to === undefined) return;
  current.drawn.get(from[0]).setAttribute('tabindex', -1);
  current.drawn.get(to).setAttribute('tabindex', 0);
  current.drawn.get(to).focus({preventScroll: true});
  reveal(to);
});
const system = matchMedia('(prefers-color-scheme: dark)');
let theme = 'auto';
function paint() {
  document.documentElement.classList.toggle('dark', theme === 'dark' || (theme === 'auto' && system.matches));
  by('theme').textContent = 'Colours: ' + theme;
  by('theme').setAttribute('aria-label', 'Colours: ' + (theme === 'auto' ? 'as the system has them' : theme));
}
by('theme').onclick = () => {
  theme = {
    auto: system.matches ? 'light' : 'dark',
    light: system.matches ? 'dark' : 'auto',
    dark: system.matches ? 'auto' : 'light'
  }[theme];
  paint();
};
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
if (findings.length && findings[0].nodes.length)
  choose({finding: 0, allocation: findings[0].allocation, chosen: findings[0].nodes[0]});
else
  choose({});
if (report.limits.length)
  by('limits').append(...report.limits.map(l => make('li', {}, l)));
else
  by('h-limits').parentNode.hidden = true;
document.documentElement.dataset.ready = 'yes';
</script>
</body>
</html>
)page";

}  // namespace detail
}  // namespace v0
}  // namespace allograph
