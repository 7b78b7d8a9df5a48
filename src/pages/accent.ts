// The accent of a phone page: the color of an app's icon, made light or dark enough to be read in both color schemes.
import { darkPalette, type InstallAsset, lightPalette, type Palette } from './styles.ts';

/** Contrast of an accent to everything it is shown on (WCAG 2.2 AA). */
const MIN_ACCENT_CONTRAST = 4.5;

/** An accent in one color scheme, each color as `#rrggbb`. */
export interface Accent {
  /** Readable on the page, on cards, on `tint` and on `wash`. */
  accent: string;
  /** Behind drawings and small signs. */
  tint: string;
  /** The top of the page. */
  wash: string;
}

type Channels = readonly [red: number, green: number, blue: number];

const COLOR = /^#[0-9a-f]{6}$/;
const STEPS = 50;
/** Vivid colors glare on a dark ground. */
const MAX_DARK_SATURATION = 0.7;
const TINT = 0.1;
const DARK_TINT = 0.15;
const WASH = 0.16;

/**
 * Returns the accent of a color in one color scheme. Its hue is kept; it is made lighter or darker as far as needed.
 */
export function accentIn(palette: Palette, color: string): Accent {
  const isDark = luminance(parse(palette.ground)) < 0.2;
  const own = toHsl(parse(color));
  const end = isDark ? 1 : 0;
  // The last step is white or black, which is readable.
  for (let step = 0; step < STEPS; step += 1) {
    const lightness = own.lightness + (end - own.lightness) * (step / STEPS);
    const saturation = isDark ? Math.min(own.saturation, MAX_DARK_SATURATION) : own.saturation;
    const candidate = accentOf(palette, color, fromHsl({ ...own, saturation, lightness }), isDark);
    if (isReadable(palette, candidate)) return candidate;
  }
  return accentOf(palette, color, isDark ? '#ffffff' : '#000000', isDark);
}

function accentOf({ ground }: Palette, color: string, accent: string, isDark: boolean): Accent {
  // A dark color over a dark ground can't be seen, and a dark one over a light ground looks dirty.
  const shade = isDark ? accent : color;
  return { accent, tint: blend(ground, shade, isDark ? DARK_TINT : TINT), wash: blend(ground, shade, WASH) };
}

function isReadable({ ground, card }: Palette, { accent, tint, wash }: Accent): boolean {
  return [ground, card, tint, wash].every((background) => contrast(accent, background) >= MIN_ACCENT_CONTRAST);
}

/** Returns the stylesheet of an accent, or undefined if `name` is not that of one. */
export function findAccentStylesheet(name: string): InstallAsset | undefined {
  const digits = /^accent-([0-9a-f]{6})\.css$/.exec(name)?.[1];
  return digits === undefined ? undefined : accentStylesheet(`#${digits}`);
}

/** Returns the stylesheet that gives a page the accent of a color, `#rrggbb`. It goes after the common one. */
export function accentStylesheet(color: string): InstallAsset {
  if (!COLOR.test(color)) throw new TypeError('A color has six hexadecimal digits');
  const rule = (palette: Palette) =>
    `:root{${Object.entries(accentIn(palette, color))
      .map(([name, value]) => `--${name}:${value}`)
      .join(';')}}`;
  return {
    path: `/install/assets/accent-${color.slice(1)}.css`,
    mediaType: 'text/css; charset=utf-8',
    content: `${rule(lightPalette)}@media (prefers-color-scheme:dark){${rule(darkPalette)}}\n`,
  };
}

/** Returns the contrast of two colors (WCAG 2.2), from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(parse(one)), luminance(parse(other))].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

/** Returns `ground` with a share of `color` over it. */
function blend(ground: string, color: string, share: number): string {
  const over = parse(color);
  const mixed = parse(ground).map((value, index) => value * (1 - share) + (over[index] ?? 0) * share);
  return toHex(mixed);
}

function parse(color: string): Channels {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 0xff, value & 0xff];
}

interface Hsl {
  /** From 0 to 6. */
  hue: number;
  saturation: number;
  lightness: number;
}

function toHsl(channels: Channels): Hsl {
  const [red, green, blue] = channels.map((channel) => channel / 255) as [number, number, number];
  const most = Math.max(red, green, blue);
  const range = most - Math.min(red, green, blue);
  const lightness = most - range / 2;
  if (range === 0) return { hue: 0, saturation: 0, lightness };
  const hue =
    most === red ? (green - blue) / range + 6 : most === green ? 2 + (blue - red) / range : 4 + (red - green) / range;
  return { hue: hue % 6, saturation: range / (1 - Math.abs(2 * lightness - 1)), lightness };
}

function fromHsl({ hue, saturation, lightness }: Hsl): string {
  const range = saturation * Math.min(lightness, 1 - lightness);
  const channel = (offset: number) => {
    const place = (offset + hue * 2) % 12;
    return lightness - range * Math.max(-1, Math.min(place - 3, 9 - place, 1));
  };
  return toHex([channel(0) * 255, channel(8) * 255, channel(4) * 255]);
}

function toHex(channels: readonly number[]): string {
  return `#${channels.map((value) => Math.round(value).toString(16).padStart(2, '0')).join('')}`;
}

function luminance(channels: Channels): number {
  const [red = 0, green = 0, blue = 0] = channels.map((channel) => {
    const value = channel / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
