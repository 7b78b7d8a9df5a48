// Changes between the platforms of an app, on the same page where both projects have it.
import { Link, useRouterState } from '@tanstack/react-router';
import { platformFacts, platforms } from '../../../platforms.ts';
import type { Project } from '../../../projects/schema.ts';
import { useTexts } from '../../texts/locale.ts';

/** Pages that every project has. Others belong to a channel or build of one project. */
const SHARED_PAGES = {
  '': '/projects/$projectId',
  builds: '/projects/$projectId/builds',
  sdk: '/projects/$projectId/sdk',
} as const;

function isShared(page: string): page is keyof typeof SHARED_PAGES {
  return Object.hasOwn(SHARED_PAGES, page);
}

export function PlatformSwitch({ project }: { project: Project }) {
  const t = useTexts().siblings;
  const page = useRouterState({
    select: ({ location }) => location.pathname.split(`/projects/${project.identifier}`)[1]?.replace(/^\/|\/$/g, ''),
  });
  if (project.siblings.length === 0) return null;
  const to = page !== undefined && isShared(page) ? SHARED_PAGES[page] : SHARED_PAGES[''];
  const all = [project, ...project.siblings].toSorted(
    (one, other) => platforms.indexOf(one.platform) - platforms.indexOf(other.platform),
  );
  return (
    <ul className="tw-platform-switch" aria-label={t.platforms}>
      {all.map(({ identifier, platform }) => (
        <li key={identifier}>
          {identifier === project.identifier ? (
            <span aria-current="true">{platformFacts[platform].name}</span>
          ) : (
            <Link to={to} params={{ projectId: identifier }}>
              {platformFacts[platform].name}
            </Link>
          )}
        </li>
      ))}
    </ul>
  );
}
