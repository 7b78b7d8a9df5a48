// The font of all pages: Inter, as one embedded file that the phone pages, the web app and the documentation share.
import { createHash } from 'node:crypto';
import { FONT_ASSET, readAsset } from '../lib/assets.ts';

const content = readAsset(FONT_ASSET);
const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);

/** The font file. Its name contains a hash of its content, so it can be cached forever. */
export const font = { path: `/install/assets/inter-${hash}.woff2`, mediaType: 'font/woff2', content };

/**
 * The rule that declares the font, for stylesheets in a folder two levels deep. Pages are readable without it: the browser shows
 * the system's font until the file arrives.
 */
export const fontRule =
  `@font-face{font-family:"Inter";src:url("../..${font.path}") format("woff2");font-weight:100 900;font-style:normal;font-display:swap;` +
  'unicode-range:U+0-FF,U+131,U+152-153,U+2BB-2BC,U+2C6,U+2DA,U+2DC,U+304,U+308,U+329,U+2000-206F,U+20AC,U+2122,U+2191,U+2193,U+2212,U+2215,U+FEFF,U+FFFD}';
