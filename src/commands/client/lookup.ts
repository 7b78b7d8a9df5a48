// Finds the organization, project, channel, device and store connection that a command line names by id or by name.
import { Refusal, UsageError } from '../../lib/failure.ts';
import { UUID_PATTERN } from '../../lib/uuid.ts';
import * as z from '../../lib/zod.ts';
import { platformFacts } from '../../platforms.ts';
import { plainText } from '../host.ts';
import { type Api, ApiRefusal } from './api.ts';
import { Channel, Device, Organization, Project, pageOf, StoreConnection } from './shapes.ts';

const UUID = new RegExp(`^${UUID_PATTERN}$`, 'i');
const PAGE_SIZE = '1000';
const LARGEST_PAGE_COUNT = 1000;

/** Yields all items of a list, newest first, page by page. */
export async function* listAll<Item extends z.ZodType>(
  api: Api,
  path: string,
  query: Record<string, string | undefined>,
  item: Item,
): AsyncGenerator<z.output<Item>> {
  let cursor: string | undefined;
  for (let page = 0; page < LARGEST_PAGE_COUNT; page++) {
    const request = { method: 'GET', path, query: { limit: PAGE_SIZE, ...query, cursor } } as const;
    const { items, next_cursor: next } = await api.send(request, pageOf(item));
    yield* items;
    if (next === null || next === cursor) return;
    cursor = next;
  }
}

export interface ProjectSelector {
  /** Id or name. */
  project?: string | undefined;
  /** Id or name of the organization to look in. */
  organization?: string | undefined;
  /** Selects among projects with the same name, of which each platform can have one. */
  platform?: Project['platform'] | undefined;
}

/**
 * Finds the project of a command: by id, by name in the caller's organizations, or the only one if none is named, as
 * with a project access token. Throws Refusal if there is none, and UsageError if there are several.
 */
export async function findProject(api: Api, selector: ProjectSelector): Promise<Project> {
  const { project: wanted } = selector;
  if (wanted !== undefined && UUID.test(wanted)) {
    return unlessNotFound(
      api.send({ method: 'GET', path: `/projects/${wanted.toLowerCase()}` }, Project),
      `no project that you can see has the ID ${wanted}`,
    );
  }
  const all: Project[] = [];
  const names = new Set<string>();
  for (const { identifier } of await findOrganizations(api, selector.organization)) {
    for await (const project of listAll(api, '/projects', { organization_id: identifier }, Project)) {
      if (wanted === undefined || isNamed(project, wanted)) all.push(project);
      names.add(plainText(project.name));
    }
  }
  const ofPlatform = all.filter((project) => project.platform === selector.platform);
  const found = ofPlatform.length > 0 ? ofPlatform : all;
  const [first, ...others] = found;
  if (first === undefined) {
    if (wanted === undefined)
      throw new Refusal('no project available: create one in the web app, or ask for access to one');
    throw new Refusal(`no project has the ID or the exact name "${plainText(wanted)}"; ${describeNames([...names])}`);
  }
  if (others.length > 0) {
    if (wanted === undefined && selector.platform !== undefined && ofPlatform.length === 0) {
      const { name } = platformFacts[selector.platform];
      throw new Refusal(`no project for ${name} available: create one in the web app, or ask for access to one`);
    }
    throw new UsageError(askWhichProject(found, wanted));
  }
  return first;
}

/** Some terminals and file systems write an accent as a character of its own; the server composes new names. */
function isNamed({ name }: { name: string }, wanted: string): boolean {
  return name.normalize('NFC') === wanted.normalize('NFC');
}

/** Describes the projects that can be chosen, at most 20 of them. */
function describeNames(names: readonly string[]): string {
  if (names.length === 0) return 'there are no projects that you can see';
  const shown = names.slice(0, 20).map((name) => `"${name}"`);
  const others = names.length - shown.length;
  return `projects: ${shown.join(', ')}${others > 0 ? `, and ${others} more` : ''}`;
}

function askWhichProject(found: Project[], wanted: string | undefined): string {
  const named = wanted === undefined ? '' : `${found.length} projects are named "${plainText(wanted)}". `;
  const list = found
    .slice(0, 20)
    .map((one) => `  ${one.identifier}  ${one.platform.padEnd(7)}  ${plainText(one.name)}`);
  return `${named}Choose one with --project ID:\n${list.join('\n')}`;
}

async function findOrganizations(api: Api, wanted: string | undefined): Promise<Organization[]> {
  const all = await api.send({ method: 'GET', path: '/organizations' }, z.array(Organization));
  if (wanted === undefined) return all;
  const found = all.filter((one) => one.identifier === wanted.toLowerCase() || isNamed(one, wanted));
  if (found.length === 0) throw new Refusal(`organization "${plainText(wanted)}" not found`);
  return found;
}

