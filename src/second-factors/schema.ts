// API schemas of two-factor authentication: authenticator apps, recovery codes, passkeys, step-ups and policies.
import { englishLifetime, FRESH_SIGN_IN_MS } from '../lib/lifetimes.ts';
import { dateTime, id, nameLine, page } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';

/** Longest base64url text in a credential. Those of real authenticators have about a tenth of this length. */
const MAX_PART_LENGTH = 16_384;
const MAX_CODE_LENGTH = 64;

const part = () => z.string().min(1).max(MAX_PART_LENGTH);
const credentialId = () => z.string().min(1).max(2048);

/** A TOTP code: six digits, together or in two groups of three. Or a recovery code, with or without its dashes. */
const code = () => z.string().min(1).max(MAX_CODE_LENGTH).meta({ example: '287082' });

/** The browser's result of `navigator.credentials.create`, as written by `toJSON` (WebAuthn Level 3, 5.1). */
const passkeyAttestation = z
  .looseObject({
    id: credentialId(),
    rawId: credentialId(),
    type: z.literal('public-key'),
    response: z.looseObject({
      clientDataJSON: part(),
      attestationObject: part(),
      transports: z.array(z.string().max(32)).max(16).optional(),
    }),
  })
  .meta({
    id: 'PasskeyAttestation',
    description: 'Credential from navigator.credentials.create, as returned by toJSON',
  });

/** The browser's result of `navigator.credentials.get`, as written by `toJSON`. */
const passkeyAssertion = z
  .looseObject({
    id: credentialId(),
    rawId: credentialId(),
    type: z.literal('public-key'),
    response: z.looseObject({
      clientDataJSON: part(),
      authenticatorData: part(),
      signature: part(),
      userHandle: z.string().max(256).nullish(),
    }),
  })
  .meta({ id: 'PasskeyAssertion', description: 'Credential from navigator.credentials.get, as returned by toJSON' });

/** The fields of a step-up, the same in all operations, for use in a body. */
export const stepUpFields = {
  current_password: z
    .string()
    .min(1)
    .max(1024)
    .nullish()
    .meta({ format: 'password', writeOnly: true, description: 'Required if the account has a password' }),
  mfa_code: code().nullish().meta({
    writeOnly: true,
    description:
      'TOTP or recovery code, required if an authenticator app is enrolled. A recovery code replaces a passkey',
  }),
  passkey_challenge_id: id()
    .nullish()
    .meta({ description: 'Required with passkey_assertion if passkeys are the only two-factor method' }),
  passkey_assertion: passkeyAssertion.nullish().meta({ writeOnly: true }),
  email_code: code().nullish().meta({
    writeOnly: true,
    description: 'From an email, required if the account has no other method',
  }),
};

export const authenticationBegin = z
  .object({
    challenge_id: id(),
    options: z.record(z.string(), z.unknown()).meta({ description: 'WebAuthn request options as JSON' }),
  })
  .meta({ id: 'AuthenticationBeginResponse' });

export const authenticationFinishBody = z
  .object({ challenge_id: id(), credential: passkeyAssertion })
  .meta({ id: 'AuthenticationFinishRequest' });

export const registrationBegin = z
  .object({
    challenge_id: id(),
    options: z.record(z.string(), z.unknown()).meta({ description: 'WebAuthn creation options as JSON' }),
  })
  .meta({ id: 'PasskeyRegistrationBeginResponse' });

const passkeyName = () => nameLine(100).meta({ example: 'Work laptop' });

export const registrationFinishBody = z
  .object({ challenge_id: id(), credential: passkeyAttestation, name: passkeyName().default('Passkey') })
  .meta({ id: 'PasskeyRegistrationFinishRequest' });

export const passkey = z
  .object({
    identifier: id(),
    name: z.string(),
    transports: z.array(z.string()).meta({ description: 'Transports reported by the browser', example: ['internal'] }),
    backed_up: z.boolean().meta({ description: 'Whether it is synced to other devices of the owner' }),
    created_at: dateTime(),
    last_used_at: dateTime().nullable(),
    suspended: z.boolean().meta({
      description:
        'Whether it was listed by a password reset and not reviewed. Until then it works only after the password',
    }),
  })
  .meta({ id: 'Passkey' });

export const passkeyPage = page('PasskeyPage', passkey);
export const passkeyChange = z
  .object({ name: passkeyName().optional(), ...stepUpFields })
  .meta({ id: 'PasskeyChange' });

export const secondFactorMethod = z.enum(['totp', 'recovery_code', 'passkey']).meta({ id: 'SecondFactorMethod' });

