/** The page's style, light and dark. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1c1f24; --soft: #565d68; --paper: #ffffff; --raised: #f5f6f8; --line: #d9dde3; --focus: #0b57d0;
  --c0: #0b6bcb; --c1: #b8420a; --c2: #6d35d6; --c3: #04724f; --c4: #b0175a; --c5: #5b616b; --wanted: #a15c00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaee; --soft: #a9b0bb; --paper: #14171c; --raised: #1d2128; --line: #363c46; --focus: #8ab8ff;
  --c0: #6cb2ff; --c1: #ff9d5c; --c2: #b9a0ff; --c3: #45d19a; --c4: #ff86b7; --c5: #a7aeb9; --wanted: #e8b55a; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 1160px; margin: 0 auto; padding: 24px 20px 64px; }
h1 { font-size: 1.6rem; margin: 0 0 4px; } h2 { font-size: 1.25rem; margin: 40px 0 8px; } h3 { font-size: 1rem; margin: 16px 0 2px; }
p, figcaption p { margin: 0 0 8px; color: var(--soft); max-width: 75ch; }
a { color: var(--focus); } .skip { position: absolute; left: -999px; } .skip:focus { left: 8px; top: 8px; background: var(--paper); padding: 4px 8px; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: 3px; }
pre, code { font: 13px/1.45 ui-monospace, monospace; } pre { background: var(--raised); border: 1px solid var(--line); border-radius: 6px; padding: 10px 12px; overflow: auto; max-height: 22rem; white-space: pre-wrap; overflow-wrap: anywhere; }
code { overflow-wrap: anywhere; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 480px), 1fr)); gap: 24px; }
figure, .panel, .pair > * { margin: 0; min-width: 0; max-width: 100%; } .facts { font-size: 14px; } .facts p { margin: 0; } dl { margin: 4px 0; font-size: 14px; } dt { font-weight: 600; } dd { margin: 0 0 4px 16px; color: var(--soft); max-width: 75ch; } .scroll { overflow-x: auto; } .scroll > svg { display: block; width: 100%; height: auto; } .scroll > svg.wide { min-width: 720px; }
table { border-collapse: collapse; font-size: 14px; font-variant-numeric: tabular-nums; } th, td { text-align: right; padding: 4px 10px; border-bottom: 1px solid var(--line); vertical-align: top; white-space: nowrap; }
th:first-child { text-align: left; } thead th { color: var(--soft); font-weight: 600; } tbody th { font-weight: 600; }
.receipts { width: 100%; } .receipts th:nth-last-child(-n+2) { text-align: left; } .receipts td:nth-last-child(-n+2) { text-align: left; white-space: normal; min-width: 190px; } .receipts pre { max-width: 640px; } .receipts ul { margin: 4px 0; padding-left: 18px; max-width: 520px; }
.chosen { background: var(--raised); } summary { cursor: pointer; } details > summary { color: var(--soft); padding: 2px 0; }
.controls { display: flex; flex-wrap: wrap; gap: 12px 20px; margin: 8px 0 16px; } label { display: grid; gap: 2px; min-width: 0; max-width: 100%; overflow: hidden; padding: 5px; margin: -5px; font-size: 14px; color: var(--soft); } select { font: inherit; color: var(--ink); background: var(--raised); border: 1px solid var(--line); border-radius: 6px; padding: 6px 8px; width: 100%; text-overflow: ellipsis; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 16px; list-style: none; padding: 0; margin: 4px 0; font-size: 13px; color: var(--ink); } .legend li { display: flex; align-items: center; gap: 5px; }
svg text { fill: var(--ink); font: 12px system-ui, sans-serif; } svg .tick, svg .name { fill: var(--soft); } .middle { text-anchor: middle; } .end { text-anchor: end; }
.grid { stroke: var(--line); fill: none; } .wanted { stroke: var(--wanted); stroke-width: 1.5; stroke-dasharray: 6 4; fill: none; } .frontier { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 2 3; fill: none; }
.join { fill: none; stroke-width: 1.5; opacity: .55; } .view { fill: none; stroke: var(--c0); stroke-width: 2; } .history { fill: none; stroke: var(--soft); stroke-width: 1; stroke-dasharray: 3 3; }
.fold { fill: var(--c1); } .lacked { fill: var(--c4); } .point { outline: none; cursor: default; } .point .tip { display: none; } .point:focus .tip, .point:hover .tip { display: block; }
.point:focus-visible > path { stroke: var(--focus); stroke-width: 3; } .tip rect { fill: var(--ink); } .tip text { fill: var(--paper); font-size: 15px; }
.c0 { fill: var(--c0); stroke: var(--c0); } .c1 { fill: var(--c1); stroke: var(--c1); } .c2 { fill: var(--c2); stroke: var(--c2); } .c3 { fill: var(--c3); stroke: var(--c3); } .c4 { fill: var(--c4); stroke: var(--c4); } .c5 { fill: var(--c5); stroke: var(--c5); }
.sign { stroke: var(--paper); stroke-width: 1; } .sign.hollow { stroke: currentColor; fill: var(--paper); stroke-width: 2; } .c0.hollow { color: var(--c0); } .c1.hollow { color: var(--c1); } .c2.hollow { color: var(--c2); } .c3.hollow { color: var(--c3); } .c4.hollow { color: var(--c4); } .c5.hollow { color: var(--c5); } .join.c0, .join.c1, .join.c2, .join.c3, .join.c4, .join.c5 { fill: none; } text.label { font-size: 11px; fill: var(--soft); stroke: var(--paper); stroke-width: 3px; paint-order: stroke; }
.k0 { fill: var(--c5); } .k1 { fill: var(--c4); } .k2 { fill: var(--c1); } .k3 { fill: var(--c2); } .k4 { fill: var(--c3); } .k5 { fill: var(--c0); } .k6 { fill: var(--wanted); } .area { stroke: var(--paper); stroke-width: .5; opacity: .85; }
.advice { border: 1px solid var(--line); border-left: 4px solid var(--c3); border-radius: 6px; padding: 12px 16px; margin: 16px 0; } .advice p { color: var(--ink); }
@media (max-width: 560px) { .scroll > svg:not(.wide) .axes text { font-size: 15px; } text.label { display: none; } }
@media print { .controls, .skip { display: none; } }
`;

/** Shows only the chosen conversation and policy; without scripts all are shown. Inserts no text. */
export const SCRIPT = `'use strict';
const panels = [...document.querySelectorAll('.panel')];
const conversation = document.getElementById('conversation');
const combination = document.getElementById('combination');
const controls = document.querySelector('.controls');
if (controls && conversation && combination) {
  const choose = () => {
    for (const panel of panels)
      panel.hidden = panel.dataset.conversation !== conversation.value || panel.dataset.combination !== combination.value;
  };
  conversation.addEventListener('change', choose);
  combination.addEventListener('change', choose);
  controls.hidden = false;
  choose();
}
addEventListener('keydown', (event) => {
  const point = event.target.closest && event.target.closest('.point');
  if (!point || !event.key.startsWith('Arrow')) return;
  const points = [...point.parentNode.querySelectorAll('.point')];
  const step = event.key === 'ArrowRight' || event.key === 'ArrowDown' ? 1 : -1;
  const next = points[(points.indexOf(point) + step + points.length) % points.length];
  next.focus();
  event.preventDefault();
});
`;
