// The style of the phone pages: one stylesheet, one icon and one font, all named by a hash of their content.
import { createHash } from 'node:crypto';
import type { Html } from '../lib/html.ts';
import { font, fontRule } from './font.ts';

/**
 * Colors by role. Text has a contrast of at least 7:1 to its background in both schemes (WCAG AAA), so that it is
 * readable in sunlight.
 */
export interface Palette {
  ground: string;
  card: string;
  line: string;
  text: string;
  quiet: string;
  link: string;
  button: string;
  buttonText: string;
  warning: string;
  warningText: string;
  tile: string;
  tileText: string;
  /** What works. Always with words or an icon. */
  good: string;
  /** The color of the app (src/pages/accent.ts); that of the service for pages without an app. */
  accent: string;
  tint: string;
  wash: string;
  /** Drawn dialogs of phones. */
  sheet: string;
  sheetText: string;
  sheetQuiet: string;
  sheetFill: string;
  /** The buttons in drawn dialogs, as the system colors them. */
  action: string;
  actionText: string;
  /** Marks what to tap. */
  mark: string;
}

export const lightPalette: Palette = {
  ground: '#ffffff',
  card: '#ffffff',
  line: '#d9dce1',
  text: '#13161c',
  quiet: '#434851',
  link: '#0d49bd',
  button: '#0f4cc2',
  buttonText: '#ffffff',
  warning: '#fff5df',
  warningText: '#5a3700',
  tile: '#eff0f3',
  tileText: '#353a43',
  good: '#00602f',
  accent: '#1256d8',
  tint: '#e7eefb',
  wash: '#e3ebfa',
  sheet: '#ffffff',
  sheetText: '#0b0c0f',
  sheetQuiet: '#5f636d',
  sheetFill: '#e6e7eb',
  action: '#0a6fe8',
  actionText: '#0a5fd0',
  mark: '#f5b400',
};

export const darkPalette: Palette = {
  ground: '#0f1115',
  card: '#15171c',
  line: '#30343c',
  text: '#eceef1',
  quiet: '#b9bdc5',
  link: '#86b0ff',
  button: '#86b0ff',
  buttonText: '#06173a',
  warning: '#271d0c',
  warningText: '#f3c470',
  tile: '#23262c',
  tileText: '#d9dce1',
  good: '#63d18f',
  accent: '#86b0ff',
  tint: '#15203a',
  wash: '#141c2e',
  sheet: '#2b2d33',
  sheetText: '#f4f5f7',
  sheetQuiet: '#b3b7bf',
  sheetFill: '#45484f',
  action: '#2b7bf3',
  actionText: '#8db8ff',
  mark: '#fcc618',
};

