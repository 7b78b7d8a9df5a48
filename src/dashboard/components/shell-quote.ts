// Quoting of texts in the commands that pages show.

/** Quotes a text for a shell if necessary. */
export function shellQuote(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
