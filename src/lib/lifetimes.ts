// Lifetimes of links and sign-ins that texts mention, in milliseconds. Without imports, because the web app's texts use them.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Links in emails about an account. */
export const VERIFY_LINK_MS = DAY;
export const RESET_LINK_MS = HOUR;
export const CHANGE_LINK_MS = DAY;

/** Codes in emails, and the links beside them. */
export const EMAIL_CODE_MS = 15 * MINUTE;

export const SETUP_LINK_LIFETIME_MS = 30 * MINUTE;
export const INVITATION_LIFETIME_MS = 14 * DAY;
export const CHANNEL_INVITATION_LIFETIME_MS = 10 * MINUTE;
export const ENROLLMENT_LIFETIME_MS = HOUR;
export const CAPABILITY_LIFETIME_MS = 15 * MINUTE;
/**
 * The link in an email about a release. It's valid for longer than a capability, because emails are read later, and checks the
 * permission at each use.
 */
export const OPEN_LINK_MS = 14 * DAY;
/** Maximum age of a sign-in through an identity provider that counts as a step-up. */
export const FRESH_SIGN_IN_MS = 5 * MINUTE;

/** Days before the expiry of a profile or certificate at which its maintainers are emailed, last first. */
export const EXPIRY_WARNING_DAYS = [1, 7, 15, 30, 60] as const;

/** Returns these days with the given conjunction, such as "60, 30, 15, 7 and 1". */
export function listWarningDays(and: string): string {
  const [last, ...earlier] = EXPIRY_WARNING_DAYS;
  return `${earlier.toReversed().join(', ')} ${and} ${last}`;
}

type Unit = readonly [milliseconds: number, one: string, many: string];

/** A day is written as 24 hours. */
function inWords(milliseconds: number, units: readonly Unit[]): string {
  const unit = units.find(([size]) => milliseconds % size === 0 && milliseconds !== DAY) ?? units[1];
  const [size, one, many] = unit as Unit;
  const count = milliseconds / size;
  return `${count} ${count === 1 ? one : many}`;
}

/** Returns a lifetime such as "10 minutes" or "1 hour". */
export const englishLifetime = (milliseconds: number): string =>
  inWords(milliseconds, [
    [DAY, 'day', 'days'],
    [HOUR, 'hour', 'hours'],
    [MINUTE, 'minute', 'minutes'],
  ]);

/** Returns a lifetime in German, in the dative that follows "in" and "nach". */
export const germanLifetime = (milliseconds: number): string =>
  inWords(milliseconds, [
    [DAY, 'Tag', 'Tagen'],
    [HOUR, 'Stunde', 'Stunden'],
    [MINUTE, 'Minute', 'Minuten'],
  ]);
