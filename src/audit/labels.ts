// Labels for the words of the audit trail: docs/specification/audit.md#words.

const ACRONYMS = new Set(['mfa', 'pat', 'sdk', 'sso']);

/** Returns what people read for an event or a type: `sso_login_succeeded` is `SSO login succeeded`. */
export function labelOf(word: string): string {
  const text = word
    .split('_')
    .map((part) => (ACRONYMS.has(part) ? part.toUpperCase() : part))
    .join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
