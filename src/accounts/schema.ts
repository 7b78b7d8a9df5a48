// Wire shapes of developers, their sessions and the first-run setup.
import { MAX_LINK_TOKEN_LENGTH } from '../developers/links.ts';
import { MAX_PASSWORD_LENGTH } from '../developers/password.ts';
import { displayName, emailAddress, password } from '../developers/schema.ts';
import { dateTime, id } from '../lib/shapes.ts';
import { UUID_PATTERN } from '../lib/uuid.ts';
import * as z from '../lib/zod.ts';
import { organizationInput } from '../organizations/schema.ts';
import { stepUpFields } from '../second-factors/schema.ts';

const MAX_CAPTCHA_TOKEN_LENGTH = 8192;

/** A language tag (BCP 47). */
const locale = () =>
  z
    .string()
    // A longer one isn't read, because the time to read a tag grows with the square of its number of parts.
    .max(35, { abort: true })
    .refine(isLanguageTag, 'Input should be a language tag such as en or pt-BR')
    .meta({ example: 'en' });

function isLanguageTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

export const developer = z
  .object({
    identifier: id(),
    email: z.string(),
    email_verified: z.boolean(),
    vouched: z.boolean().meta({
      description:
        'Whether the account was created with the copied link of an invitation, on a server that sends no email. It can ' +
        'do what a verified one can, but gets no access by its address until it is verified',
    }),
    display_name: z.string(),
    locale: z.string().nullable().meta({
      description:
        'The language of emails to the developer. If it is null, or neither English nor German, they are in the language of the server',
    }),
    is_operator: z.boolean().meta({ description: 'Whether the account is an operator of this installation' }),
    has_avatar: z.boolean(),
    avatar_url: z.string().nullable().meta({ description: 'Only the developer can read it' }),
    created_at: dateTime(),
  })
  .meta({ id: 'Developer' });

export const editDeveloperBody = z
  .object({ display_name: displayName().optional(), locale: locale().nullable().optional() })
  .meta({ id: 'DeveloperEditRequest' });

export const setupBody = z
  .object({
    email: emailAddress(),
    password: password(),
    display_name: displayName(),
    organization_name: z
      .preprocess((name) => (name === '' ? undefined : name), organizationInput.shape.name.optional())
      .meta({ description: 'By default the name of the person with "\'s team"' }),
  })
  .meta({ id: 'SetupRequest' });

export const setupResult = z.object({ developer_id: id(), organization_id: id() }).meta({ id: 'SetupResult' });

const captchaToken = () =>
  z
    .string()
    .max(MAX_CAPTCHA_TOKEN_LENGTH)
    .nullish()
    .meta({ description: 'Token of the captcha, required if a captcha provider is configured' });

export const signUpBody = z
  .object({
    email: emailAddress(),
    password: password(),
    display_name: displayName(),
    captcha_token: captchaToken(),
    join_token: z.string().max(200).nullish().meta({
      description:
        'Token of a join link for testers. The account joins when its address is verified; the response is the same for any token',
    }),
  })
  .meta({ id: 'SignUpRequest' });

export const emailBody = z.object({ email: emailAddress() }).meta({ id: 'EmailRequest' });

export const verificationPending = z
  .object({ status: z.literal('verification_pending') })
  .meta({ id: 'VerificationPending' });

const linkToken = () =>
  z.string().min(1).max(MAX_LINK_TOKEN_LENGTH).meta({ description: 'From the link in the email' });

export const linkQuery = z.object({ token: linkToken() });
export const linkBody = z.object({ token: linkToken() }).meta({ id: 'LinkRequest' });
export const verified = z.object({ status: z.literal('verified') }).meta({ id: 'EmailVerified' });

export const resetPending = z.object({ status: z.literal('reset_pending') }).meta({ id: 'PasswordResetPending' });
export const passwordResetBody = z
  .object({ token: linkToken(), new_password: password() })
  .meta({ id: 'PasswordResetConfirmRequest' });

const addition = z
  .object({
    kind: z.enum(['totp', 'recovery_codes', 'passkey', 'personal_access_token']),
    identifier: z
      .string()
      .meta({ description: 'Identifier for the review: an id, or the kind if an account has only one' }),
    name: z.string().nullable(),
    added_at: dateTime(),
  })
  .meta({ id: 'Addition', description: 'Sign-in method or token added since the last known good sign-in' });

const pendingReview = {
  added: z
    .array(addition)
    .meta({ description: "Newest first. Passkeys among them can't sign in on their own until reviewed" }),
  review_token: z.string().nullable().meta({
    description:
      'Token for removing or keeping the additions. It works once and expires in one hour. Null if there is nothing to review',
  }),
};

export const passwordChanged = z
  .object({ status: z.literal('password_changed'), ...pendingReview })
  .meta({ id: 'PasswordChanged' });

const additionName = () =>
  z
    .string()
    .regex(new RegExp(`^(?:totp|recovery_codes|${UUID_PATTERN})$`), 'Input should be an identifier from the list');

export const reviewBody = z
  .object({
    review_token: linkToken().meta({
      writeOnly: true,
      description: 'From the response to the password reset or to a review',
    }),
    remove: z
      .union([z.array(additionName()).max(300), additionName()])
      .optional()
      .meta({ description: 'Identifiers of additions to remove' }),
    // A form can only send text.
    remove_all: z.union([z.boolean(), z.literal('true')]).optional(),
    keep_rest: z
      .union([z.boolean(), z.literal('true')])
      .optional()
      .meta({ description: 'Keep the remaining additions and mark them as known' }),
  })
  .meta({ id: 'AdditionReviewRequest' });

export const additionReview = z
  .object({ status: z.literal('reviewed'), removed: z.int(), ...pendingReview })
  .meta({ id: 'AdditionReview' });

export const changePasswordBody = z
  .object({
    ...stepUpFields,
    current_password: password().meta({ writeOnly: true }),
    new_password: password().meta({ writeOnly: true }),
  })
  .meta({ id: 'PasswordChangeRequest' });

export const changeEmailBody = z
  .object({
    new_email: emailAddress(),
    ...stepUpFields,
    // Required by the contract. Accounts without a password may send an empty string.
    current_password: z.string().max(MAX_PASSWORD_LENGTH).meta({ format: 'password', writeOnly: true }),
  })
  .meta({ id: 'EmailChangeRequest' });
export const emailChanged = z.object({ status: z.literal('email_changed') }).meta({ id: 'EmailChanged' });

export type SignUp = z.output<typeof signUpBody>;
export type EmailRequest = z.output<typeof emailBody>;
export type PasswordResetConfirm = z.output<typeof passwordResetBody>;
export type Addition = z.output<typeof addition>;
export type PasswordChanged = z.output<typeof passwordChanged>;
export type ReviewRequest = z.output<typeof reviewBody>;
export type AdditionReview = z.output<typeof additionReview>;
export type PasswordChange = z.output<typeof changePasswordBody>;
export type EmailChange = z.output<typeof changeEmailBody>;
export type Developer = z.output<typeof developer>;
export type EditDeveloper = z.output<typeof editDeveloperBody>;
export type Setup = z.output<typeof setupBody>;
