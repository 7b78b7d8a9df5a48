// Quoting in systemd's unit files.

/** Quotes a word of a setting such as ReadWritePaths=, without specifiers (systemd.syntax, "Quoting"). */
export function quoteForSystemd(word: string): string {
  const literal = word.replaceAll('%', '%%');
  return /^[\w@%+=:,./$-]+$/.test(literal) ? literal : `"${literal.replace(/[\\"]/g, '\\$&')}"`;
}

/** Quotes the words of a command, where variables are replaced, too (systemd.service, "Command lines"). */
export function quoteCommand(words: readonly string[]): string {
  return words.map((word) => quoteForSystemd(word.replaceAll('$', '$$$$'))).join(' ');
}
