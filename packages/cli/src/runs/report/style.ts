/** The stylesheet of a report; it loads nothing. */
export const STYLE = `
:root { color-scheme: light dark; --page: #fbfaf8; --card: #fff; --ink: #1f2328; --dim: #59636e; --line: #d9d6d0;
  --accent: #0b6e4f; --bad: #b3261e; --warn: #8a5a00; --fold: #6b3fa0; --add: #e3f6e8; --del: #fdeaea; }
@media (prefers-color-scheme: dark) { :root { --page: #14171a; --card: #1c2024; --ink: #e8eaed; --dim: #a3acb5; --line: #363c43;
  --accent: #5fd3a6; --bad: #ff8a80; --warn: #f0b755; --fold: #c3a1ff; --add: #12321f; --del: #3d1a1c; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
main { max-width: 68rem; margin: 0 auto; padding: 1.5rem clamp(1rem, 4vw, 3rem) 4rem; }
h1 { font-size: clamp(1.4rem, 1rem + 2vw, 2.1rem); line-height: 1.2; margin: .3rem 0; text-wrap: balance; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .8rem; }
.dim, time { color: var(--dim); } .bad { color: var(--bad); } .good { color: var(--accent); } .warn { color: var(--warn); }
.badge { display: inline-block; border: 1px solid currentColor; border-radius: 99px; padding: 0 .7em; font-weight: 600; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .8rem; margin: 1.5rem 0; padding: 0; }
.cards div { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .7rem .9rem; }
.cards dt { color: var(--dim); font-size: .85rem; } .cards dd { margin: 0; font-size: 1.15rem; font-weight: 600; }
pre, code { font: .85rem/1.5 ui-monospace, "SF Mono", Consolas, monospace; }
pre { margin: .5rem 0; padding: .7rem .9rem; background: var(--page); border: 1px solid var(--line); border-radius: .4rem;
  white-space: pre-wrap; max-height: 30rem; overflow: auto; }
.diff span { display: block; } .diff .plus { background: var(--add); } .diff .minus { background: var(--del); }
ol.steps { list-style: none; margin: 0; padding: 0; border-left: 2px solid var(--line); }
.steps > li { margin: 0; padding: .35rem 0 .35rem 1.1rem; }
.steps time { font-size: .8rem; float: right; margin-left: 1rem; }
.steps .iteration { font-weight: 700; margin-top: 1rem; }
.steps .fold summary, .steps .fold { color: var(--fold); }
.said { white-space: pre-wrap; margin: 0; }
details > summary { cursor: pointer; } details.file { background: var(--card); border: 1px solid var(--line); border-radius: .6rem;
  padding: .6rem .9rem; margin: .6rem 0; }
summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px; }
figure { margin: 0; background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .9rem; }
svg { width: 100%; height: auto; display: block; } .spent { stroke: var(--accent); } .everything { stroke: var(--warn); stroke-dasharray: 6 4; }
polyline { fill: none; stroke-width: 2.5; vector-effect: non-scaling-stroke; } .axis { stroke: var(--line); }
figcaption { display: flex; flex-wrap: wrap; gap: .3rem 1.5rem; font-size: .9rem; margin-top: .5rem; }
footer { margin-top: 3rem; color: var(--dim); font-size: .85rem; }
@media print { pre { max-height: none; } body { background: none; } }
`;
