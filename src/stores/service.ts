// The rules for store connections: they're saved after the provider accepted their credentials.
import { developerIdOf } from '../core/actor.ts';
import type { Context, OrganizationContext, Tx } from '../core/context.ts';
import { type Page, type PageRequest, readPage } from '../core/paging.ts';
import { removeRow } from '../core/removal.ts';
import { timestamp } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { type StoreProvider, storeProviders } from '../lib/store-providers.ts';
import { fieldError } from '../lib/validation.ts';
import { validateApple } from './apple.ts';
import { type AppleCredentials, appleCredentials, openSecret, readServiceAccount, sealSecret } from './credentials.ts';
import { refusalOf, type Validation } from './failures.ts';
import { validateGoogle } from './google.ts';
import type { Connection, ConnectionChange, ConnectionInput, FailureCode } from './schema.ts';
import { storeStateOf } from './state.ts';
import * as store from './store.ts';

/** Most connections of an organization. Teams have one for each developer account. */
const MAX_CONNECTIONS = 50;
/** Places of each class that automatic registration leaves. */
const DEFAULT_RESERVE = 10;
const OTHER_ACCOUNT = 'The connection has been changed to another Apple developer account';

/** Returns the API shape, without the secret. */
function toConnection(app: Pick<Context, 'db'>, row: store.ConnectionRow): Connection {
  return {
    identifier: row.id,
    organization_id: row.organizationId,
    provider: row.provider,
    name: row.name,
    issuer_id: row.issuerId,
    key_id: row.keyId,
    client_email: row.clientEmail,
    package_name: row.packageName,
    status: row.status,
    validation: {
      checked_at: timestamp(row.checkedAt),
      scope: row.scope,
      code: row.failureCode as FailureCode | null,
      message: row.failureMessage,
    },
    automatic_registration: row.automaticRegistration,
    reserve: row.reserve,
    pending_registrations: store.countQueued(app, row.id),
    created_at: timestamp(row.createdAt),
    created_by: row.createdBy,
  };
}

/** The columns of a connection that decide what the provider is asked, with the secret in plain text. */
type Wanted = Pick<store.ConnectionRow, 'provider' | 'issuerId' | 'keyId' | 'clientEmail' | 'packageName'> & {
  secret: string;
};

/** What differs between the connections of the providers. */
interface Provider {
  /** The fields of a change that only its connections have. */
  fields: readonly (keyof ConnectionChange)[];
  /** The one of them that has the secret. */
  secretField: 'private_key' | 'service_account_json';
  /** Asks whether the credentials work. `id` is the id of a saved connection with the same credentials. */
  validate(ctx: Context, wanted: Wanted, id?: string): Promise<Validation>;
}

const providers: Readonly<Record<StoreProvider, Provider>> = {
  app_store_connect: {
    fields: ['key_id', 'private_key', 'issuer_id', 'automatic_registration', 'reserve'],
    secretField: 'private_key',
    validate: (ctx, { keyId, issuerId, secret }) => validateApple(ctx, appleCredentials(keyId ?? '', issuerId, secret)),
  },
  google_play: {
    fields: ['service_account_json', 'package_name'],
    secretField: 'service_account_json',
    validate: (ctx, { secret, packageName }, id) => validateGoogle(ctx, readServiceAccount(secret), packageName, id),
  },
};

/** The columns that a validation changes. */
function columnsOf({ scope, failure }: Validation, checkedAt: number) {
  return {
    status: failure === undefined ? ('valid' as const) : ('invalid' as const),
    checkedAt,
    scope,
    failureCode: failure?.code ?? null,
    failureMessage: failure?.message ?? null,
  };
}

function toWanted(input: ConnectionInput): Wanted {
  if (input.provider === 'app_store_connect') {
    return {
      provider: input.provider,
      issuerId: input.issuer_id ?? null,
      keyId: input.key_id,
      clientEmail: null,
      packageName: null,
      secret: input.private_key,
    };
  }
  const { clientEmail } = readServiceAccount(input.service_account_json);
  return {
    provider: input.provider,
    issuerId: null,
    keyId: null,
    clientEmail,
    packageName: input.package_name ?? null,
    secret: input.service_account_json,
  };
}

/**
 * Creates a connection after the provider accepted its credentials. Throws `invalid_input` or `operation_not_allowed` if it
 * rejects them, `store_connection_unavailable` if it can't be asked, and `quota_exceeded` above 50 connections.
 */
