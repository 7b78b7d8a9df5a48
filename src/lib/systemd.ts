// Quoting in systemd's unit files.

/** Quotes a word for a unit file, without specifiers and variables (systemd.syntax, "Quoting"). */
export function quoteForSystemd(word: string): string {
  const literal = word.replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /^[\w@%+=:,./$-]+$/.test(literal) ? literal : `"${literal.replace(/[\\"]/g, '\\$&')}"`;
}
