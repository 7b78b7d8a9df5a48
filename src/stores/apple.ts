// The App Store Connect API: tokens, validation and devices (developer.apple.com/documentation/appstoreconnectapi).
import type { Context } from '../core/context.ts';
import { MINUTE, SECOND } from '../lib/clock.ts';
import * as z from '../lib/zod.ts';
import type { AppleCredentials } from './credentials.ts';
import { type Failure, failureOf, type Validation } from './failures.ts';
import { askStore, type StoreAnswer, unavailable } from './provider-request.ts';
import type { AppleProfile } from './state.ts';

const AUDIENCE = 'appstoreconnect-v1';
/** Seconds. Clocks can differ by a little. */
const ISSUED_BEFORE = 30;
/** Seconds after it was issued; Apple accepts at most 20 minutes. */
const TOKEN_LIFETIME = 19 * 60;
const MAX_NAME_LENGTH = 50;
const DEVICES_PER_PAGE = 200;
const DEVICES_PATH = `/v1/devices?limit=${DEVICES_PER_PAGE}`;
/** A team has at most a few hundred devices of each class. */
const MAX_PAGES = 50;
/** Each takes a request for its devices. */
const MAX_PROFILES = 50;
/** Pages of devices of a profile, which has at most all devices of the team. */
const MAX_PROFILE_PAGES = 10;
/** For all requests of a list together. Each request has a limit of its own. */
const MAX_LIST_MS = MINUTE;

const problems = z.object({ errors: z.array(z.object({ code: z.string() })).min(1) });

const appleDevice = z.object({
  id: z.string().max(100).optional(),
  attributes: z.object({
    udid: z.string().max(200),
    deviceClass: z.string().regex(/^[A-Z_]{1,40}$/),
    /** Not all values are documented, and one device must not hide the others of a list. */
    status: z.string().max(100),
  }),
});
const oneDevice = z.object({ data: appleDevice });
const nextLink = z.object({ next: z.string().optional() }).optional();
const manyDevices = z.object({ data: z.array(appleDevice).max(DEVICES_PER_PAGE), links: nextLink });

/** A device as Apple lists it. */
export interface AppleDevice {
  deviceClass: string;
  state: 'registered' | 'processing' | 'disabled';
}

/** The devices of a team. */
export interface AppleDeviceList {
  devices: readonly (AppleDevice & { udid: string })[];
  /** Whether the list was read to its end. */
  isComplete: boolean;
}

/** The states of statuses. In any other one, a device has its place and works in no profile yet. */
const states = new Map<string, AppleDevice['state']>([
  ['ENABLED', 'registered'],
  ['DISABLED', 'disabled'],
]);

const toDevice = ({ attributes }: z.output<typeof appleDevice>): AppleDevice => ({
  deviceClass: attributes.deviceClass,
  state: states.get(attributes.status) ?? 'processing',
});

async function createToken({ clock }: Context, credentials: AppleCredentials): Promise<string> {
  const { SignJWT } = await import('jose');
  const issuedAt = Math.floor(clock.time() / SECOND) - ISSUED_BEFORE;
  const { issuerId, keyId, privateKey } = credentials;
  return new SignJWT(issuerId === null ? { sub: 'user' } : { iss: issuerId })
    .setProtectedHeader({ alg: 'ES256', kid: keyId, typ: 'JWT' })
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + TOKEN_LIFETIME)
    .setAudience(AUDIENCE)
    .sign(privateKey);
}

