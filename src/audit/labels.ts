// Labels for events and types of the audit trail: docs/specification/audit.md#labels.

const ACRONYMS = new Set(['mfa', 'pat', 'sdk', 'sso']);

/** Returns the label of an event or type, such as `SSO login succeeded` for `sso_login_succeeded`. */
export function labelOf(word: string): string {
  const text = word
    .split('_')
    .map((part) => (ACRONYMS.has(part) ? part.toUpperCase() : part))
    .join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
