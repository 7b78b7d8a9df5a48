// The rules for developer accounts: how they are created, and what their owners can read and change.

import type { App, Context, DeveloperContext, Tx } from '../core/context.ts';
import { MAX_PASSWORD_LENGTH, passwordsOf } from '../developers/password.ts';
import { displayName, emailAddress } from '../developers/schema.ts';
import * as store from '../developers/store.ts';
import { findWeakness, type PasswordOwner } from '../developers/weak-passwords.ts';
import { imageUrl } from '../images/service.ts';
import { timestamp } from '../lib/clock.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { entriesOf, fieldError, validationError } from '../lib/validation.ts';
import * as z from '../lib/zod.ts';
import { organizationInput } from '../organizations/schema.ts';
import { createOrganizationIn } from '../organizations/service.ts';
import { attachPendingGrants } from '../testers/pending-access.ts';
import type { Developer, EditDeveloper } from './schema.ts';

export interface NewDeveloper {
  email: string;
  password: string;
  /** The part of the address before the @ if missing. */
  displayName?: string | undefined;
  isVerified: boolean;
  /** Whether an inviter passed on the link that creates the account (`vouchedAt`). */
  isVouched?: boolean;
  isOperator: boolean;
  /** If set, an organization of this name is created with the developer as its admin. */
  organizationName?: string | undefined;
}

export interface CreatedDeveloper {
  developerId: string;
  organizationId: string | null;
}

const newDeveloper = z.object({
  email: emailAddress(),
  display_name: displayName().optional(),
  organization_name: organizationInput.shape.name.optional(),
});

/** Converts a row to its API shape. */
export function toDeveloper(app: Pick<App, 'config'>, row: store.DeveloperRow): Developer {
  return {
    identifier: row.id,
    email: row.email,
    email_verified: row.emailVerifiedAt !== null,
    vouched: row.vouchedAt !== null,
    display_name: row.displayName,
    locale: row.locale,
    is_operator: row.isOperator,
    has_avatar: row.avatarKey !== null,
    avatar_url: imageUrl(app, `/developers/${row.id}/avatar`, { iconKey: row.avatarKey, iconType: row.avatarType }),
    created_at: timestamp(row.createdAt),
  };
}

/**
 * Rejects a new password that is shorter than configured, too long, malformed or easy to guess. Throws the error of the
 * given field.
 */
export function checkNewPassword(
  { config }: App,
  password: string,
  owner: PasswordOwner,
  field: 'password' | 'new_password' = 'password',
): void {
  const least = config.accounts.password_min_length;
  if ([...password].length < least) {
    throw fieldError('body', [field], 'string_too_short', `String should have at least ${least} characters`);
  }
  if (password.length > MAX_PASSWORD_LENGTH) {
    throw fieldError(
      'body',
      [field],
      'string_too_long',
      `String should have at most ${MAX_PASSWORD_LENGTH} characters`,
    );
  }
  if (!password.isWellFormed()) {
    throw fieldError('body', [field], 'value_error', 'Input should be text without lone surrogates');
  }
  const weakness = findWeakness(password, owner);
  if (weakness !== undefined) {
    throw fieldError('body', [field], 'value_error', `Choose a password that's harder to guess: ${weakness}`);
  }
}

/**
 * Creates an account, and an organization that it administers if a name is given. Throws `validation_error` for an
 * invalid value and `already_exists` for an address with an account.
 */
export async function createDeveloper(ctx: Context, wanted: NewDeveloper): Promise<CreatedDeveloper> {
  const input = { email: wanted.email, display_name: wanted.displayName, organization_name: wanted.organizationName };
  const checked = newDeveloper.safeParse(input);
  if (!checked.success) throw validationError(entriesOf('body', checked.error, input));
  const { email, display_name, organization_name } = checked.data;
  checkNewPassword(ctx, wanted.password, { email, displayName: display_name, organizationName: organization_name });
  const passwordHash = await passwordsOf(ctx).hash(wanted.password);
  return ctx.transact((tx) =>
    addDeveloper(tx, {
      email,
      passwordHash,
      displayName: display_name,
      isVerified: wanted.isVerified,
      isOperator: wanted.isOperator,
      organizationName: organization_name,
    }),
  );
}

/**
 * Like createDeveloper, but within a transaction. The address is already normalized and the password already hashed.
 */
export function addDeveloper(
  tx: Tx,
  wanted: Omit<NewDeveloper, 'password'> & { passwordHash: string | null },
): CreatedDeveloper {
  const { email, organizationName, isOperator, isVerified, isVouched = false } = wanted;
  if (store.findDeveloperByEmail(tx, email) !== undefined) {
    throw new AppError('already_exists', 'This email address already has an account');
  }
  const id = tx.ids.next();
  store.insertDeveloper(tx, {
    id,
    email,
    emailVerifiedAt: isVerified ? tx.now : null,
    vouchedAt: isVouched ? tx.now : null,
    displayName: wanted.displayName ?? store.nameOfAddress(email),
    locale: null,
    passwordHash: wanted.passwordHash,
    isOperator,
    totpEnabledAt: null,
    passkeyCount: 0,
    knownGoodAt: null,
    isContested: false,
    deletionDueAt: null,
    lockedAt: null,
    passkeyOfferClosedAt: null,
    avatarKey: null,
    avatarType: null,
    createdAt: tx.now,
  });
  tx.record('developer.created', {
    identifier: id,
    organizationId: null,
    developerId: id,
    details: { email, email_verified: isVerified, ...(isVouched ? { vouched: true } : {}), is_operator: isOperator },
  });
  if (isVerified) attachPendingGrants(tx, store.loadDeveloper(tx, id));
  const organizationId =
    organizationName === undefined ? null : createOrganizationIn(tx, { name: organizationName, developerId: id });
  return { developerId: id, organizationId };
}

/** Returns all accounts, oldest first, for the operator. One whose deletion was requested is locked. */
export function listDevelopers(app: Pick<App, 'config' | 'db'>): (Developer & { deletion_pending: boolean })[] {
  return store
    .listDevelopers(app)
    .map((row) => ({ ...toDeveloper(app, row), deletion_pending: row.deletionDueAt !== null }));
}

/** Returns the caller's own account. Throws `not_found` for any other. */
export function readDeveloper(ctx: DeveloperContext, id = ctx.actor.id): Developer {
  if (id !== ctx.actor.id) throw notFound();
  return toDeveloper(ctx, store.loadDeveloper(ctx, id));
}

/** Changes the caller's own account. Nothing is recorded if nothing changes. */
export function editDeveloper(ctx: DeveloperContext, id: string, change: EditDeveloper): Developer {
  if (id !== ctx.actor.id) throw notFound();
  return ctx.transact((tx) => {
    const row = store.loadDeveloper(tx, id);
    const displayName = change.display_name ?? row.displayName;
    const locale = change.locale === undefined ? row.locale : change.locale;
    const fields = [
      ...(displayName === row.displayName ? [] : ['display_name']),
      ...(locale === row.locale ? [] : ['locale']),
    ];
    if (fields.length === 0) return toDeveloper(ctx, row);
    const changed = store.updateDeveloper(tx, id, { displayName, locale });
    tx.record('developer.edited', { identifier: id, organizationId: null, details: { fields } });
    return toDeveloper(ctx, changed);
  });
}
