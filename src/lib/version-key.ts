// The key by which a project's builds are sorted by version. Only ASCII, so that SQLite and JavaScript sort it alike.

/** Longer versions are sorted by their beginning. */
const MAX_LENGTH = 200;

// In the order of their characters: 1.0-beta < 1.0 < 1.0+1 < 1.0.1. Numbers and letters sort after all of them.
const BEFORE_RELEASE = '!';
const END = '"';
const PLUS = '#';
const PART = '$';

/**
 * Returns a text that sorts like the version and, for equal versions, like the build number: numbers by their value, what follows a
 * hyphen before the release itself, letters in any case. Versions that people see as different can have the same key.
 */
export function versionKey(versionName: string, buildNumber: number): string {
  let key = '';
  for (const [token] of versionName.toLowerCase().matchAll(/\d+|[a-z]+|[^\da-z]/gu)) {
    if (key.length >= MAX_LENGTH) break;
    key += keyOf(token);
  }
  return `${key.slice(0, MAX_LENGTH)}${END}${String(buildNumber).padStart(16, '0')}`;
}

function keyOf(token: string): string {
  if (/^\d/.test(token)) {
    const digits = token.replace(/^0+(?=\d)/, '');
    return `${String(digits.length).padStart(3, '0')}${digits}`;
  }
  if (/^[a-z]/.test(token)) return token;
  if (token === '-') return BEFORE_RELEASE;
  if (token === '+') return PLUS;
  const point = token.codePointAt(0) ?? 0;
  return point < 0x80 ? PART : `{${point.toString(16).padStart(6, '0')}`;
}
