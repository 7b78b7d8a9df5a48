// Texts that mention sent emails have a variant for servers that do not send email.
import { describe, expect, it } from 'vitest';
import { de as german } from '../../src/dashboard/texts/de.ts';
import { en as english } from '../../src/dashboard/texts/en.ts';

/** Every text with its path; functions as they are written. */
function* walk(value: unknown, path: string[] = []): Generator<[string[], string]> {
  if (typeof value === 'string') yield [path, value];
  else if (typeof value === 'function') yield [path, value.toString()];
  else if (value !== null && typeof value === 'object') {
    for (const [key, inner] of Object.entries(value)) yield* walk(inner, [...path, key]);
  }
}

const claims = {
  en: /\bwe('ll)? (sent|send|email|emailed)\b|\bmail(ed)?\b.*\b(sent|on its way)\b|on its way|\bwas emailed\b|\bare mailed\b|Invitation sent|email sent/i,
  de: /wir haben einen|wir senden|ist unterwegs|erhält .*E-Mail|(E-Mail|Einladung)\b.*\bgesendet|kommt auch per/i,
};
/** Shown only after an email was sent, or for what only servers that send email offer. */
const shownAfterSending = new Set([
  'people.resent',
  'people.invited',
  'testers.notified',
  'testers.notifyWait',
  'auth.emailCode.text',
  'account.stepUp.codeSent',
]);
/** Texts about webhooks, the system page and uploads are not about emails. */
const isAboutMail = (path: string[]): boolean => !['webhooks', 'system', 'upload'].includes(path[0] ?? '');

describe.each([
  ['en', english],
  ['de', german],
] as const)('texts in %s', (language, catalog) => {
  it('mention sent emails only in the variant for servers that send email', () => {
    const all = [...walk(catalog)];
    expect(all.length).toBeGreaterThan(500);
    const untrue = all.filter(
      ([path, text]) =>
        isAboutMail(path) &&
        claims[language].test(text) &&
        !path.includes('mailed') &&
        !shownAfterSending.has(path.join('.')),
    );
    expect(untrue.map(([path, text]) => `${path.join('.')}: ${text}`)).toEqual([]);
  });

  it('have both variants', () => {
    const paths = [...walk(catalog)].map(([path]) => path.join('.'));
    const mailed = paths.filter((path) => path.endsWith('.mailed'));
    expect(mailed.length).toBeGreaterThan(15);
    for (const path of mailed) expect(paths).toContain(path.replace(/mailed$/, 'unmailed'));
  });
});
