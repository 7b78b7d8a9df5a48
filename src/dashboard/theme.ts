// The theme of the component library, expressed in the tokens of styles/tokens.css.
import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';
import type { MouseEvent } from 'react';

const accent: MantineColorsTuple = [
  '#f0f5ff',
  '#dfe9fe',
  '#b9d0fb',
  '#86b0ff',
  '#5f93f6',
  '#4f87f5',
  '#2f6cec',
  '#1256d8',
  '#0f4cc2',
  '#0244be',
];

const gray: MantineColorsTuple = [
  '#f6f7f9',
  '#eff0f3',
  '#e6e8eb',
  '#d3d6db',
  '#b4b8c0',
  '#868a93',
  '#6c7079',
  '#434851',
  '#2a2e35',
  '#13161c',
];

const dark: MantineColorsTuple = [
  '#eceef1',
  '#b3b7bf',
  '#9195a0',
  '#686d77',
  '#30343c',
  '#23262c',
  '#15171c',
  '#0f1115',
  '#0a0b0e',
  '#07080a',
];

/**
 * Moves the focus from an item of a menu to the menu's button before the item acts: dialogs return the focus to where it was when they
 * opened, and the item is gone by then.
 */
function focusMenuButton({ currentTarget, target }: MouseEvent<HTMLElement>): void {
  if (!(target instanceof Element) || target.closest('[role="menuitem"]') === null) return;
  document
    .querySelector<HTMLElement>(`[aria-controls="${CSS.escape(currentTarget.id)}"]`)
    ?.focus({ preventScroll: true });
}

export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: { light: 7, dark: 6 },
  colors: { accent, gray, dark },
  black: '#13161c',
  fontFamily: 'var(--font)',
  fontFamilyMonospace: 'var(--mono)',
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  lineHeights: { xs: '16px', sm: '20px', md: '20px', lg: '24px', xl: '28px' },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '20px', xl: '24px' },
  radius: { xs: '4px', sm: '4px', md: '6px', lg: '10px', xl: '16px' },
  shadows: {
    xs: 'var(--shadow-1)',
    sm: 'var(--shadow-1)',
    md: 'var(--shadow-2)',
    lg: 'var(--shadow-2)',
    xl: 'var(--shadow-3)',
  },
  headings: {
    fontFamily: 'var(--font)',
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '20px', lineHeight: '28px' },
      h2: { fontSize: '20px', lineHeight: '28px' },
      h3: { fontSize: '16px', lineHeight: '24px' },
      h4: { fontSize: '14px', lineHeight: '20px' },
      h5: { fontSize: '14px', lineHeight: '20px' },
      h6: { fontSize: '13px', lineHeight: '20px' },
    },
  },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Anchor: { defaultProps: { underline: 'hover', fw: 500 } },
    Badge: { defaultProps: { variant: 'light', tt: 'none', fw: 500, radius: 'sm' } },
    Menu: { defaultProps: { radius: 'lg', shadow: 'md' } },
    MenuDropdown: { defaultProps: { onClickCapture: focusMenuButton } },
    Modal: { defaultProps: { radius: 'lg', shadow: 'xl' } },
    ModalOverlay: { defaultProps: { onClickCapture: ignoreAccident } },
    DrawerOverlay: { defaultProps: { onClickCapture: ignoreAccident } },
    Tooltip: { defaultProps: { openDelay: 250, events: { hover: true, focus: true, touch: true } } },
  },
});

/**
 * Keeps a dialog open after a click beside it if the button that opened it was double-clicked, and if its form has input,
 * which would be lost.
 */
function ignoreAccident(event: MouseEvent): void {
  const hasInput = event.currentTarget.parentElement?.querySelector('form[data-edited]') != null;
  if (event.detail > 1 || hasInput) event.stopPropagation();
}

/** The variants of a color of the library, from the tokens of a state. */
function stateColors(name: string, state: string): Record<string, string> {
  return {
    [`--mantine-color-${name}-light`]: `var(--${state}-soft)`,
    [`--mantine-color-${name}-light-hover`]: `color-mix(in srgb, var(--${state}-soft), var(--${state}-line) 40%)`,
    [`--mantine-color-${name}-light-color`]: `var(--${state})`,
    [`--mantine-color-${name}-outline`]: `var(--${state})`,
    [`--mantine-color-${name}-text`]: `var(--${state})`,
  };
}

const variables = {
  ...stateColors('green', 'ok'),
  ...stateColors('yellow', 'warn'),
  ...stateColors('orange', 'warn'),
  ...stateColors('red', 'bad'),
  // The color of items in menus.
  '--mantine-color-red-6': 'var(--bad)',
  '--mantine-color-red-filled': 'var(--bad-fill)',
  '--mantine-color-red-filled-hover': 'var(--bad-fill-hover)',
  '--mantine-color-accent-light': 'var(--accent-soft)',
  '--mantine-color-accent-light-hover': 'color-mix(in srgb, var(--accent-soft), var(--accent-line) 40%)',
  '--mantine-color-accent-light-color': 'var(--accent-text)',
  '--mantine-color-accent-outline': 'var(--accent-text)',
  '--mantine-color-accent-filled-hover': 'var(--accent-hover)',
  '--mantine-color-gray-light': 'var(--bg-quiet)',
  '--mantine-color-gray-light-hover': 'var(--bg-press)',
  '--mantine-color-gray-light-color': 'var(--text-2)',
  '--mantine-color-gray-text': 'var(--text-2)',
  '--mantine-color-body': 'var(--bg-raised)',
  '--mantine-color-text': 'var(--text)',
  '--mantine-color-bright': 'var(--text)',
  '--mantine-color-dimmed': 'var(--text-3)',
  '--mantine-color-placeholder': 'var(--text-3)',
  '--mantine-color-anchor': 'var(--accent-text)',
  '--mantine-color-error': 'var(--bad)',
  '--mantine-color-default': 'var(--bg-raised)',
  '--mantine-color-default-hover': 'var(--bg-hover)',
  '--mantine-color-default-color': 'var(--text)',
  '--mantine-color-default-border': 'var(--line-strong)',
};

/** Replaces the library's colors with the tokens; both schemes, because the library sets them per scheme. */
export const resolveVariables: CSSVariablesResolver = () => ({ variables: {}, light: variables, dark: variables });
