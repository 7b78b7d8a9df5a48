// The rules for an organization's connection to its identity provider.

import type { Context, OrganizationContext, Tx } from '../core/context.ts';
import { bareNotFound, type Reply, reply } from '../http/reply.ts';
import { timestamp } from '../lib/clock.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { fieldError, type ValidationEntry, validationError } from '../lib/validation.ts';
import { clientUrls } from '../oidc/client.ts';
import { describeCertificate, readCertificate } from '../saml/certificates.ts';
import { type IdentityProvider, writeProviderMetadata } from '../saml/metadata.ts';
import { SAML_METADATA_TYPE, serviceProvider } from '../saml/names.ts';
import { samlReaderOf } from '../saml/reader.ts';
import { beginDeletingLeftovers } from './leftovers.ts';
import { isTold, notifyAdmins } from './notices.ts';
import { keepSecret, NO_CLIENT, type Provider, readOidcInput, toOidcSettings } from './oidc.ts';
import { provideKey } from './provider-key.ts';
import { type SsoConfiguration, type SsoInput, ssoInput } from './schema.ts';
import * as store from './store.ts';
import { isOtherProvider } from './trust.ts';

const MAX_CERTIFICATES = 8;

function toConfiguration(ctx: Context, row: store.ConnectionRow): SsoConfiguration {
  const provider = serviceProvider(ctx, row.organizationId);
  const client = clientUrls(ctx, row.organizationId);
  const certificates = certificatesOf(row);
  return {
    organization_id: row.organizationId,
    kind: row.kind,
    entity_id: row.entityId,
    sso_url: row.ssoUrl,
    slo_url: row.sloUrl,
    certificates,
    certificate_details: certificates.map(describeCertificate),
    oidc: toOidcSettings(row),
    enabled: row.isEnabled,
    required: row.isRequired,
    service_provider: {
      entity_id: provider.entityId,
      acs_url: provider.acsUrl,
      slo_url: provider.sloUrl,
      login_url: provider.loginUrl,
      metadata_url: provider.metadataUrl,
      redirect_uri: client.redirectUri,
      backchannel_logout_uri: client.backchannelLogoutUri,
      post_logout_redirect_uri: client.postLogoutRedirectUri,
    },
    created_at: timestamp(row.createdAt),
    updated_at: timestamp(row.updatedAt),
  };
}

/**
 * Returns the identity provider's certificates in PEM. Unreadable ones are skipped, so that a damaged row can be
 * replaced.
 */
export function certificatesOf({ certificates }: Pick<store.ConnectionRow, 'certificates'>): string[] {
  const texts = parseTexts(certificates);
  return texts.filter((text) => typeof text === 'string' && 'pem' in readCertificate(text));
}

function parseTexts(stored: string): string[] {
  try {
    const texts: unknown = JSON.parse(stored);
    return Array.isArray(texts) ? texts : [];
  } catch {
    return [];
  }
}

/** Throws if the organization's plan doesn't include single sign-on. Disabling and removing it is always allowed. */
export function checkPlan(ctx: Context, organizationId: string): void {
  const tier = store.findTier(ctx, organizationId);
  if (tier === undefined) throw notFound();
  if (!ctx.config.plans[tier].sso) {
    throw new AppError('operation_not_allowed', `The ${tier} plan doesn't include single sign-on`, { tier });
  }
}

/** Returns the configuration, or a 404 without details if there is none. */
export function readConfiguration(ctx: OrganizationContext): SsoConfiguration | Reply {
  const row = store.findConnection(ctx, ctx.organization.id);
  if (row !== undefined) return toConfiguration(ctx, row);
  return bareNotFound();
}

/** Creates a disabled connection, or replaces the existing one without changing whether it is enabled and required. */
export async function putConfiguration(ctx: OrganizationContext, input: SsoInput): Promise<SsoConfiguration> {
  checkPlan(ctx, ctx.organization.id);
  const read = await readInput(ctx, input);
  return ctx.transact((tx) => {
    // The provider decides how long it takes to respond.
    tx.confirmAccess();
    checkPlan(tx, ctx.organization.id);
    const current = store.findConnection(tx, ctx.organization.id);
    const provider = keepSecret(read, current);
    // A NameID of SAML and a subject of OpenID Connect can be equal although they're different people, so only
    // identities of one protocol are kept.
    const keepsIdentities = current?.kind === provider.kind;
    const row: store.ConnectionRow = {
      organizationId: ctx.organization.id,
      ...provider,
      trustChangedAt: isOtherProvider(current, provider) ? tx.now : (current?.trustChangedAt ?? null),
      identityKey: keepsIdentities ? current.identityKey : tx.ids.next(),
      sessionKey: current === undefined ? tx.ids.next() : current.sessionKey,
      isEnabled: current?.isEnabled ?? false,
      isRequired: current?.isRequired ?? false,
      createdAt: current?.createdAt ?? tx.now,
      updatedAt: tx.now,
    };
    store.putConnection(tx, row);
    if (current !== undefined && !keepsIdentities) beginDeletingLeftovers(tx, row.organizationId);
    recordChange(tx, row.organizationId, current === undefined ? 'created' : 'replaced', {
      kind: row.kind,
      entity_id: row.entityId,
      sso_url: row.ssoUrl,
    });
    return toConfiguration(ctx, row);
  });
}

async function readInput(ctx: OrganizationContext, { oidc, ...saml }: SsoInput): Promise<Provider> {
  if (oidc === undefined) return toProvider(await readSamlInput(ctx, saml));
  const isMixed = Object.values(saml).some((value) => value !== undefined);
  if (isMixed) throw fieldError('body', ['oidc'], 'value_error', "Input can't be combined with other fields");
  return readOidcInput(ctx, oidc);
}

