// Apps: a project alone, or the linked projects of an app for several platforms.
import { platforms } from '../../platforms.ts';
import type { Project } from '../../projects/schema.ts';

type Linked = Pick<Project, 'identifier' | 'platform'> & { siblings: readonly { identifier: string }[] };

/**
 * Groups projects or channels into apps, in the order of the first one of each app, and its platforms in a fixed order. The list
 * must be complete, so that no app is divided between pages.
 */
export function groupApps<Item>(items: readonly Item[], projectOf: (item: Item) => Linked): Item[][] {
  const byId = new Map(items.map((item) => [projectOf(item).identifier, item]));
  const grouped = new Set<Item>();
  return items.flatMap((item) => {
    if (grouped.has(item)) return [];
    const siblings = projectOf(item).siblings.flatMap(({ identifier }) => byId.get(identifier) ?? []);
    const app = [item, ...siblings].filter((one) => !grouped.has(one));
    for (const one of app) grouped.add(one);
    const order = (one: Item) => platforms.indexOf(projectOf(one).platform);
    return [app.toSorted((one, other) => order(one) - order(other))];
  });
}