export async function createConnection(ctx: OrganizationContext, input: ConnectionInput): Promise<Connection> {
  const organizationId = ctx.organization.id;
  refuseMoreConnections(ctx, organizationId);
  const { secret, ...columns } = toWanted(input);
  const validation = await providers[input.provider].validate(ctx, { ...columns, secret });
  if (validation.failure !== undefined) throw refusalOf(validation.failure);
  return ctx.transact((tx) => {
    tx.confirmAccess();
    refuseMoreConnections(tx, organizationId);
    const id = tx.ids.next();
    const row: store.ConnectionRow = {
      id,
      organizationId,
      name: input.name,
      ...columns,
      sealedSecret: sealSecret(tx, id, secret),
      ...columnsOf(validation, tx.now),
      automaticRegistration: false,
      reserve: DEFAULT_RESERVE,
      createdAt: tx.now,
      createdBy: developerIdOf(tx.actor),
    };
    store.insertConnection(tx, row);
    record(tx, 'store_connection.created', row, { provider: row.provider, scope: row.scope });
    return toConnection(tx, row);
  });
}

function refuseMoreConnections(ctx: Context, organizationId: string): void {
  if (store.countConnections(ctx, organizationId) < MAX_CONNECTIONS) return;
  const message = `An organization can have at most ${MAX_CONNECTIONS} store connections`;
  throw new AppError('quota_exceeded', message, { limit: MAX_CONNECTIONS });
}

/** Returns a page of the organization's connections, newest first. */
export function listConnections(ctx: OrganizationContext, request: PageRequest): Page<Connection> {
  return readPage(
    ctx,
    request,
    (before, limit) => store.listConnectionRows(ctx, ctx.organization.id, before, limit),
    (row) => toConnection(ctx, row),
  );
}

/** Returns a connection of the organization. Throws `not_found`. */
export function readConnection(ctx: OrganizationContext, id: string): Connection {
  return toConnection(ctx, store.loadConnection(ctx, ctx.organization.id, id));
}

/** Runs work while nobody else changes or validates the connection. */
export function withConnection<T>(ctx: Context, id: string, work: () => Promise<T>): Promise<T> {
  return ctx.locks([`store connection ${id}`], () => {
    // Validating with Google ends an open edit of the account, which can't be undone.
    ctx.confirmAccess();
    return work();
  });
}

/** Returns a connection to App Store Connect. Throws `not_found`, or `operation_not_allowed` for Google Play. */
export function loadAppleConnection(ctx: Context, organizationId: string, id: string): store.ConnectionRow {
  const row = store.loadConnection(ctx, organizationId, id);
  if (row.provider === 'app_store_connect') return row;
  throw new AppError('operation_not_allowed', 'This is only possible with a connection to App Store Connect');
}

/** Returns the key of a connection to App Store Connect. */
export function appleKeyOf(ctx: Context, row: store.ConnectionRow): AppleCredentials {
  return appleCredentials(row.keyId ?? '', row.issuerId, openSecret(ctx, row));
}

/** Throws `validation_error` for a field that only connections to another provider have. */
function refuseForeignFields(provider: StoreProvider, change: ConnectionChange): void {
  for (const other of storeProviders) {
    const field = providers[other].fields.find((name) => change[name] !== undefined);
    if (other === provider || field === undefined) continue;
    throw fieldError('body', [field], 'value_error', `Input is only possible for connections of ${other}`);
  }
}

/** Returns the columns after a change. */
function merge(row: store.ConnectionRow, change: ConnectionChange): Omit<Wanted, 'secret'> {
  const account = change.service_account_json;
  return {
    provider: row.provider,
    issuerId: change.issuer_id === undefined ? row.issuerId : change.issuer_id,
    keyId: change.key_id ?? row.keyId,
    clientEmail: account === undefined ? row.clientEmail : readServiceAccount(account).clientEmail,
    packageName: change.package_name === undefined ? row.packageName : change.package_name,
  };
}

/**
 * Changes the given fields. Changed credentials are merged with the others, validated together and then saved; a new name is
 * saved without asking the provider. Throws like `createConnection`; then nothing has changed.
 */
