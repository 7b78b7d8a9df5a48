// Texts of errors belong to codes and statuses of the server, the same ones in each language.
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../src/dashboard/api/errors.ts';
import { describeError } from '../../src/dashboard/components/errors.tsx';
import { explainRefusedInvitation } from '../../src/dashboard/components/lock-errors.ts';
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
    expect(Object.keys(texts.fieldErrors.fieldCodes).filter((code) => !known.includes(code))).toEqual([]);
    expect(Object.keys(texts.errors.offlineCodes).filter((code) => !known.includes(code))).toEqual([]);
    expect(Object.keys(texts.errors.unmailedCodes).filter((code) => !known.includes(code))).toEqual([]);
  });

  it('stand alone where the server has nothing to add to its code', () => {
    for (const code of errorCodes) {
      const { status, message } = new AppError(code);
      const described = (text: string) =>
        describeError(new ApiError(status, { error: code, message: text }, new Headers()), texts).message;
      expect(described(message)).toBe(null);
      expect(described('Only admins can do this')).toBe('Only admins can do this');
    }
  });

  it('lead to the operator where nobody can pay online or email is not sent', () => {
    const explain = (code: 'trial_ended' | 'email_not_verified', hasOnlinePayments: boolean, sendsMail: boolean) => {
      const { status, message } = new AppError(code);
      const error = new ApiError(status, { error: code, message }, new Headers());
      const { title, text } = describeError(error, texts, { hasOnlinePayments, sendsMail });
      return { title, text };
    };
    expect(explain('trial_ended', true, false)).toEqual(texts.errors.codes.trial_ended);
    expect(explain('trial_ended', false, true)).toEqual(texts.errors.offlineCodes.trial_ended);
    expect(explain('email_not_verified', false, true)).toEqual(texts.errors.codes.email_not_verified);
    expect(explain('email_not_verified', true, false)).toEqual(texts.errors.unmailedCodes.email_not_verified);
  });

  it('say nothing about money to people who are invited', () => {
    const { locked, refused } = texts.invitation;
    const explain = (code: (typeof errorCodes)[number]) => {
      const { status, message } = new AppError(code);
      const error = new ApiError(status, { error: code, message }, new Headers());
      return describeError(explainRefusedInvitation(error, texts.invitation, refused), texts);
    };
    for (const code of ['billing_suspended', 'payment_required', 'trial_ended'] as const) {
      expect(explain(code)).toEqual({ ...locked, message: null });
    }
    expect(explain('not_found')).toEqual({ ...refused, message: null });
    expect(explain('already_exists')).toMatchObject(texts.errors.codes.already_exists ?? {});
  });

  it('are for statuses of the server', () => {
    expect(Object.keys(texts.errors.statuses).filter((status) => !statuses.includes(status))).toEqual([]);
  });

  it('are for the same codes as in English', () => {
    expect(Object.keys(texts.errors.codes).sort()).toEqual(Object.keys(english.errors.codes).sort());
    expect(Object.keys(texts.errors.offlineCodes)).toEqual(Object.keys(english.errors.offlineCodes));
    expect(Object.keys(texts.errors.unmailedCodes)).toEqual(Object.keys(english.errors.unmailedCodes));
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