const rules = `
*,*::before,*::after{box-sizing:border-box}
:root{--font-sans:"Inter",system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;--font-mono:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{position:relative;margin:0;background:var(--ground);color:var(--text);font:1.0625rem/1.5 var(--font-sans);font-feature-settings:"cv11";-webkit-font-smoothing:antialiased;overflow-wrap:anywhere}
body::before{content:"";position:absolute;z-index:-1;inset:0 0 auto;height:18rem;background:linear-gradient(var(--wash),var(--ground))}
main{max-width:27rem;margin:0 auto;padding:1rem max(1.25rem,env(safe-area-inset-right)) 3rem max(1.25rem,env(safe-area-inset-left))}
h1,h2,h3,p,ol,ul,dl,dd,figure{margin:0}
h1{font-size:1.75rem;line-height:1.15;font-weight:600;letter-spacing:-.022em;hyphens:auto;text-wrap:balance}
h1.long{font-size:1.3125rem;line-height:1.2;letter-spacing:-.014em}
li,dd{hyphens:auto}
h2{font-size:1.1875rem;line-height:1.3;font-weight:600;letter-spacing:-.012em}
h3{font-size:1.0625rem;line-height:1.35;font-weight:600;letter-spacing:-.01em}
a{color:var(--link);text-underline-offset:.2em}
a:focus-visible,summary:focus-visible,.address:focus-visible,.shots:focus-visible{outline:3px solid var(--link);outline-offset:3px;border-radius:.5rem}
.org{display:flex;align-items:center;gap:.625rem;min-height:1.75rem;color:var(--quiet);font-size:.9375rem;line-height:1.3;font-weight:500}
.org+.card{margin-top:1rem}
.org>*{min-width:0;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.org>.by{flex:none;max-width:45%;margin-inline-start:auto;font-weight:400}
.orgmark{flex:none;display:grid;place-items:center;width:1.75rem;height:1.75rem;border-radius:.4375rem;object-fit:cover;background:var(--tile);color:var(--tileText);font-size:.875rem;font-weight:600}
.app{display:flex;flex-wrap:wrap;gap:1.125rem;align-items:center;padding:1.5rem 0 1.375rem}
.icon{flex:none;width:5.25rem;height:5.25rem;border-radius:22.5%;box-shadow:0 0 0 1px #0000000f,0 .5rem 1.25rem -.375rem #00000040}
img.icon{object-fit:cover;background:var(--tile)}
.letter{display:flex;align-items:center;justify-content:center;background:var(--tint);color:var(--accent);font-size:2.25rem;font-weight:600}
.app>div{flex:1 1 8rem;min-width:0}
.app .quiet{font-variant-numeric:tabular-nums}
h1+.quiet{margin-top:.25rem}
.title{margin-top:1.75rem}
.offer{display:flex;gap:.875rem;align-items:flex-start;padding:.5rem 0}
.offer .icon{width:3.5rem;height:3.5rem;font-size:1.5rem}
.offer>div{flex:1;min-width:0;margin:0}
.offer>div>*+*{margin-top:.125rem}
.offer p+p>.button{margin-top:.625rem}
.card{padding:1.25rem min(1.25rem,6vw);margin-bottom:1.25rem;border:1px solid var(--line);border-radius:1rem;background:var(--card)}
.card>*+*{margin-top:.75rem}
.part{padding:1.5rem 0;border-top:1px solid var(--line)}
.part>*+*{margin-top:.75rem}
.bare{margin-bottom:1.5rem}
.bare>*+*{margin-top:.75rem}
.button{display:flex;align-items:center;justify-content:center;min-height:3.5rem;padding:.75rem min(1.25rem,3vw);border:2px solid transparent;border-radius:1rem;background:var(--button);color:var(--buttonText);font-size:1.1875rem;font-weight:600;letter-spacing:-.01em;line-height:1.2;text-align:center;hyphens:auto;text-decoration:none;-webkit-tap-highlight-color:transparent}
button.button{width:100%;font-family:inherit;cursor:pointer}
.button:active{opacity:.85}
@media (hover:hover){.button:hover{filter:brightness(.93)}.button.second:hover{filter:none;background:var(--tile)}}
.button.second{min-height:3rem;background:transparent;border:1px solid var(--line);color:var(--link);font-size:1.0625rem}
.button:focus-visible{border-radius:1rem}
.notice{border-color:transparent;background:var(--warning);color:var(--warningText)}
.notice>*+*{margin-top:.25rem}
.quiet{color:var(--quiet);font-size:1rem;line-height:1.4}
.ready{display:flex;align-items:center;gap:.5rem;color:var(--good);font-weight:500;line-height:1.35}
.ready svg,.sign svg{flex:none;width:1.375rem;height:1.375rem;fill:none;stroke:currentColor;stroke-width:1.75;stroke-linecap:round;stroke-linejoin:round}
.swap{display:grid}.swap>*{grid-area:1/1}.swap>:last-child{visibility:hidden}
.bare:focus-within>.swap>:first-child{visibility:hidden}.bare:focus-within>.swap>:last-child{visibility:visible}
.sign{display:grid;place-items:center;width:2.75rem;height:2.75rem;border-radius:50%;background:var(--tint);color:var(--accent)}
.title .sign{background:var(--accent);color:var(--ground)}
ol{padding:0;list-style:none;counter-reset:step}
ol>li{position:relative;padding-inline-start:2.375rem;counter-increment:step}
ol>li+li{margin-top:.75rem}
ol>li::before{content:counter(step);position:absolute;inset-inline-start:0;top:0;width:1.625rem;height:1.625rem;border-radius:50%;background:var(--tint);color:var(--accent);font-size:.9375rem;font-weight:600;line-height:1.625rem;text-align:center}
.pics>li{display:flex;flex-wrap:wrap;row-gap:.75rem;align-items:flex-start;padding:0;font-size:1rem;line-height:1.4}
.pics>li>.pic{flex:0 1 9.75rem;margin-inline-end:1rem}
.pics p{flex:1 1 8.75rem;min-width:0;padding-top:.25rem}
.pics>li+li{margin-top:1.25rem}
.pics>.plain{display:block}
.pics>li::before{content:none}
.pics p::before{content:counter(step);display:inline-block;width:1.5rem;margin-inline-end:.5rem;border-radius:50%;background:var(--tint);color:var(--accent);font-size:.875rem;font-weight:600;line-height:1.5rem;text-align:center}
.pic{display:block;width:100%;height:auto;border-radius:.875rem;background:var(--tint);font-family:var(--font-sans);letter-spacing:-.01em}
.pic text{fill:var(--sheetText);font-size:14px}
.pic .m{text-anchor:middle}.pic .e{text-anchor:end}
.pic .b{font-weight:600}.pic .s{font-size:12px}.pic .l{font-size:16px}
.pic .q{fill:var(--sheetQuiet)}.pic .a{fill:var(--actionText)}.pic .w{fill:#fff}
.pic .sheet{fill:var(--sheet)}.pic .fill{fill:var(--sheetFill)}.pic .do{fill:var(--action)}.pic .on{fill:#2fae55}.pic .white{fill:#fff}.pic .own{fill:var(--accent)}
.pic .slot{fill:var(--accent);opacity:.14}
.pic .rule{stroke:var(--sheetFill)}
.pic .stroke{fill:none;stroke:var(--sheetText);stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
.pic .mark{fill:none;stroke:var(--mark);stroke-width:3.5}
.pic .shade{fill:#000;opacity:.5}
.pic .ring{fill:none;stroke:#fff;stroke-width:3.5;stroke-linecap:round}
.pic image{clip-path:inset(0 round 22.5%)}
.notes>*+*,.notes blockquote>*+*{margin-top:.75rem}
.notes li>*{margin-top:.375rem}
.notes h3{font-size:1rem;font-weight:600;line-height:1.4}
.notes ol{padding-inline-start:1.625rem;list-style:decimal}
.notes ol>li{padding:0}
.notes ol>li+li{margin-top:.375rem}
.notes ol>li::before{content:none}
.notes blockquote{margin-inline:0;padding-inline-start:.75rem;border-inline-start:3px solid var(--line);color:var(--quiet)}
.notes code{font:.9375em/1.45 var(--font-mono)}
.notes pre{padding:.75rem;overflow-x:auto;border:1px solid var(--line);border-radius:.75rem;white-space:pre-wrap;overflow-wrap:anywhere}
.notes a{overflow-wrap:anywhere}
.feedback{display:inline-block;padding:.75rem 0}
.field>*{display:block}.field>label{font-weight:600}.field>*+*{margin-top:.375rem}
.field textarea,.field input{width:100%;padding:.75rem 1rem;border:1px solid var(--line);border-radius:.875rem;background:var(--ground);color:inherit;font:inherit}
.shots{display:flex;align-items:center;gap:.75rem;margin-inline:-1.25rem;padding:.25rem 1.25rem .75rem;overflow-x:auto;scroll-snap-type:x proximity;scroll-padding-inline:1.25rem}
.shots>img{flex:none;border-radius:.875rem;box-shadow:0 0 0 1px var(--line);background:var(--tile);object-fit:contain;scroll-snap-align:start}
.shots>.portrait{width:auto;height:20rem;max-width:100%}
.shots>.landscape{width:100%;height:auto}
ul{padding:0;list-style:none}
ul>li{position:relative;padding-inline-start:1.125rem}
ul>li+li{margin-top:.375rem}
ul>li::before{content:"";position:absolute;inset-inline-start:.125rem;top:.625em;width:.375rem;height:.375rem;border-radius:50%;background:var(--accent)}
.facts>div{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:0 1.5rem;min-height:2.75rem;padding:.375rem 0;border-top:1px solid var(--line);font-size:1rem}
.facts>div:first-child{border-top:0}
.facts dt{color:var(--quiet)}
.facts dd{font-weight:500;font-variant-numeric:tabular-nums}
summary{min-height:3.5rem;padding:.75rem 0;display:flex;align-items:center;justify-content:space-between;gap:1rem;font-weight:600;cursor:pointer;list-style:none}
details.part{padding:0}
details.card{padding-block:0}
details>dl{padding-bottom:1.25rem}
details.part>dl{margin-top:0}
summary::-webkit-details-marker{display:none}
summary::after{content:"";flex:none;width:.5625rem;height:.5625rem;margin-inline-end:.25rem;border:solid var(--quiet);border-width:0 2px 2px 0;transform:translateY(-.125rem) rotate(45deg)}
details[open]>summary::after{transform:translateY(.125rem) rotate(225deg)}
details dt{font-weight:600}
details dd{color:var(--quiet);font-size:1rem;line-height:1.45}
details dd+dt{margin-top:.875rem}
.qr{width:100%;max-width:15rem;margin-inline:auto;padding:.25rem;background:#fff;border:1px solid var(--line);border-radius:1rem}
.qr svg{display:block;width:100%;height:auto}
.address{display:block;padding:.75rem;border:1px solid var(--line);border-radius:.75rem;background:var(--ground);font:.9375rem/1.45 var(--font-mono);user-select:all;-webkit-user-select:all;-webkit-touch-callout:default}
.touched{display:none}
@media (any-pointer:coarse){.touched{display:block}.untouched{display:none}}
.alone{padding-top:12vh}
.embedded,.embedded body{background:none;font-size:.875rem}
.embedded body::before{display:none}
.embedded .alone,.embedded .alone .card{margin:0;padding:0;border:0;background:none;box-shadow:none}
.embedded h1,.embedded label{display:none}
.alone .letter{margin-bottom:1.25rem}
@media (min-width:60rem){
main.wide{max-width:56rem;display:grid;grid-template-columns:1fr 20rem;column-gap:4rem;align-items:start;padding-top:3rem}
.wide .org,.wide .app{grid-column:1/-1}
.wide .side{grid-column:1;grid-row:3;min-width:0}
.wide .action{grid-column:2;grid-row:3}
.wide .side>:first-child{border-top:0;padding-top:0}
}
@media (forced-colors:active){.button,.icon,.qr{border:2px solid ButtonText}.qr svg,.pic{forced-color-adjust:none}}
`.trim();