/** Finds an organization by id or name, or the only one if none is named. Throws UsageError if there are several. */
export async function findOrganization(api: Api, wanted: string | undefined): Promise<Organization> {
  const found = await findOrganizations(api, wanted);
  const [first, ...others] = found;
  if (first === undefined)
    throw new Refusal('no organization available: create one in the web app, or ask for an invitation');
  if (others.length === 0) return first;
  const list = found.slice(0, 20).map((one) => `  ${one.identifier}  ${plainText(one.name)}`);
  throw new UsageError(`Choose an organization with --organization ID:\n${list.join('\n')}`);
}

/**
 * Finds a store connection by id or name, or the only one of a provider if none is named. `provider` also selects among connections
 * with the same name. Throws Refusal if there is none, and UsageError if there are several.
 */
export async function findStoreConnection(
  api: Api,
  { connection: wanted, organization, provider }: { connection?: string; organization?: string; provider?: string },
): Promise<StoreConnection> {
  const missing = `store connection "${plainText(wanted ?? '')}" not found; "taxiway store list" lists them`;
  if (wanted !== undefined && UUID.test(wanted)) {
    return unlessNotFound(
      api.send({ method: 'GET', path: `/store-connections/${wanted.toLowerCase()}` }, StoreConnection),
      missing,
    );
  }
  const all = await listStoreConnections(api, organization);
  const ofProvider = all.filter((one) => one.provider === provider && (wanted ?? one.name) === one.name);
  const found = ofProvider.length > 0 ? ofProvider : all.filter(({ name }) => name === wanted);
  const [first, ...others] = found;
  if (first === undefined) {
    throw new Refusal(
      wanted === undefined
        ? 'no connection to App Store Connect available: add one on the page Stores of the web app'
        : missing,
    );
  }
  if (others.length === 0) return first;
  const list = found.slice(0, 20).map((one) => `  ${one.identifier}  ${one.provider}  ${plainText(one.name)}`);
  throw new UsageError(`${found.length} store connections match. Choose one by its ID:\n${list.join('\n')}`);
}

/**
 * Returns the store connections of an organization, or those of all organizations in which the caller may see them. Throws
 * the refusal if there is no such organization.
 */
export async function listStoreConnections(api: Api, organization: string | undefined): Promise<StoreConnection[]> {
  const all: StoreConnection[] = [];
  const organizations = await findOrganizations(api, organization);
  const refusals: ApiRefusal[] = [];
  for (const { identifier } of organizations) {
    try {
      const query = { organization_id: identifier };
      for await (const one of listAll(api, '/store-connections', query, StoreConnection)) all.push(one);
    } catch (error) {
      if (!(error instanceof ApiRefusal) || error.status !== 403) throw error;
      refusals.push(error);
    }
  }
  const [refusal] = refusals;
  if (refusal !== undefined && refusals.length === organizations.length) throw refusal;
  return all;
}

/** Finds devices of an organization by id or UDID, each once. Throws Refusal for one that doesn't exist. */
export async function findDevices(api: Api, organizationId: string, wanted: readonly string[]): Promise<Device[]> {
  const found = new Map<string, Device>();
  let byUdid: Map<string, Device> | undefined;
  for (const one of wanted) {
    const missing = `device "${plainText(one)}" not found; "taxiway device list" lists devices`;
    let device: Device | undefined;
    if (UUID.test(one)) {
      device = await unlessNotFound(
        api.send({ method: 'GET', path: `/devices/${one.toLowerCase()}` }, Device),
        missing,
      );
    } else {
      byUdid ??= await readDevicesByUdid(api, organizationId);
      device = byUdid.get(one.toLowerCase());
    }
    if (device?.organization_id !== organizationId) throw new Refusal(missing);
    found.set(device.identifier, device);
  }
  return [...found.values()];
}

async function readDevicesByUdid(api: Api, organizationId: string): Promise<Map<string, Device>> {
  const byUdid = new Map<string, Device>();
  for await (const device of listAll(api, '/devices', { organization_id: organizationId }, Device)) {
    byUdid.set(device.udid.toLowerCase(), device);
  }
  return byUdid;
}

async function unlessNotFound<T>(answer: Promise<T>, missing: string): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiRefusal && error.code === 'not_found') throw new Refusal(missing);
    throw error;
  }
}

/** Finds a channel of a project by id or name. */
export async function findChannel(
  api: Api,
  project: { identifier: string; organization_id: string },
  wanted: string,
): Promise<Channel> {
  const query = { organization_id: project.organization_id, project_id: project.identifier };
  const names: string[] = [];
  for await (const channel of listAll(api, '/channels', query, Channel)) {
    if (channel.identifier === wanted.toLowerCase() || isNamed(channel, wanted)) return channel;
    if (names.length < 20) names.push(plainText(channel.name));
  }
  const known = names.length === 0 ? 'the project has no channels yet' : `channels of the project: ${names.join(', ')}`;
  throw new Refusal(`channel "${plainText(wanted)}" not found; ${known}`);
}