function toProvider({ entityId, ssoUrl, sloUrl, certificates }: IdentityProvider): Provider {
  return { kind: 'saml', entityId, ssoUrl, sloUrl, certificates: JSON.stringify(certificates), ...NO_CLIENT };
}

async function readSamlInput(ctx: Context, input: SsoInput): Promise<IdentityProvider> {
  const { metadata_xml: metadata, ...fields } = input;
  if (metadata === undefined) return readFields(fields);
  const isMixed = Object.values(fields).some((value) => value !== undefined);
  if (isMixed) throw fieldError('body', ['metadata_xml'], 'value_error', "Input can't be combined with other fields");
  const read = await samlReaderOf(ctx).readMetadata(metadata);
  const problem = 'problem' in read ? read.problem : problemOf(read);
  if ('problem' in read || problem !== undefined) {
    throw fieldError('body', ['metadata_xml'], 'value_error', problem ?? '');
  }
  return read;
}

/** Validates the values from metadata like the fields of the request. */
function problemOf(read: IdentityProvider): string | undefined {
  const fields = {
    entity_id: read.entityId,
    sso_url: read.ssoUrl,
    slo_url: read.sloUrl,
    certificates: read.certificates,
  };
  const checked = ssoInput.safeParse(fields);
  return checked.success ? undefined : `Input should contain a valid ${String(checked.error.issues[0]?.path[0])}`;
}

function readFields({
  entity_id: entityId,
  sso_url: ssoUrl,
  slo_url: sloUrl,
  certificates,
}: SsoInput): IdentityProvider {
  const entries: ValidationEntry[] = [];
  for (const [field, value] of Object.entries({ entity_id: entityId, sso_url: ssoUrl, certificates })) {
    if (value === undefined) entries.push({ type: 'missing', loc: ['body', field], msg: 'Field required' });
  }
  const pems = new Set<string>();
  for (const [index, text] of (certificates ?? []).slice(0, MAX_CERTIFICATES).entries()) {
    const read = readCertificate(text);
    if ('pem' in read) pems.add(read.pem);
    else entries.push({ type: 'value_error', loc: ['body', 'certificates', index], msg: read.problem });
  }
  if (entityId === undefined || ssoUrl === undefined || entries.length > 0) throw validationError(entries);
  return { entityId, ssoUrl, sloUrl: sloUrl ?? null, certificates: [...pems] };
}

/** Removes the connection and its known identities. Throws `not_found` without one. */
export function removeConfiguration(ctx: OrganizationContext): void {
  ctx.transact((tx) => {
    const row = store.loadConnection(tx, ctx.organization.id);
    store.deleteConnection(tx, row.organizationId);
    beginDeletingLeftovers(tx, row.organizationId);
    recordChange(tx, row.organizationId, 'deleted', { entity_id: row.entityId });
  });
}

/** Enables signing in through the identity provider. */
export function enableSso(ctx: OrganizationContext): SsoConfiguration {
  checkPlan(ctx, ctx.organization.id);
  return ctx.transact((tx) => toConfiguration(ctx, change(tx, ctx.organization.id, { isEnabled: true }, 'enabled')));
}

/** Disables signing in through the identity provider and the requirement to do so. Allowed on every plan. */
export function disableSso(ctx: Context, organizationId: string): SsoConfiguration {
  return ctx.transact((tx) =>
    toConfiguration(ctx, change(tx, organizationId, { isEnabled: false, isRequired: false }, 'disabled')),
  );
}

/** Sets whether members in a verified domain must sign in through the identity provider. */
export function setRequirement(ctx: OrganizationContext, required: boolean): SsoConfiguration {
  const organizationId = ctx.organization.id;
  if (required) checkPlan(ctx, organizationId);
  const action = required ? 'required' : 'not_required';
  return ctx.transact((tx) => {
    if (required && !store.loadConnection(tx, organizationId).isEnabled) {
      throw new AppError('operation_not_allowed', 'Enable single sign-on before requiring it');
    }
    return toConfiguration(ctx, change(tx, organizationId, { isRequired: required }, action));
  });
}

/** Changes the switches of a connection. Nothing is recorded if nothing changes. */
function change(
  tx: Tx,
  organizationId: string,
  switches: Partial<Pick<store.ConnectionRow, 'isEnabled' | 'isRequired'>>,
  action: string,
): store.ConnectionRow {
  const row = store.loadConnection(tx, organizationId);
  const changed = { ...row, ...switches };
  if (changed.isEnabled === row.isEnabled && changed.isRequired === row.isRequired) return row;
  const kept = { ...changed, updatedAt: tx.now };
  store.putConnection(tx, kept);
  recordChange(tx, organizationId, action, {});
  return kept;
}

function recordChange(tx: Tx, organizationId: string, action: string, more: Record<string, unknown>): void {
  tx.record('sso.config_changed', { identifier: organizationId, organizationId, details: { action, ...more } });
  if (isTold(action)) notifyAdmins(tx, organizationId, action);
}

/** Returns the metadata for the identity provider. Also available before anything is configured. */
export async function readServiceMetadata(ctx: OrganizationContext): Promise<Reply> {
  const { certificate } = await provideKey(ctx, ctx.organization.id);
  return reply(SAML_METADATA_TYPE, writeProviderMetadata(serviceProvider(ctx, ctx.organization.id), certificate));
}