export function changeConnection(ctx: OrganizationContext, id: string, change: ConnectionChange): Promise<Connection> {
  return withConnection(ctx, id, async () => {
    const row = store.loadConnection(ctx, ctx.organization.id, id);
    refuseForeignFields(row.provider, change);
    const { name = row.name, automatic_registration: isAutomatic, reserve, ...rest } = change;
    const rules = {
      automaticRegistration: isAutomatic ?? row.automaticRegistration,
      reserve: reserve ?? row.reserve,
    };
    const { secretField, validate } = providers[row.provider];
    const newSecret = rest[secretField];
    // A connection whose secret is damaged can be repaired by a new secret.
    const secret = newSecret === undefined && Object.keys(rest).length === 0 ? '' : (newSecret ?? openSecret(ctx, row));
    const columns = merge(row, change);
    const credentials = changedCredentials(ctx, row, columns, newSecret);
    const fields = [...changedRules(row, { name, ...rules }), ...credentials];
    const asksProvider = credentials.length > 0;
    const validation = asksProvider ? await validate(ctx, { ...columns, secret }) : undefined;
    if (validation?.failure !== undefined) throw refusalOf(validation.failure);
    return ctx.transact((tx) => {
      tx.confirmAccess();
      const current = store.loadConnection(tx, ctx.organization.id, id);
      if (fields.length === 0) return toConnection(tx, current);
      const wanted = {
        name,
        ...rules,
        ...columns,
        ...(newSecret === undefined ? {} : { sealedSecret: sealSecret(tx, id, newSecret) }),
        ...(validation === undefined ? {} : columnsOf(validation, tx.now)),
      };
      store.updateConnection(tx, id, wanted);
      const changed = { ...current, ...wanted };
      if (store.isOtherAccount(current, changed)) store.refuseRegistrations(tx, id, OTHER_ACCOUNT);
      record(tx, 'store_connection.edited', changed, { fields });
      if (asksProvider) forget(tx, id);
      return toConnection(tx, changed);
    });
  });
}

/** Returns the names of the fields that differ from the saved ones and that no provider is asked about. */
function changedRules(
  row: store.ConnectionRow,
  change: Pick<store.ConnectionRow, 'name' | 'automaticRegistration' | 'reserve'>,
): string[] {
  return [
    ...(change.name === row.name ? [] : ['name']),
    ...(change.automaticRegistration === row.automaticRegistration ? [] : ['automatic_registration']),
    ...(change.reserve === row.reserve ? [] : ['reserve']),
  ];
}

/** Returns the names of the changed fields that decide what the provider is asked. */
function changedCredentials(
  ctx: Context,
  row: store.ConnectionRow,
  columns: Omit<Wanted, 'secret'>,
  newSecret: string | undefined,
): string[] {
  return [
    ...(columns.keyId === row.keyId ? [] : ['key_id']),
    ...(columns.issuerId === row.issuerId ? [] : ['issuer_id']),
    ...(columns.packageName === row.packageName ? [] : ['package_name']),
    ...(newSecret === undefined || isSaved(ctx, row, newSecret) ? [] : [providers[row.provider].secretField]),
  ];
}

function isSaved(ctx: Context, row: store.ConnectionRow, secret: string): boolean {
  try {
    return openSecret(ctx, row) === secret;
  } catch {
    return false;
  }
}

/** Forgets what is known about the provider with the previous credentials. */
function forget(ctx: Context, id: string): void {
  const { tokens, places, profiles } = storeStateOf(ctx);
  tokens.delete(id);
  places.delete(id);
  profiles.delete(id);
}

/**
 * Asks the provider again and saves the result, also if it rejects the credentials. Throws `store_connection_unavailable` if it
 * can't be asked; then nothing has changed.
 */
export function validateConnection(ctx: OrganizationContext, id: string): Promise<Connection> {
  return withConnection(ctx, id, async () => {
    const row = store.loadConnection(ctx, ctx.organization.id, id);
    const validation = await providers[row.provider].validate(ctx, { ...row, secret: openSecret(ctx, row) }, id);
    return ctx.transact(
      (tx) => {
        tx.confirmAccess();
        const current = store.loadConnection(tx, ctx.organization.id, id);
        const change = columnsOf(validation, tx.now);
        store.updateConnection(tx, id, change);
        return toConnection(tx, { ...current, ...change });
      },
      { bookkeeping: true },
    );
  });
}

/** Deletes a connection and what is known about devices through it. Devices stay registered with Apple. */
export function deleteConnection(ctx: OrganizationContext, id: string): void {
  ctx.transact(
    (tx) => {
      const row = store.loadConnection(tx, ctx.organization.id, id);
      removeRow(tx, 'store_connections', id);
      record(tx, 'store_connection.deleted', row, { provider: row.provider });
      forget(tx, id);
    },
    { removes: true },
  );
}

function record(
  tx: Tx,
  event: 'store_connection.created' | 'store_connection.edited' | 'store_connection.deleted',
  { id, organizationId, name }: store.ConnectionRow,
  details: Record<string, unknown>,
): void {
  tx.record(event, { identifier: id, organizationId, details: { name, ...details } });
}