const css = `${fontRule}
:root{color-scheme:light dark;${variables(lightPalette)}}
@media (prefers-color-scheme:dark){:root{${variables(darkPalette)}}}
${rules}
`;

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0f4cc2"/><path d="M16 7v12m-5-5 5 5 5-5M9 25h14" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>
`;

export interface InstallAsset {
  /** Path on this server. It contains a hash of the content, so it can be cached forever. */
  path: string;
  mediaType: string;
  content: string | Uint8Array;
}

export const installStylesheet = {
  path: assetPath(css, 'css'),
  mediaType: 'text/css; charset=utf-8',
  content: css,
} satisfies InstallAsset;

export const installIcon: InstallAsset = { path: assetPath(icon, 'svg'), mediaType: 'image/svg+xml', content: icon };

/** All assets of a phone page except the icons of apps. */
export const installAssets: readonly InstallAsset[] = [installStylesheet, installIcon, font];

/**
 * Content-Security-Policy of the phone pages: only their own stylesheet, font and images. The policy blocks an icon that
 * redirects to another host, so this server sends the icons itself.
 */
export const installContentSecurityPolicy =
  "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The same for pages with a form. */
export const formContentSecurityPolicy = installContentSecurityPolicy.replace(
  "form-action 'none'",
  "form-action 'self'",
);

/**
 * Returns the Referrer-Policy of a page with a form, and nothing for other pages. Browsers that send no Fetch Metadata, as all of
 * them do without https, show the origin of a form only if the policy allows it.
 */
export function formReferrerPolicy(page: Html): { 'referrer-policy'?: string } {
  return page.toString().includes('<form ') ? { 'referrer-policy': 'same-origin' } : {};
}

function variables(palette: Palette): string {
  return Object.entries(palette)
    .map(([name, color]) => `--${name}:${color}`)
    .join(';');
}

function assetPath(content: string, extension: string): string {
  return `/install/assets/${createHash('sha256').update(content).digest('hex').slice(0, 16)}.${extension}`;
}
