// The words of the audit trail: what stands on the wire, and the labels people read (specification part 6).

/** Events, as the specification writes them. On the wire they are in snake_case (completions 10.28). */
export const eventLabels = [
  'Created',
  'Edited',
  'Deleted',
  'Revoked',
  'Rolled back',
  'Accepted',
  'Reinvited',
  'Redundant action',
  'Login succeeded',
  'Login failed',
  'Logged out',
  'Session refreshed',
  'Session revoked',
  'All sessions revoked',
  'Password changed',
  'Email verified',
  'Passkey registered',
  'Passkey removed',
  'Passkey login succeeded',
  'MFA enabled',
  'MFA disabled',
  'MFA login succeeded',
  'MFA recovery codes regenerated',
  'Refresh token reuse detected',
  'Project access token created',
  'Project access token rotated',
  'Project access token revoked',
  'Project access token deleted',
  'Org MFA policy changed',
  'Org SSO config changed',
  'Org SSO domain verification changed',
  'SSO login succeeded',
  'Credited',
  'Refunded',
  'Credit forfeited',
  'Prepaid enabled',
  'Org card on file',
  'Org spend cap changed',
  'Org subscription created',
  'Org payment state changed',
  'Org lifecycle changed',
  'Org tier changed',
  'Build retention expired',
  'Device registered',
  'Store publish requested',
  'Store publish completed',
  'Store publish failed',
  'Storage onboarding requested',
  'Storage onboarding rejected',
  'Storage onboarding withdrawn',
  'Data export requested',
  'Data export completed',
  'Data export failed',
  'Data export downloaded',
  'Account deletion requested',
  'Account deletion cancelled',
] as const;

/** Types of the things that events happen to. */
export const typeLabels = [
  'Developer',
  'Organization',
  'Project',
  'Build',
  'Channel',
  'Release',
  'Device',
  'SDK app',
  'Store connection',
  'Webhook subscription',
  'Storage backend',
  'Tester group',
  'Tester group member',
  'Tester group grant',
  'Org tester grant',
  'Project tester grant',
  'Channel tester grant',
  'Channel tester invite',
  'Org membership',
  'Project membership',
  'Org invite',
  'Project invite',
  'PAT',
  'Project access token',
  'Credit',
  'Prepaid',
  'Org spend cap',
  'Org subscription',
  'Org card on file',
  'Org payment state',
  'Org lifecycle',
  'Org tier',
  'Org MFA policy',
  'Org SSO',
  'Org SSO domain',
  'Data export',
  'Store publish',
  'Storage onboarding request',
] as const;

/** A label as it stands on the wire: `Refresh token reuse detected` is `refresh_token_reuse_detected`. */
export function wordOf(label: string): string {
  return label.toLowerCase().replaceAll(' ', '_');
}

const eventByWord = new Map<string, string>(eventLabels.map((label) => [wordOf(label), label]));
const typeByWord = new Map<string, string>(typeLabels.map((label) => [wordOf(label), label]));

/** What people read for an event. The lists are open: a word that is not in them is written out. */
export function eventLabelOf(word: string): string {
  return eventByWord.get(word) ?? writtenOut(word);
}

/** What people read for a type. */
export function typeLabelOf(word: string): string {
  return typeByWord.get(word) ?? writtenOut(word);
}

function writtenOut(word: string): string {
  const text = word.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
