// Texts of errors belong to codes and statuses of the server, the same ones in each language.
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../src/dashboard/api/errors.ts';
import { describeError } from '../../src/dashboard/components/errors.tsx';
import { de as german } from '../../src/dashboard/texts/de.ts';
import { en as english } from '../../src/dashboard/texts/en.ts';
import { AppError, errorCodes } from '../../src/lib/errors.ts';

const known: readonly string[] = errorCodes;
const statuses = errorCodes.map((code) => String(new AppError(code).status));

describe.each([
  ['English', english],
  ['German', german],
])('texts of errors in %s', (_language, texts) => {
  it('are for codes of the server', () => {
    expect(Object.keys(texts.errors.codes).filter((code) => !known.includes(code))).toEqual([]);
    expect(Object.keys(texts.errors.fieldCodes).filter((code) => !known.includes(code))).toEqual([]);
  });

  it('are for statuses of the server', () => {
    expect(Object.keys(texts.errors.statuses).filter((status) => !statuses.includes(status))).toEqual([]);
  });

  it('are for the same codes as in English', () => {
    expect(Object.keys(texts.errors.codes).sort()).toEqual(Object.keys(english.errors.codes).sort());
  });

  it('name a passkey only if the organization accepts it as two-factor authentication', () => {
    const explain = (passkeySatisfies: boolean) => {
      const details = { passkey_satisfies: passkeySatisfies };
      const envelope = { error: 'mfa_enrollment_required', message: '', details };
      const { title, text } = describeError(new ApiError(403, envelope, new Headers()), texts);
      return { title, text };
    };
    expect(explain(true)).toEqual(texts.errors.codes.mfa_enrollment_required);
    expect(explain(false)).toEqual(texts.errors.authenticatorRequired);
  });
});
