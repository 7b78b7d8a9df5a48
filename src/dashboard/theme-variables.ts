// Runs at build time: writes the theme's variables to a stylesheet, so that no style element is needed at run time.
import { convertCssVariables, DEFAULT_THEME, defaultCssVariablesResolver, mergeMantineTheme } from '@mantine/core';
import { resolveVariables, theme } from './theme.ts';

/** Colors that the app doesn't use. */
const unused = /^--mantine-color-(?:pink|grape|violet|indigo|cyan|teal|lime|blue)-/;

function keep(variables: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !unused.test(name)));
}

/** Returns the stylesheet. */
export function writeThemeVariables(): string {
  const merged = mergeMantineTheme(DEFAULT_THEME, theme);
  const common = defaultCssVariablesResolver(merged);
  const own = resolveVariables(merged);
  const css = convertCssVariables(
    {
      variables: keep({ ...common.variables, ...own.variables }),
      light: keep({ '--mantine-color-scheme': 'light', ...common.light, ...own.light }),
      dark: keep({ '--mantine-color-scheme': 'dark', ...common.dark, ...own.dark }),
    },
    ':root',
  );
  return css;
}