/** Sends a request for a path with its query. */
async function ask(
  ctx: Context,
  credentials: AppleCredentials,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<StoreAnswer> {
  const url = `${ctx.config.stores.app_store_connect.base_url.replace(/\/$/, '')}${path}`;
  const token = await createToken(ctx, credentials);
  return askStore(ctx, { method, url, token, ...(body === undefined ? {} : { body }) });
}

function codeOf({ body }: StoreAnswer): string | undefined {
  return problems.safeParse(body).data?.errors[0]?.code;
}

/** Returns what a rejection says about the key itself, or undefined for one that concerns only the request. */
function failureOfAnswer(answer: StoreAnswer): Failure | undefined {
  const code = codeOf(answer);
  if (answer.status === 401) return failureOf('credentials_refused', code);
  if (answer.status !== 403) return undefined;
  const isAgreement = code === 'FORBIDDEN.REQUIRED_AGREEMENTS_MISSING_OR_EXPIRED';
  return failureOf(isAgreement ? 'agreement_missing' : 'permission_missing', code);
}

/** Parses a success. Throws `store_connection_unavailable` for anything else. */
function parse<T>(shape: z.ZodType<T>, { status, body, retryAfterSeconds }: StoreAnswer): T {
  const parsed = shape.safeParse(body);
  if (status > 299 || !parsed.success) throw unavailable(retryAfterSeconds);
  return parsed.data;
}

/** Asks for one app, which every role of a key may. */
export async function validateApple(ctx: Context, credentials: AppleCredentials): Promise<Validation> {
  const answer = await ask(ctx, credentials, 'GET', '/v1/apps?limit=1');
  const failure = failureOfAnswer(answer);
  if (failure === undefined) parse(z.object({ data: z.array(z.unknown()) }), answer);
  return { scope: 'account', failure };
}

/** The result of registering a device. */
export type Registration =
  | { kind: 'registered'; device: AppleDevice; isNew: boolean }
  | { kind: 'identifier_refused' }
  | { kind: 'forbidden'; failure: Failure };

/** Registers a device. One that the team already has is found instead, so repeating it changes nothing. */
export async function registerWithApple(
  ctx: Context,
  credentials: AppleCredentials,
  { name, udid }: { name: string; udid: string },
): Promise<Registration> {
  const attributes = { name: cutName(name), udid, platform: 'IOS' };
  const answer = await ask(ctx, credentials, 'POST', '/v1/devices', { data: { type: 'devices', attributes } });
  const failure = failureOfAnswer(answer);
  if (failure !== undefined) return { kind: 'forbidden', failure };
  if (answer.status !== 409) {
    return { kind: 'registered', device: toDevice(parse(oneDevice, answer).data), isNew: true };
  }
  const found = await findAppleDevice(ctx, credentials, udid);
  if (found === undefined) return { kind: 'identifier_refused' };
  return 'code' in found ? { kind: 'forbidden', failure: found } : { kind: 'registered', device: found, isNew: false };
}

/** Cuts a name to Apple's limit, not within a character. */
function cutName(name: string): string {
  return name
    .slice(0, MAX_NAME_LENGTH)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trim();
}

/** Returns a device of the team by its identifier, undefined if the team doesn't have it, or why the key can't see it. */
export async function findAppleDevice(
  ctx: Context,
  credentials: AppleCredentials,
  udid: string,
): Promise<AppleDevice | Failure | undefined> {
  const query = new URLSearchParams({ 'filter[udid]': udid });
  const answer = await ask(ctx, credentials, 'GET', `/v1/devices?${query}`);
  const failure = failureOfAnswer(answer);
  if (failure !== undefined) return failure;
  const { data } = parse(manyDevices, answer);
  const match = data.find(({ attributes }) => attributes.udid.toLowerCase() === udid.toLowerCase());
  return match && toDevice(match);
}

/** Returns the devices of the team, regardless of their status, or why the key can't see them. */
export async function listAppleDevices(
  ctx: Context,
  credentials: AppleCredentials,
): Promise<AppleDeviceList | Failure> {
  const checkTime = startDeadline(ctx);
  const list = await readList(ctx, credentials, { path: DEVICES_PATH, shape: manyDevices, checkTime });
  if ('code' in list) return list;
  const devices = list.items.map((one) => ({ udid: one.attributes.udid, ...toDevice(one) }));
  return { devices, isComplete: list.isComplete };
}

const profileTypes = { IOS_APP_ADHOC: 'ad_hoc', IOS_APP_DEVELOPMENT: 'development' } as const;
const appleProfile = z.object({
  id: z.string().regex(/^[\w-]{1,100}$/),
  attributes: z.object({
    name: z.string().max(500),
    uuid: z.string().max(100),
    profileType: z.enum(['IOS_APP_ADHOC', 'IOS_APP_DEVELOPMENT']),
    profileState: z.string().max(40),
    createdDate: z.string().max(40).nullish(),
    expirationDate: z.string().max(40).nullish(),
  }),
});
const manyProfiles = z.object({ data: z.array(appleProfile).max(DEVICES_PER_PAGE), links: nextLink });
const manyLinks = z.object({
  data: z.array(z.object({ id: z.string().max(100) })).max(DEVICES_PER_PAGE),
  links: nextLink,
});

/**
 * Returns the team's ad hoc and development profiles for iOS, newest first, at most MAX_PROFILES, or why the key can't see them. The
 * content of profiles isn't requested, because it has up to 100 KB each.
 */
export async function listAppleProfiles(
  ctx: Context,
  credentials: AppleCredentials,
): Promise<AppleProfile[] | Failure> {
  const checkTime = startDeadline(ctx);
  const list = await readList(ctx, credentials, { path: DEVICES_PATH, shape: manyDevices, checkTime });
  if ('code' in list) return list;
  const udidOf = new Map(list.items.map(({ id, attributes }) => [id, attributes.udid]));
  const query = new URLSearchParams({
    'filter[profileType]': Object.keys(profileTypes).join(','),
    'fields[profiles]': 'name,uuid,profileType,profileState,createdDate,expirationDate',
    sort: '-id',
    limit: String(MAX_PROFILES),
  });
  const answer = await ask(ctx, credentials, 'GET', `/v1/profiles?${query}`);
  const failure = failureOfAnswer(answer);
  if (failure !== undefined) return failure;
  const profiles: AppleProfile[] = [];
  for (const { id, attributes } of parse(manyProfiles, answer).data.slice(0, MAX_PROFILES)) {
    const path = `/v1/profiles/${id}/relationships/devices?limit=${DEVICES_PER_PAGE}`;
    const links = await readList(ctx, credentials, { path, shape: manyLinks, checkTime, maxPages: MAX_PROFILE_PAGES });
    if ('code' in links) return links;
    profiles.push({
      id,
      uuid: attributes.uuid,
      name: attributes.name,
      type: profileTypes[attributes.profileType],
      isActive: attributes.profileState === 'ACTIVE',
      createdAt: toMoment(attributes.createdDate),
      expiresAt: toMoment(attributes.expirationDate),
      udids: links.items.flatMap((link) => udidOf.get(link.id) ?? []),
    });
  }
  return profiles;
}

function toMoment(text: string | null | undefined): number | null {
  const moment = Date.parse(text ?? '');
  return Number.isNaN(moment) ? null : moment;
}

/** Returns a function that throws `store_connection_unavailable` once a list takes too long. */
function startDeadline({ clock }: Context): () => void {
  const endsAt = clock.time() + MAX_LIST_MS;
  return () => {
    if (clock.time() > endsAt) throw unavailable();
  };
}

interface ListRequest<Item> {
  /** Of the first page, with its query. */
  path: string;
  /** Of each page. */
  shape: z.ZodType<{ data: Item[]; links?: { next?: string | undefined } | undefined }>;
  /** Called before each request; throws when the time is up. */
  checkTime: () => void;
  maxPages?: number;
}

/** Returns the items of a list and whether they are all of it, or why the key can't see them. */
async function readList<Item>(
  ctx: Context,
  credentials: AppleCredentials,
  { path: first, shape, checkTime, maxPages = MAX_PAGES }: ListRequest<Item>,
): Promise<Failure | { items: Item[]; isComplete: boolean }> {
  const items: Item[] = [];
  const resource = first.replace(/\?.*$/, '');
  let path: string | undefined = first;
  for (let count = 0; path !== undefined && count < maxPages; count += 1) {
    checkTime();
    const answer: StoreAnswer = await ask(ctx, credentials, 'GET', path);
    const failure = failureOfAnswer(answer);
    if (failure !== undefined) return failure;
    const { data, links } = parse(shape, answer);
    items.push(...data);
    path = links?.next === undefined ? undefined : pathOfNextPage(ctx, links.next, resource);
  }
  return { items, isComplete: path === undefined };
}

/** Returns the path of a next page on the configured server. Throws `store_connection_unavailable` for another server. */
function pathOfNextPage({ config }: Context, next: string, resource: string): string {
  const base = new URL(config.stores.app_store_connect.base_url).href.replace(/\/$/, '');
  const url = URL.parse(next)?.href;
  if (url?.startsWith(`${base}${resource}?`) !== true) throw unavailable();
  return url.slice(base.length);
}
