/** Replaces the library's component that writes the variables of the theme: the stylesheet has them. */
export function MantineCssVariables(): null {
  return null;
}
