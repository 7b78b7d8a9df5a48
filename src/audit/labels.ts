// The event names and types of the audit log, as sent by the API, and their labels (specification part 6).

/** Event labels of the specification. The API sends them in snake_case (completions 10.28). */
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

/** Types of the objects of events. */
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

/** Returns the API form of a label: `Refresh token reuse detected` is `refresh_token_reuse_detected`. */
export function wordOf(label: string): string {
  return label.toLowerCase().replaceAll(' ', '_');
}

const eventByWord = new Map<string, string>(eventLabels.map((label) => [wordOf(label), label]));
const typeByWord = new Map<string, string>(typeLabels.map((label) => [wordOf(label), label]));

/** Returns the label of an event. The lists are open: unknown names are converted to words. */
export function eventLabelOf(word: string): string {
  return eventByWord.get(word) ?? writtenOut(word);
}

/** Returns the label of a type. */
export function typeLabelOf(word: string): string {
  return typeByWord.get(word) ?? writtenOut(word);
}

function writtenOut(word: string): string {
  const text = word.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
