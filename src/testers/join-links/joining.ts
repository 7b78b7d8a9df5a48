// Joining with a link: what a visitor can do with it, and the access that it gives.

import { noChannel } from '../../channels/audience.ts';
import type { Context, DeveloperContext, Tx } from '../../core/context.ts';
import { type DeveloperRow, loadDeveloper } from '../../developers/store.ts';
import { lockOf } from '../../http/organization-lock.ts';
import { mayInstall } from '../../install/offers.ts';
import { findPlace, type Place } from '../../install/store.ts';
import { AppError } from '../../lib/errors.ts';
import { checkMemberRequirements } from '../../organizations/member-requirements.ts';
import { domainOfAddress } from '../../saml/domain-name.ts';
import { createGrant } from '../grants/service.ts';
import { recordJoinLink } from './record.ts';
import { wasRemovedSince } from './removals.ts';
import { isBackedByCreator } from './sender-role.ts';
import { findLink, findLinkByToken, insertSignUp, type JoinLinkRow, stateOf, takePlace, takeSignUp } from './store.ts';

/** What a visitor can do with a link. */
export type JoinState =
  /** Unknown links and links that no longer work can't be told apart. */
  | { kind: 'dead' }
  /** The visitor can already install from the channel. */
  | { kind: 'joined'; channelId: string }
  | { kind: 'signed_out' | 'locked'; place: Place }
  | { kind: 'unverified' | 'removed' | 'two_factor_needed' | 'sign_in_otherwise'; place: Place; email: string }
  | { kind: 'wrong_domain'; place: Place; email: string; domain: string }
  | { kind: 'ready'; place: Place; email: string; link: JoinLinkRow };

interface OpenLink {
  link: JoinLinkRow;
  place: Place;
}

/** Returns a link with its channel if people can join with it. */
function asOpen(app: Context | Tx, link: JoinLinkRow | undefined, place: Place | undefined): OpenLink | undefined {
  // Looked up for all links, so that those that no longer work take as long as unknown ones.
  const { organizationId, projectId } = link ?? noChannel;
  const isBacked = isBackedByCreator(app, { organizationId, projectId, backedBy: link?.backedBy ?? noChannel.id });
  if (link === undefined || place === undefined || !isBacked) return undefined;
  return stateOf(link, app.clock.time()) === 'open' ? { link, place } : undefined;
}

/** Returns what the visitor can do with a link. Changes nothing. */
export function readJoinState(ctx: Context, token: string): JoinState {
  const link = findLinkByToken(ctx, ctx.secrets.hash(token));
  const place = findPlace(ctx, link?.channelId ?? noChannel.id);
  const open = asOpen(ctx, link, place);
  if (!isDeveloper(ctx)) return open === undefined ? { kind: 'dead' } : readSignedOutState(ctx, open.place);
  const developer = loadDeveloper(ctx, ctx.actor.id);
  const canInstall = mayInstall(ctx, developer.id, { channel: place?.channel ?? noChannel });
  // Their way to the app stays the same when the link no longer works for others.
  if (place !== undefined && canInstall) return { kind: 'joined', channelId: place.channel.id };
  return open === undefined ? { kind: 'dead' } : readStateOf(ctx, open, developer);
}

/** A sign-up with the link of a locked organization creates nothing, so nobody is asked to sign up then. */
function readSignedOutState(ctx: Context, place: Place): JoinState {
  return { kind: lockOf(ctx, place) === null ? 'signed_out' : 'locked', place };
}

function isDeveloper(ctx: Context): ctx is DeveloperContext {
  return ctx.actor.kind === 'developer';
}

function readStateOf(ctx: DeveloperContext, { link, place }: OpenLink, developer: DeveloperRow): JoinState {
  const { email } = developer;
  const facts = { place, email };
  if (developer.emailVerifiedAt === null) return { kind: 'unverified', ...facts };
  if (link.emailDomain !== null && !isInDomain(email, link)) {
    return { kind: 'wrong_domain', ...facts, domain: link.emailDomain };
  }
  if (wasRemovedSince(ctx, link, developer.id)) return { kind: 'removed', ...facts };
  try {
    checkMemberRequirements(ctx, link.organizationId);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'mfa_enrollment_required') return { kind: 'two_factor_needed', ...facts };
    if (error.details.reason === 'email_sign_in_not_allowed') return { kind: 'sign_in_otherwise', ...facts };
    throw error;
  }
  return lockOf(ctx, place) === null ? { kind: 'ready', ...facts, link } : { kind: 'locked', place };
}

function isInDomain(email: string, { emailDomain }: JoinLinkRow): boolean {
  return emailDomain === null || domainOfAddress(email) === emailDomain;
}

/** Makes the visitor a tester of the channel. Returns what they can do with the link, which is `joined` if it worked. */
export function joinChannel(ctx: Context, token: string): JoinState {
  return ctx.transact((tx) => {
    const state = readJoinState(ctx, token);
    if (state.kind !== 'ready' || !isDeveloper(ctx)) return state;
    const { link, email } = state;
    if (!giveAccess(tx, link, { developerId: ctx.actor.id, email })) return { kind: 'dead' };
    return { kind: 'joined', channelId: link.channelId };
  });
}

/** Returns whether a place was left. Of any number of concurrent calls, as many succeed as the link has places. */
function giveAccess(tx: Tx, link: JoinLinkRow, person: { developerId: string; email: string }): boolean {
  if (!takePlace(tx, link.id)) return false;
  const { organizationId, projectId, channelId } = link;
  recordJoinLink(tx, 'join_link.accepted', link, { email: person.email, developer_id: person.developerId });
  createGrant(tx, { organizationId, projectId, channelId }, { ...person, joinLinkId: link.id });
  return true;
}

/**
 * Returns the link with which an address may sign up, or undefined. Signing up doesn't take a place: the person joins when the
 * address is verified.
 */
export function findLinkForSignUp(tx: Tx, token: string | undefined, email: string): JoinLinkRow | undefined {
  if (token === undefined) return undefined;
  const link = findLinkByToken(tx, tx.secrets.hash(token));
  const open = asOpen(tx, link, findPlace(tx, link?.channelId ?? noChannel.id));
  return open !== undefined && lockOf(tx, open.place) === null && isInDomain(email, open.link) ? open.link : undefined;
}

/** Remembers that an account signed up with a link. */
export function rememberSignUp(tx: Tx, developerId: string, link: JoinLinkRow | undefined): void {
  if (link !== undefined) insertSignUp(tx, { developerId, joinLinkId: link.id });
}

/**
 * Lets an account join the channel of the link that it signed up with, now that its address is verified. `isMaker` is false if
 * another person may have signed up. Does nothing if the link no longer works.
 */
export function joinAfterSignUp(tx: Tx, { id: developerId, email }: DeveloperRow, isMaker: boolean): void {
  const linkId = takeSignUp(tx, developerId);
  if (linkId === undefined || !isMaker) return;
  const link = findLink(tx, linkId);
  const open = asOpen(tx, link, findPlace(tx, link?.channelId ?? noChannel.id));
  if (open === undefined || lockOf(tx, open.place) !== null || !isInDomain(email, open.link)) return;
  if (mayInstall(tx, developerId, open.place) || wasRemovedSince(tx, open.link, developerId)) return;
  giveAccess(tx, open.link, { developerId, email });
}
