#pragma once

namespace allograph {
inline namespace v0 {
namespace detail {

/// The audit's page up to its data. The policy forbids every request: what the page needs, it holds.
inline constexpr const char* audit_page = R"page(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>CUDA graph audit</title>
<style>
:root {
  color-scheme: light;
  --page: #f6f7f9; --card: #fff; --line: #d5d9e0; --text: #1b2027; --quiet: #59626f; --accent: #0b5cad; --accent-soft: #dcebfa;
  --bad: #b3261e; --bad-soft: #fce8e6; --note: #7a5200; --note-soft: #fdf1d8; --good: #1a6b3c; --good-soft: #e0f3e7;
  --alloc: #bfe5cd; --free: #f6d6b8; --copy: #cfe0f6; --kernel: #ddd8f3; --other: #e6e8ec; --holder: #f3d9ea; --edge: #8a94a3;
}
:root.dark {
  color-scheme: dark;
  --page: #12151a; --card: #1b2027; --line: #363d48; --text: #e7eaef; --quiet: #a3acb9; --accent: #7db8f5; --accent-soft: #1d3a58;
  --bad: #ff8a80; --bad-soft: #45201e; --note: #f2c161; --note-soft: #3d3015; --good: #79d39b; --good-soft: #173724;
  --alloc: #1f5236; --free: #66421b; --copy: #234a78; --kernel: #463d78; --other: #39414d; --holder: #643354; --edge: #717c8c;
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main, header { max-width: 1240px; margin: 0 auto; padding: 0 16px; }
header { display: flex; gap: 16px; align-items: flex-start; justify-content: space-between; padding-top: 20px; }
h1 { font-size: 1.5rem; line-height: 1.2; margin: 0; }
h2 { font-size: 1.15rem; margin: 0 0 12px; }
h3 { font-size: 1rem; margin: 16px 0 6px; }
p { margin: 0 0 8px; }
.quiet { color: var(--quiet); }
.small { font-size: .875rem; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 16px; margin: 16px 0; }
button, select, input {
  font: inherit; font-size: .875rem; color: inherit; background: var(--card); border: 1px solid var(--line);
  border-radius: 6px; padding: 4px 10px; min-height: 34px;
}
button { cursor: pointer; white-space: nowrap; }
button:hover { border-color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 1px; }
.link {
  background: none; border: 0; padding: 0; min-height: 0; color: var(--accent); text-decoration: underline;
  white-space: normal; text-align: left;
}
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(130px, 1fr)); gap: 12px; margin: 0; }
.figures div { border-left: 4px solid var(--line); padding-left: 10px; }
.figures dt { font-size: .8125rem; color: var(--quiet); }
.figures dd { margin: 0; font-size: 1.25rem; font-weight: 600; }
.figures .bad { border-color: var(--bad); } .figures .good { border-color: var(--good); } .figures .note { border-color: var(--note); }
.bad dd { color: var(--bad); } .good dd { color: var(--good); } .note dd { color: var(--note); }
.finding {
  border: 1px solid var(--line); border-left: 5px solid var(--bad); border-radius: 6px; padding: 10px 14px; margin: 0 0 12px;
}
.finding.note { border-left-color: var(--note); }
.finding h3 { margin: 0 0 4px; overflow-wrap: anywhere; }
.finding p { overflow-wrap: anywhere; }
.tag {
  display: inline-block; font-size: .8125rem; font-weight: 700; border-radius: 4px; padding: 0 7px; margin-right: 6px;
  background: var(--bad-soft); color: var(--bad);
}
.note .tag { background: var(--note-soft); color: var(--note); }
.chain { display: flex; flex-wrap: wrap; gap: 4px 8px; align-items: center; font-size: .875rem; margin: 0 0 8px; }
.tools { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; margin-bottom: 10px; }
.tools label { font-size: .875rem; color: var(--quiet); display: flex; gap: 6px; align-items: center; }
.tools select { max-width: 230px; }
.tools input { width: 84px; }
.canvas { overflow: auto; border: 1px solid var(--line); border-radius: 6px; max-height: 640px; background: var(--page); }
.canvas svg { display: block; margin: 0 auto; }
#lives svg { margin: 0; }
.split { display: grid; grid-template-columns: minmax(0, 1fr) 300px; gap: 14px; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr)); gap: 16px; }
.detail { font-size: .875rem; overflow-wrap: anywhere; }
.detail ul, .limits { margin: 4px 0; padding-left: 20px; }
@media (max-width: 800px) {
  .split { grid-template-columns: minmax(0, 1fr); }
  .canvas { max-height: min(70vh, 560px); }
  section { padding: 12px; }
}
.legend {
  display: flex; flex-wrap: wrap; gap: 4px 14px; font-size: .8125rem; color: var(--quiet); margin: 8px 0 0; padding: 0;
  list-style: none;
}
.legend i {
  display: inline-block; width: 14px; height: 14px; border-radius: 3px; margin-right: 5px; vertical-align: -2px;
  border: 1px solid var(--edge);
}
table { border-collapse: collapse; width: 100%; font-size: .875rem; }
th, td {
  text-align: right; padding: 4px 10px; border-bottom: 1px solid var(--line); white-space: nowrap;
  font-variant-numeric: tabular-nums;
}
th { color: var(--quiet); font-weight: 600; position: sticky; top: 0; background: var(--card); }
td:first-child, th:first-child { text-align: left; }
svg text { fill: var(--text); font: 12px system-ui, sans-serif; }
svg .quiet { fill: var(--quiet); }
.alloc { fill: var(--alloc); background: var(--alloc); } .free { fill: var(--free); background: var(--free); }
.copy { fill: var(--copy); background: var(--copy); } .kernel { fill: var(--kernel); background: var(--kernel); }
.other { fill: var(--other); background: var(--other); } .holder { fill: var(--holder); background: var(--holder); }
.node { cursor: pointer; }
.node rect { stroke: var(--edge); stroke-width: 1; }
.node .name { font-size: 11px; }
.node.found rect.box { stroke: var(--bad); stroke-width: 2.5; }
.node.noted rect.box { stroke: var(--note); stroke-width: 2; }
.node.uses rect.box { stroke: var(--accent); stroke-width: 3; }
.node.chosen rect.box { stroke: var(--text); stroke-width: 3; }
.node:focus { outline: none; } .node:focus-visible rect.box { stroke: var(--accent); stroke-width: 4; }
.node .mark { fill: var(--bad); font-weight: 700; font-size: 14px; }
.node.noted .mark { fill: var(--note); }
.edge { fill: none; stroke: var(--edge); stroke-width: 1.2; }
.edge.programmatic { stroke-dasharray: 2 3; }
.edge.path { stroke: var(--accent); stroke-width: 3; }
.edge.missing { stroke: var(--bad); stroke-width: 2.5; stroke-dasharray: 7 5; }
.grid { stroke: var(--line); stroke-width: 1; } .chunk { stroke: var(--quiet); stroke-dasharray: 3 4; stroke-width: 1; }
.life { fill: var(--copy); stroke: var(--edge); stroke-width: .7; cursor: pointer; }
.life.found { fill: var(--bad-soft); stroke: var(--bad); stroke-width: 1.5; }
.life.noted { fill: var(--note-soft); stroke: var(--note); stroke-width: 1.2; }
.life.chosen { stroke: var(--text); stroke-width: 2.5; }
.dot { fill: var(--text); }
</style>
</head>
<body>
<header>
  <div><h1>CUDA graph audit</h1><p class="quiet" id="name"></p></div>
  <button id="theme" type="button" aria-label="Colours: as the system has them">Colours: auto</button>