const stepUpNeeds = z
  .object({
    current_password: z.boolean(),
    mfa_code: z.boolean().meta({ description: 'A TOTP or recovery code' }),
    passkey: z.boolean().meta({ description: 'A passkey, or a recovery code as mfa_code' }),
    email_code: z.boolean().meta({
      description: 'A code by email, for accounts without any other method on servers that send email',
    }),
    single_sign_on: z
      .object({
        login_url: z.string().meta({ description: 'URL for signing in again; relay_state is the path to return to' }),
        fresh_until: dateTime().nullable().meta({ description: 'Null if the sign-in of this session is too old' }),
        held_until: dateTime()
          .nullable()
          .meta({ description: "Until then sign-ins don't count, because the identity provider was replaced" }),
      })
      .nullable()
      .meta({
        description: `For accounts without a password: a sign-in through the identity provider in the last ${englishLifetime(FRESH_SIGN_IN_MS)}`,
      }),
  })
  .meta({ id: 'StepUpNeeds' });

export const mfaStatus = z
  .object({
    enabled: z
      .boolean()
      .meta({ description: 'Whether signing in by password or email requires two-factor authentication' }),
    totp_enabled: z.boolean(),
    totp_enabled_at: dateTime().nullable(),
    passkey_count: z.int(),
    recovery_codes_remaining: z.int(),
    methods: z.array(secondFactorMethod).meta({ description: 'Methods available when signing in by password' }),
    offers_passkey: z
      .boolean()
      .meta({ description: 'Whether to offer a passkey: after the first install, until the offer is closed' }),
    step_up: stepUpNeeds.meta({ description: 'Requirements of a step-up for this account' }),
  })
  .meta({ id: 'MfaStatus' });

export const totpBegin = z
  .object({
    secret: z
      .string()
      .meta({ description: 'Base32, for typing in; shown only once', example: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' }),
    otpauth_uri: z.string().meta({ description: 'The same as a URI for a QR code: SHA-1, 6 digits, 30 seconds' }),
    expires_at: dateTime().meta({ description: 'Expiry of the unconfirmed secret' }),
  })
  .meta({ id: 'TotpBeginResponse' });

export const totpConfirmBody = z.object({ code: code() }).meta({ id: 'TotpConfirmRequest' });

export const recoveryCodes = z
  .object({ recovery_codes: z.array(z.string()).meta({ description: 'Shown only once; each works once' }) })
  .meta({ id: 'RecoveryCodes' });

export const stepUpCodePending = z.object({ status: z.literal('code_pending') }).meta({ id: 'StepUpCodePending' });

export const stepUpBody = z.object(stepUpFields).meta({ id: 'StepUpRequest' });

export const passkeyLoginBeginBody = z
  .object({
    cookies: z.boolean().default(false).meta({ description: 'Return the tokens only as cookies, for browsers' }),
  })
  .meta({ id: 'PasskeyLoginBeginRequest' });

const mfaToken = () =>
  z.string().min(1).max(512).meta({ description: 'From the response to the sign-in by password or email' });

export const mfaLoginBody = z
  .object({ mfa_token: mfaToken(), method: z.enum(['totp', 'recovery_code']), code: code() })
  .meta({ id: 'MfaLoginRequest' });

export const mfaPasskeyBeginBody = z.object({ mfa_token: mfaToken() }).meta({ id: 'MfaPasskeyBeginRequest' });

export const mfaPolicy = z
  .object({
    required: z.boolean(),
    grace_period_days: z.int().meta({ description: 'Starts with the policy, or when a member joins later' }),
    passkey_satisfies: z.boolean().meta({ description: 'Whether a passkey is sufficient' }),
    required_since: dateTime().nullable(),
  })
  .meta({ id: 'MfaPolicy' });

export const mfaPolicyBody = z
  .object({
    required: z.boolean(),
    grace_period_days: z.int().min(0).max(365).default(0),
    passkey_satisfies: z.boolean().default(true),
  })
  .meta({ id: 'MfaPolicyRequest' });

export type PasskeyAttestation = z.output<typeof passkeyAttestation>;
export type PasskeyAssertion = z.output<typeof passkeyAssertion>;
export type AuthenticationBegin = z.input<typeof authenticationBegin>;
export type AuthenticationFinish = z.output<typeof authenticationFinishBody>;
export type RegistrationBegin = z.input<typeof registrationBegin>;
export type RegistrationFinish = z.output<typeof registrationFinishBody>;
export type Passkey = z.input<typeof passkey>;
export type PasskeyChange = z.output<typeof passkeyChange>;
export type SecondFactorMethod = z.output<typeof secondFactorMethod>;
export type MfaStatus = z.input<typeof mfaStatus>;
export type StepUpNeeds = z.input<typeof stepUpNeeds>;
export type TotpBegin = z.input<typeof totpBegin>;
export type StepUpFields = Partial<z.output<typeof stepUpBody>>;
export type PasskeyLoginBegin = z.output<typeof passkeyLoginBeginBody>;
export type MfaLogin = z.output<typeof mfaLoginBody>;
export type MfaPolicy = z.input<typeof mfaPolicy>;
export type MfaPolicyChange = z.output<typeof mfaPolicyBody>;
