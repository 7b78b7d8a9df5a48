// Wire shapes of signing in.
import { displayName, emailAddress, password } from '../developers/schema.ts';
import { id } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { registrationFinishBody, secondFactorMethod } from '../second-factors/schema.ts';

/** Longer than all tokens of this program. */
const MAX_TOKEN_LENGTH = 512;

export const loginBody = z
  .object({
    // Malformed addresses get the same response as unknown ones.
    email: z.string().max(1024).meta({ example: 'dana@example.com' }),
    password: password(),
    cookies: z.boolean().default(false).meta({ description: 'Return the tokens only as cookies, for browsers' }),
    captcha_token: z.string().max(8192).nullish(),
  })
  .meta({ id: 'LoginRequest' });

export const invitedSignUpBody = z
  .object({
    invite_token: z.string().min(1).max(200),
    display_name: displayName(),
    password: password(),
    cookies: z.boolean().default(false).meta({ description: 'Return the tokens only as cookies, for browsers' }),
  })
  .meta({ id: 'InvitedSignUpRequest' });

export const passkeySignUpBeginBody = z
  .object({ invite_token: z.string().min(1).max(200), display_name: displayName() })
  .meta({ id: 'PasskeySignUpBeginRequest' });

export const passkeySignUpFinishBody = registrationFinishBody
  .extend({
    invite_token: z.string().min(1).max(200),
    display_name: displayName(),
    cookies: z.boolean().default(false).meta({ description: 'Return the tokens only as cookies, for browsers' }),
  })
  .meta({ id: 'PasskeySignUpFinishRequest' });

export const refreshBody = z
  .object({
    refresh_token: z
      .string()
      .max(MAX_TOKEN_LENGTH)
      .nullish()
      .meta({ description: 'Omitted by browsers, which send it as a cookie' }),
  })
  .meta({ id: 'RefreshRequest' });

export const tokenResponse = z
  .object({
    access_token: z.string().nullable().meta({ description: 'Null if it is returned as a cookie' }),
    refresh_token: z.string().nullable().meta({ description: 'Null if it is returned as a cookie' }),
    token_type: z.literal('Bearer'),
    expires_in: z.int().meta({ description: 'Lifetime of the access token in seconds', example: 600 }),
    session_id: id(),
  })
  .meta({ id: 'TokenResponse' });

const mfaRequired = z
  .object({
    mfa_required: z.literal(true),
    mfa_token: z.string().meta({
      description: 'For completing the sign-in with a two-factor method; valid for five minutes and one sign-in',
    }),
    methods: z.array(secondFactorMethod).meta({ description: 'Methods of the account' }),
  })
  .meta({ id: 'MfaRequiredResponse' });

export const loginResponse = z.union([tokenResponse, mfaRequired]).meta({ id: 'LoginResponse' });

export const emailSignInBody = z
  .object({
    email: emailAddress(),
    captcha_token: z.string().max(8192).nullish(),
  })
  .meta({ id: 'EmailSignInRequest' });

export const emailSignInPending = z.object({ status: z.literal('sign_in_pending') }).meta({ id: 'EmailSignInPending' });

export const emailSignInConfirmBody = z
  .object({
    code: z
      .string()
      .min(1)
      .max(32)
      .nullish()
      .meta({ writeOnly: true, description: 'The six digits from the email, or token', example: '287082' }),
    token: z
      .string()
      .min(1)
      .max(MAX_TOKEN_LENGTH)
      .nullish()
      .meta({ writeOnly: true, description: 'From the link in the email' }),
    cookies: z.boolean().default(false).meta({ description: 'Return the tokens only as cookies, for browsers' }),
  })
  .refine(({ code, token }) => (code == null) !== (token == null), 'Input should have either code or token')
  .meta({ id: 'EmailSignInConfirmRequest' });

export type EmailSignIn = z.output<typeof emailSignInBody>;
export type EmailSignInConfirm = z.output<typeof emailSignInConfirmBody>;
export type Login = z.output<typeof loginBody>;
export type InvitedSignUp = z.output<typeof invitedSignUpBody>;
export type PasskeySignUpBegin = z.output<typeof passkeySignUpBeginBody>;
export type PasskeySignUpFinish = z.output<typeof passkeySignUpFinishBody>;
export type Refresh = z.output<typeof refreshBody>;
export type TokenResponse = z.output<typeof tokenResponse>;
export type MfaRequired = z.output<typeof mfaRequired>;
