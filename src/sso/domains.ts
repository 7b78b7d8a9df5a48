// The rules for claimed domains. A DNS record verifies a claim, and only one organization at a time can have verified a
// domain.

import type { App, Context, OrganizationContext, Tx } from '../core/context.ts';
import { type Page, type PageRequest, readPage } from '../core/paging.ts';
import { timestamp } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { domainOfAddress, requireDomain } from '../saml/domain-name.ts';
import { serviceProvider } from '../saml/names.ts';
import { checkPlan } from './configuration.ts';
import { lookUpRecord } from './dns.ts';
import { notifyAdmins } from './notices.ts';
import type { SsoDomain } from './schema.ts';
import * as store from './store.ts';

const MAX_DOMAINS = 100;
const RECORD_PREFIX = '_taxiway-challenge';

function recordOf(row: store.DomainRow): SsoDomain['dns_record'] {
  return {
    type: 'TXT',
    name: `${RECORD_PREFIX}.${row.domain}`,
    value: `taxiway-domain-verification=${row.verificationToken}`,
  };
}

function toDomain(row: store.DomainRow): SsoDomain {
  return {
    identifier: row.id,
    organization_id: row.organizationId,
    domain: row.domain,
    verified: row.verifiedAt !== null,
    verified_at: row.verifiedAt === null ? null : timestamp(row.verifiedAt),
    dns_record: recordOf(row),
    created_at: timestamp(row.createdAt),
  };
}

/** Returns the claimed domains, newest first. */
export function listDomains(ctx: OrganizationContext, request: PageRequest): Page<SsoDomain> {
  return readPage(
    ctx,
    request,
    (before, limit) => store.listDomains(ctx, ctx.organization.id, before, limit),
    toDomain,
  );
}

/**
 * Claims a domain. Returns the record that verifies it. Throws `already_exists` if the organization already claimed it.
 */
export function claimDomain(ctx: OrganizationContext, text: string): SsoDomain {
  checkPlan(ctx, ctx.organization.id);
  const domain = requireDomain(text, 'domain');
  return ctx.transact((tx) => toDomain(addDomain(tx, ctx.organization.id, domain)));
}

function addDomain(tx: Tx, organizationId: string, domain: string): store.DomainRow {
  if (store.findDomainByName(tx, organizationId, domain) !== undefined) {
    throw new AppError('already_exists', 'The organization has already claimed this domain');
  }
  if (store.countDomains(tx, organizationId) >= MAX_DOMAINS) {
    throw new AppError('quota_exceeded', `An organization can claim at most ${MAX_DOMAINS} domains`, {
      limit: MAX_DOMAINS,
    });
  }
  const row: store.DomainRow = {
    id: tx.ids.next(),
    organizationId,
    domain,
    verificationToken: tx.secrets.token(),
    verifiedAt: null,
    createdAt: tx.now,
  };
  store.insertDomain(tx, row);
  tx.record('sso_domain.created', { identifier: row.id, organizationId, details: { domain } });
  return row;
}

/**
 * Looks up the DNS record of a claimed domain. Throws `operation_not_allowed` if it is missing, and `already_exists` if
 * another organization has verified the domain. Only people who can set the record learn about the latter.
 */
export async function verifyDomain(ctx: OrganizationContext, id: string): Promise<SsoDomain> {
  checkPlan(ctx, ctx.organization.id);
  const row = store.loadDomain(ctx, ctx.organization.id, id);
  if (row.verifiedAt !== null) return toDomain(row);
  const record = recordOf(row);
  const lookup = await lookUpRecord(ctx, record.name, record.value);
  if (lookup !== 'found') {
    const message =
      lookup === 'missing'
        ? `The TXT record ${record.name} with the expected value wasn't found. New records may take a while to appear`
        : "The name servers didn't respond. Try again";
    throw new AppError('operation_not_allowed', message, { reason: `dns_${lookup}`, dns_record: record });
  }
  return ctx.transact((tx) => {
    // The name servers decide how long they take to respond.
    tx.confirmAccess();
    checkPlan({ ...ctx, ...tx }, ctx.organization.id);
    return toDomain(markVerified(tx, store.loadDomain(tx, ctx.organization.id, id), 'dns'));
  });
}

function markVerified(tx: Tx, row: store.DomainRow, by: 'dns' | 'operator'): store.DomainRow {
  if (row.verifiedAt !== null) return row;
  const { id, organizationId, domain } = row;
  if (store.isVerifiedElsewhere(tx, organizationId, domain)) {
    throw new AppError(
      'already_exists',
      'Another organization has already verified this domain and must remove it first',
    );
  }
  store.markDomainVerified(tx, id);
  tx.record('sso_domain.verification_changed', {
    identifier: id,
    organizationId,
    details: { domain, verified: true, by },
  });
  notifyAdmins(tx, organizationId, 'domain_verified');
  return { ...row, verifiedAt: tx.now };
}

/** Verifies a domain on the operator's word and claims it if necessary, for networks without a suitable DNS. */
export function verifyDomainByOperator(ctx: Context, organizationId: string, text: string): SsoDomain {
  const domain = requireDomain(text, 'domain');
  return ctx.transact((tx) => {
    if (store.findTier(tx, organizationId) === undefined) {
      throw new AppError('not_found', 'There is no organization with this ID');
    }
    const row = store.findDomainByName(tx, organizationId, domain) ?? addDomain(tx, organizationId, domain);
    return toDomain(markVerified(tx, row, 'operator'));
  });
}

/** Removes a claimed domain. */
export function removeDomain(ctx: OrganizationContext, id: string): void {
  ctx.transact((tx) => {
    const { domain, organizationId, verifiedAt } = store.loadDomain(tx, ctx.organization.id, id);
    store.deleteDomain(tx, id);
    tx.record('sso_domain.deleted', {
      identifier: id,
      organizationId,
      details: { domain, was_verified: verifiedAt !== null },
    });
  });
}

/** Returns the sign-in method by the domain of an address. Whether the account exists doesn't matter. */
export function discoverSso(app: App, email: string): { sso: boolean; login_url: string | null } {
  const domain = domainOfAddress(email.trim());
  const owner = domain === undefined ? undefined : store.findDomainOwner(app, domain);
  if (owner?.isEnabled !== true) return { sso: false, login_url: null };
  return { sso: true, login_url: serviceProvider(app, owner.organizationId).loginUrl };
}
