/** The report's looks: light and dark, narrow and wide, on paper. */
export const style = `
:root { color-scheme: light dark; --line: light-dark(#e4e2db, #2d3138); --muted: light-dark(#5a606b, #a3a9b4);
  --accent: light-dark(#1d5b8f, #86bbe8); --soft: light-dark(#f5f4f0, #1f2228); --warn: light-dark(#7d5200, #e2b866); }
* { box-sizing: border-box; }
body { margin: 0; background: light-dark(#fdfdfc, #14161a); color: light-dark(#1c1f24, #e7e5e0);
  font: 400 15px/1.55 system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', 'Liberation Sans', Arial, sans-serif; overflow-wrap: anywhere; }
main { max-width: 68rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
h1, h2 { font-family: Charter, 'Palatino Linotype', Palatino, Georgia, 'Liberation Serif', serif; line-height: 1.25; }
h1 { margin: 0; font-size: 1.8rem; }
h2 { margin: 2rem 0 0.6rem; font-size: 1.2rem; }
.lede, .small, caption { color: var(--muted); }
.small, caption { font-size: 0.85rem; text-align: left; }
.claim { padding: 0.6rem 1rem; border-left: 3px solid var(--warn); background: var(--soft); }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: 0.9rem; }
.scroll table { min-width: 44rem; }
th, td { padding: 0.35rem 0.6rem; border-bottom: 1px solid var(--line); text-align: left; font-weight: 400; vertical-align: top; white-space: pre-wrap; }
thead th { color: var(--muted); font-size: 0.8rem; }
.num { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
dl { display: grid; grid-template-columns: minmax(7rem, max-content) minmax(0, 1fr); gap: 0.3rem 1.2rem; font-size: 0.9rem; }
dt { color: var(--muted); }
dd { margin: 0; }
details { border-bottom: 1px solid var(--line); padding: 0.35rem 0; }
pre { margin: 0.6rem 0; padding: 0.6rem 0.8rem; background: var(--soft); white-space: pre-wrap; font-size: 0.8rem; }
svg { display: block; }
.axis { stroke: var(--muted); opacity: 0.6; }
.range { stroke: var(--accent); stroke-width: 3; stroke-linecap: round; opacity: 0.55; }
circle { fill: var(--accent); }
@media (max-width: 40rem) { dl { grid-template-columns: minmax(0, 1fr); } dd { margin-bottom: 0.5rem; } }
@media print { body { background: none; } details { break-inside: avoid; } }
`