</header>
<main>
  <noscript><section><p>This page draws its report with a script. The text report beside it says the same.</p></section></noscript>
  <section aria-labelledby="h-summary"><h2 id="h-summary">Summary</h2><dl class="figures" id="figures"></dl></section>
  <section aria-labelledby="h-findings"><h2 id="h-findings">Findings</h2><div id="findings"></div></section>
  <section aria-labelledby="h-graph">
    <h2 id="h-graph">Graph</h2>
    <div class="tools">
      <label>Graph <select id="scope"></select></label>
      <label>Show <select id="show">
        <option value="all">all nodes</option>
        <option value="findings">around findings</option>
        <option value="node">around a node</option>
      </select></label>
      <label id="around">Node <input id="node" type="number" min="0"></label>
      <label>Memory <select id="memory"></select></label>
      <button id="out" type="button" aria-label="Zoom out">&minus;</button>
      <button id="in" type="button" aria-label="Zoom in">+</button>
      <button id="fit" type="button">Fit</button>
    </div>
    <div class="split">
      <div><div class="canvas" id="graph"></div>
        <ul class="legend">
          <li><i class="alloc"></i>allocation</li>
          <li><i class="free"></i>free</li>
          <li><i class="copy"></i>memset, memcpy</li>
          <li><i class="kernel"></i>kernel</li>
          <li><i class="holder"></i>child, conditional</li>
          <li><i class="other"></i>other</li>
          <li>! in a finding</li>
          <li>dashed red: the path that is missing</li>
        </ul></div>
      <div class="detail" id="detail" aria-live="polite"></div>
    </div>
  </section>
  <section aria-labelledby="h-lives"><h2 id="h-lives">Lifetimes</h2>
    <p class="quiet small">Each allocation from the level that makes it to the level that frees it. A level is a node's place on
      the longest path to it; dots are uses.</p>
    <p id="some"></p>
    <div class="canvas" id="lives"></div>
    <details><summary>As a table</summary><div class="canvas" id="table"></div></details>
  </section>
  <section aria-labelledby="h-map"><h2 id="h-map">Memory</h2><div id="map"></div></section>
  <section aria-labelledby="h-limits">
    <h2 id="h-limits">What this audit could not see</h2>
    <ul class="limits" id="limits"></ul></section>
  <p class="quiet small" id="made"></p>
</main>
<script type="application/json" id="report">
)page";

}  // namespace detail
}  // namespace v0
}  // namespace allograph
