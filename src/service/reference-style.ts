// Stylesheet of the reference page.
import { fontRule } from '../pages/font.ts';

export const referenceStyle = `
${fontRule}
:root { color-scheme: light dark; --ink: #16181d; --soft: #5b6270; --line: #d9dde4; --back: #fff; --code: #f4f5f7; --accent: #1d4ed8; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #eceef2; --soft: #a3abba; --line: #333945; --back: #14161a; --code: #1f232a; --accent: #8fb4ff; }
}
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: var(--back); font: 15px/1.5 "Inter", system-ui, sans-serif; }
a { color: var(--accent); }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
nav ul { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem 1rem; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); padding-bottom: .25rem; }
details { border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0; }
summary { padding: .5rem .75rem; cursor: pointer; display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline; }
summary:focus-visible, a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.method { font: 600 12px/1.6 ui-monospace, monospace; min-width: 3.5rem; text-transform: uppercase; }
code, pre { font: 13px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { background: var(--code); padding: .75rem; border-radius: 6px; overflow-x: auto; }
.body { padding: 0 .75rem .75rem; }
.soft { color: var(--soft); }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th, td { text-align: left; vertical-align: top; padding: .3rem .5rem .3rem 0; border-top: 1px solid var(--line); }
`;
