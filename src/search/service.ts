// The search by name. It reads a limited number of rows, and other requests run in between.
import type { OrganizationContext } from '../core/context.ts';
import { FIRST_PAGE } from '../core/paging.ts';
import { startSteps } from '../lib/steps.ts';
import { listReachable } from '../projects/service.ts';
import type { SearchResults } from './schema.ts';
import * as store from './store.ts';

const MAX_PER_KIND = 10;
/** One more result shows that there are more. */
const ASKED = MAX_PER_KIND + 1;
const MAX_PROJECTS = 1000;
/** Newest builds whose texts are searched, of all projects together. Others are found by the begin of their version, or their number. */
const MAX_BUILDS_SEARCHED = 2000;
const MIN_BUILDS_OF_PROJECT = 20;
const MEMBERS_PER_STEP = 1_000;
const MAX_MS = 1_000;

/** Returns the visible objects of the organization whose names contain the text. */
export async function searchOrganization(ctx: OrganizationContext, text: string): Promise<SearchResults> {
  const giveUpAt = performance.now() + MAX_MS;
  const step = startSteps();
  const wanted = text.toLowerCase();
  const projects = listReachable(ctx, FIRST_PAGE, MAX_PROJECTS);
  const found = projects.filter(
    ({ name, bundleIdentifier }) =>
      name.toLowerCase().includes(wanted) || (bundleIdentifier ?? '').toLowerCase().includes(wanted),
  );
  const channels: SearchResults['channels'] = [];
  const builds: SearchResults['builds'] = [];
  const ofProject = Math.max(MIN_BUILDS_OF_PROJECT, Math.floor(MAX_BUILDS_SEARCHED / Math.max(1, projects.length)));
  let looked = 0;
  for (const { id, name } of projects) {
    if (performance.now() > giveUpAt) break;
    await step();
    looked += 1;
    const place = { project_id: id, project_name: name };
    for (const channel of store.findChannels(ctx, id, text, ASKED)) {
      channels.push({ identifier: channel.id, name: channel.name, ...place });
    }
    const newest = store.findBuilds(ctx, id, text, ASKED, ofProject);
    const exact = newest.length < ASKED ? store.findBuildsExactly(ctx, id, text, ASKED) : [];
    const all = new Map([...newest, ...exact].map((build) => [build.id, build]));
    for (const build of all.values()) {
      builds.push({
        identifier: build.id,
        version_name: build.versionName,
        build_number: build.buildNumber,
        display_build_number: build.shownNumber,
        original_filename: build.originalFilename,
        ...place,
      });
    }
  }
  const { people, isComplete } = await findPeople(ctx, text, step);
  builds.sort((one, other) => (one.identifier < other.identifier ? 1 : -1));
  return {
    projects: found.slice(0, MAX_PER_KIND).map(({ id, name, platform }) => ({ identifier: id, name, platform })),
    channels: channels.slice(0, MAX_PER_KIND),
    builds: builds.slice(0, MAX_PER_KIND),
    people: people.slice(0, MAX_PER_KIND).map((person) => ({
      developer_id: person.id,
      display_name: person.displayName,
      email: person.email,
    })),
    truncated:
      looked < projects.length ||
      !isComplete ||
      [found, channels, builds, people].some((rows) => rows.length > MAX_PER_KIND),
  };
}

/** Returns the members whose name or address contains the text, by name. */
async function findPeople(
  ctx: OrganizationContext,
  text: string,
  step: () => Promise<void>,
): Promise<{ people: store.FoundPerson[]; isComplete: boolean }> {
  const giveUpAt = performance.now() + MAX_MS;
  const people: store.FoundPerson[] = [];
  let after: string | undefined = '';
  while (after !== undefined && performance.now() <= giveUpAt) {
    await step();
    const page = { after, count: MEMBERS_PER_STEP };
    const { found, next } = store.findMembers(ctx, ctx.organization.id, { text, limit: ASKED }, page);
    people.push(...found);
    after = next;
  }
  people.sort((one, other) => (one.displayName < other.displayName ? -1 : Number(one.displayName > other.displayName)));
  return { people, isComplete: after === undefined };
}
