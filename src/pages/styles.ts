// The style of the phone pages: one stylesheet and one icon, both named by a hash of their content.
import { createHash } from 'node:crypto';

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
}

export const lightPalette: Palette = {
  ground: '#f3f5f8',
  card: '#ffffff',
  line: '#cfd6df',
  text: '#11161d',
  quiet: '#404a57',
  link: '#0a438f',
  button: '#0b4da2',
  buttonText: '#ffffff',
  warning: '#fff1cc',
  warningText: '#452c00',
  tile: '#dde4ee',
  tileText: '#1d2b3e',
};

export const darkPalette: Palette = {
  ground: '#0b0e13',
  card: '#161b23',
  line: '#38424f',
  text: '#f3f6fa',
  quiet: '#bcc6d2',
  link: '#a8ccff',
  button: '#a8ccff',
  buttonText: '#06203f',
  warning: '#3b2b06',
  warningText: '#ffe3a1',
  tile: '#2b3646',
  tileText: '#e6edf7',
};

const rules = `
*,*::before,*::after{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--ground);color:var(--text);font:1.0625rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;overflow-wrap:anywhere}
main{max-width:32rem;margin:0 auto;padding:1rem max(1rem,env(safe-area-inset-right)) 2rem max(1rem,env(safe-area-inset-left))}
h1,h2,h3,p,ol,ul,dl,dd,figure{margin:0}
h1{font-size:1.5rem;line-height:1.2;letter-spacing:-.01em}
h2{font-size:1.125rem;line-height:1.3}
h3{font-size:1.0625rem;line-height:1.3}
a{color:var(--link);text-underline-offset:.2em}
a:focus-visible,summary:focus-visible,.address:focus-visible{outline:3px solid var(--link);outline-offset:3px;border-radius:.5rem}
.app{display:flex;gap:1rem;align-items:flex-start;padding:.5rem 0 1.25rem}
.icon{flex:none;margin-top:.375rem;width:5rem;height:5rem;border-radius:1.15rem}
img.icon{object-fit:cover;background:var(--tile)}
.letter{display:flex;align-items:center;justify-content:center;background:var(--tile);color:var(--tileText);font-size:2.25rem;font-weight:600}
.app>div{min-width:0}
.card{background:var(--card);border:1px solid var(--line);border-radius:1rem;padding:1.125rem;margin-bottom:1rem}
.card>*+*{margin-top:.75rem}
.bare{margin-bottom:1rem}
.bare>*+*{margin-top:.625rem}
.button{display:flex;align-items:center;justify-content:center;min-height:3.75rem;padding:.75rem 1.25rem;border:2px solid transparent;border-radius:1rem;background:var(--button);color:var(--buttonText);font-size:1.25rem;font-weight:650;line-height:1.2;text-align:center;text-decoration:none;-webkit-tap-highlight-color:transparent}
.button:active{opacity:.85}
.button.second{min-height:3rem;background:transparent;border-color:var(--link);color:var(--link);font-size:1.0625rem;font-weight:600}
.button:focus-visible{border-radius:1rem}
.notice{background:var(--warning);color:var(--warningText);border-color:currentColor}
.notice>*+*{margin-top:.25rem}
.quiet{color:var(--quiet);font-size:1rem;line-height:1.4}
ol{padding:0;list-style:none;counter-reset:step}
ol>li{position:relative;padding-inline-start:2.5rem;counter-increment:step}
ol>li+li{margin-top:.75rem}
ol>li::before{content:counter(step);position:absolute;inset-inline-start:0;top:0;width:1.625rem;height:1.625rem;border-radius:50%;background:var(--tile);color:var(--tileText);font-size:1rem;font-weight:600;line-height:1.625rem;text-align:center}
.notes{white-space:pre-line}
.facts>div{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 1.5rem;padding:.5rem 0;border-top:1px solid var(--line)}
.facts>div:first-child{border-top:0;padding-top:0}
.facts>div:last-child{padding-bottom:0}
.facts dt{color:var(--quiet)}
.facts dd{font-weight:500}
summary{min-height:3rem;margin:-1.125rem;padding:.75rem 1.125rem;display:flex;align-items:center;justify-content:space-between;gap:1rem;font-size:1.125rem;font-weight:650;cursor:pointer;list-style:none}
summary::-webkit-details-marker{display:none}
summary::after{content:"";flex:none;width:.6rem;height:.6rem;border:solid var(--quiet);border-width:0 2.5px 2.5px 0;transform:translateY(-.15rem) rotate(45deg)}
details[open]>summary::after{transform:translateY(.15rem) rotate(225deg)}
details[open]>summary{margin-bottom:0}
details dt{font-weight:600}
details dd+dt{margin-top:.875rem}
.qr{width:100%;max-width:17rem;margin-inline:auto;padding:.25rem;background:#fff;border:1px solid var(--line);border-radius:1rem}
.qr svg{display:block;width:100%;height:auto}
.address{display:block;padding:.75rem;border:1px solid var(--line);border-radius:.75rem;background:var(--ground);font:1rem/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;user-select:all;-webkit-user-select:all;-webkit-touch-callout:default}
.touched{display:none}
@media (any-pointer:coarse){.touched{display:block}.untouched{display:none}}
.alone{padding-top:12vh}
.alone .letter{margin-bottom:1.25rem}
@media (min-width:60rem){
main.wide{max-width:62rem;display:grid;grid-template-columns:24rem 1fr;column-gap:2rem;align-items:start;padding-top:2.5rem}
.wide .app{grid-column:1/-1}
.wide .side{grid-column:2}
.wide .action{grid-row:2}
}
@media (forced-colors:active){.button,.icon,.qr{border:2px solid ButtonText}.qr svg{forced-color-adjust:none}}
`.trim();

const css = `:root{color-scheme:light dark;${variables(lightPalette)}}
@media (prefers-color-scheme:dark){:root{${variables(darkPalette)}}}
${rules}
`;

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b4da2"/><path d="M16 7v12m-5-5 5 5 5-5M9 25h14" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>
`;

export interface InstallAsset {
  /** Path on this server. It contains a hash of the content, so it can be cached forever. */
  path: string;
  mediaType: string;
  content: string;
}

export const installStylesheet: InstallAsset = {
  path: assetPath(css, 'css'),
  mediaType: 'text/css; charset=utf-8',
  content: css,
};

export const installIcon: InstallAsset = { path: assetPath(icon, 'svg'), mediaType: 'image/svg+xml', content: icon };

/** All assets of a phone page except the icons of apps. */
export const installAssets: readonly InstallAsset[] = [installStylesheet, installIcon];

/**
 * Content-Security-Policy of the phone pages: only their own stylesheet and images. The policy blocks an icon that
 * redirects to another host, so this server sends the icons itself.
 */
export const installContentSecurityPolicy =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

function variables(palette: Palette): string {
  return Object.entries(palette)
    .map(([name, color]) => `--${name}:${color}`)
    .join(';');
}

function assetPath(content: string, extension: string): string {
  return `/install/assets/${createHash('sha256').update(content).digest('hex').slice(0, 16)}.${extension}`;
}
