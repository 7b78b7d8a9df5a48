// The search by name, limited in time so that it doesn't delay other requests.
import type { OrganizationContext } from '../core/context.ts';
import { FIRST_PAGE } from '../core/paging.ts';
import { listReachable } from '../projects/service.ts';
import type { SearchResults } from './schema.ts';
import * as store from './store.ts';

const MAX_PER_KIND = 10;
/** One more result shows that there are more. */
const ASKED = MAX_PER_KIND + 1;
const MAX_PROJECTS = 1000;
const MAX_BUILDS_SEARCHED = 2000;
const POLLING_TIMEOUT_MS = 50;

/** Returns the visible objects of the organization whose names contain the text. */
export function searchOrganization(ctx: OrganizationContext, text: string): SearchResults {
  const giveUpAt = performance.now() + POLLING_TIMEOUT_MS;
  const wanted = text.toLowerCase();
  const projects = listReachable(ctx, FIRST_PAGE, MAX_PROJECTS);
  const found = projects.filter(
    ({ name, bundleIdentifier }) =>
      name.toLowerCase().includes(wanted) || (bundleIdentifier ?? '').toLowerCase().includes(wanted),
  );
  const channels: SearchResults['channels'] = [];
  const builds: SearchResults['builds'] = [];
  let looked = 0;
  for (const { id, name } of projects) {
    if (performance.now() > giveUpAt) break;
    looked += 1;
    const place = { project_id: id, project_name: name };
    for (const channel of store.findChannels(ctx, id, text, ASKED)) {
      channels.push({ identifier: channel.id, name: channel.name, ...place });
    }
    for (const build of store.findBuilds(ctx, id, text, ASKED, MAX_BUILDS_SEARCHED)) {
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
  const people = store.findMembers(ctx, ctx.organization.id, text, ASKED);
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
    truncated: looked < projects.length || [found, channels, builds, people].some((rows) => rows.length > MAX_PER_KIND),
  };
}
