// The looks of the app in one place: one accent, neutral greys, a grid of 4 px, system fonts, light and dark.
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

/** Words on a tint of their colour, dark enough on a light ground and light enough on a dark one. */
function tinted(shade: 2 | 9): Record<string, string> {
  const names = ['green', 'red', 'yellow', 'orange', 'gray', 'accent'];
  return Object.fromEntries(
    names.map((name) => [`--mantine-color-${name}-light-color`, `var(--mantine-color-${name}-${shade})`]),
  );
}

/** Dark enough for white words in either scheme. */
const strongRed = { '--mantine-color-red-filled': '#c92a2a', '--mantine-color-red-filled-hover': '#b02525' };

/** What differs from the library's own variables: quiet text and placeholders keep a contrast of 4.5:1 and more. */
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
