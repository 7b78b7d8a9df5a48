// The theme: one accent color, neutral grays, a 4 px grid, system fonts, light and dark.
import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

const accent: MantineColorsTuple = [
  '#edf4fd',
  '#dbe8f9',
  '#b5d0f2',
  '#8cb7ec',
  '#7fb2f0',
  '#4b8ee0',
  '#2a76d2',
  '#0b5cbd',
  '#0b4da2',
  '#083c80',
];

const systemFont = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif';

export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: { light: 7, dark: 6 },
  colors: { accent },
  fontFamily: systemFont,
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  headings: { fontFamily: systemFont, fontWeight: '650' },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Anchor: { defaultProps: { underline: 'always' } },
    Badge: { defaultProps: { variant: 'light', tt: 'none', fw: 600 } },
    Tooltip: { defaultProps: { openDelay: 250, events: { hover: true, focus: true, touch: true } } },
  },
});

/** Text colors on a tinted background, with enough contrast in both color schemes. */
function tinted(shade: 2 | 9): Record<string, string> {
  const names = ['green', 'red', 'yellow', 'orange', 'gray', 'accent'];
  return Object.fromEntries(
    names.map((name) => [`--mantine-color-${name}-light-color`, `var(--mantine-color-${name}-${shade})`]),
  );
}

/** Dark enough for white text in both color schemes. */
const strongRed = { '--mantine-color-red-filled': '#c92a2a', '--mantine-color-red-filled-hover': '#b02525' };

/** Overrides variables of the library, so that dimmed text and placeholders have a contrast of at least 4.5:1. */
export const resolveVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...tinted(9),
    ...strongRed,
    '--mantine-color-red-outline': '#c92a2a',
    '--mantine-color-yellow-light-color': '#7a4a00',
    '--mantine-color-orange-light-color': '#8a3a00',
    '--mantine-color-green-light-color': '#1d6b2f',
    '--mantine-color-dimmed': '#566069',
    '--mantine-color-placeholder': '#6b7580',
    '--mantine-color-error': '#c92a2a',
    '--tw-ground': '#f6f7f9',
    '--tw-card': '#ffffff',
    '--tw-line': '#e1e5ea',
    '--tw-chosen': '#e4eefb',
    '--tw-link': '#0b5cbd',
  },
  dark: {
    ...tinted(2),
    ...strongRed,
    '--mantine-color-dimmed': '#a3abb5',
    '--mantine-color-placeholder': '#8b949e',
    '--mantine-color-error': '#ff8787',
    '--tw-ground': '#14171b',
    '--tw-card': '#1d2126',
    '--tw-line': '#343a41',
    '--tw-chosen': '#1f3350',
    '--tw-link': '#8cb7ec',
  },
});
