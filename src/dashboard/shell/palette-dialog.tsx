// The palette's dialog: pages and projects, and the channels, builds and people that the server finds for the typed
// text.

import {
  createSpotlight,
  Spotlight,
  type SpotlightActionData,
  type SpotlightActionGroupData,
} from '@mantine/spotlight';
import {
  type Icon,
  IconBuildingStore,
  IconCalendarTime,
  IconCreditCard,
  IconDatabase,
  IconDeviceMobile,
  IconDownload,
  IconGitBranch,
  IconHistory,
  IconHome,
  IconKey,
  IconMessage,
  IconPackage,
  IconPuzzle,
  IconSearch,
  IconServer,
  IconSettings,
  IconShieldLock,
  IconUser,
  IconUserCheck,
  IconUsers,
  IconUsersGroup,
  IconWebhook,
} from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { platformFacts } from '../../platforms.ts';
import type { Project } from '../../projects/schema.ts';
import type { SearchResults } from '../../search/schema.ts';
import { useApi, useReadAll } from '../api/hooks.ts';
import { AppIcon } from '../components/app-icon.tsx';
import { formatBuild } from '../components/build-name.ts';
import { describeError } from '../components/errors.tsx';
import { useTexts } from '../texts/locale.ts';
import { useCurrentUser } from './current-user.ts';
import { listPages, listProjectPages, matches, type PageEntry } from './palette-pages.ts';
import { useServerInfo } from './server-info.ts';

const [store, palette] = createSpotlight();

const pageIcons: Record<PageEntry['name'], Icon> = {
  projects: IconHome,
  devices: IconDeviceMobile,
  stores: IconBuildingStore,
  testers: IconUserCheck,
  groups: IconUsersGroup,
  webhooks: IconWebhook,
  members: IconUsers,
  expiring: IconCalendarTime,
  billing: IconCreditCard,
  audit: IconHistory,
  settings: IconSettings,
  security: IconShieldLock,
  sso: IconKey,
  storage: IconDatabase,
  myApps: IconDownload,
  me: IconUser,
  system: IconServer,
  channels: IconGitBranch,
  builds: IconPackage,
  feedback: IconMessage,
  projectTesters: IconUserCheck,
  sdk: IconPuzzle,
  tokens: IconKey,
  projectSettings: IconSettings,
};

const iconProps = { size: 16, stroke: 1.75, 'aria-hidden': true } as const;

const MAX_SHOWN = 60;
/** Projects shown before anything is typed. Few, so that the pages below them stay visible. */
const MAX_UNASKED = 6;
const PAUSE_MS = 180;

/**
 * Selects the first entry if none is selected. Results that arrive after the last key press would otherwise need
 * another one.
 */
function chooseFirst(): void {
  const list = document.getElementById(store.getState().listId);
  if (list === null || list.querySelector('[data-selected]') !== null) return;
  list.querySelector('[data-action]')?.setAttribute('data-selected', 'true');
  store.updateState((state) => ({ ...state, selected: 0 }));
}

/** Searches once typing pauses. */
function useFound(organizationId: string | undefined, text: string) {
  const api = useApi();
  const [settled, setSettled] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const path = `/organizations/${organizationId}/search`;
  const found = useQuery<SearchResults>({
    queryKey: [path, settled],
    queryFn: ({ signal }) => api.send('GET', path, { query: { query: settled }, signal }),
    enabled: organizationId !== undefined && settled !== '',
    placeholderData: keepPreviousData,
  });
  const isLooking = text !== settled || found.isFetching;
  return { data: text === '' ? undefined : found.data, error: isLooking ? null : found.error, isLooking };
}

/** Renders the palette. It opens whenever `asked` increases. */
export function PaletteDialog({ asked }: { asked: number }) {
  const texts = useTexts();
  const t = texts.palette;
  const navigate = useNavigate();
  const { organization, me } = useCurrentUser();
  const { hasBilling } = useServerInfo();
  const { projectId } = useParams({ strict: false });
  const [query, setQuery] = useState('');
  const text = query.trim();
  const organizationId = organization?.identifier;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs each time `asked` changes
  useEffect(() => palette.open(), [asked]);
  const projects = useReadAll<Project>('/projects', {
    query: { organization_id: organizationId },
    isEnabled: organizationId !== undefined,
  });
  const { data: found, error, isLooking } = useFound(organizationId, text);
  const here = projects.data?.find(({ identifier }) => identifier === projectId);
  const go = (href: string) => void navigate({ href });

  const toPage = ({ name, href }: PageEntry): SpotlightActionData[] => {
    const { label, words } = t.pageNames[name];
    if (!matches(text, label, words)) return [];
    const PageIcon = pageIcons[name];
    return [{ id: href, label, leftSection: <PageIcon {...iconProps} />, onClick: () => go(href) }];
  };
  const groups: SpotlightActionGroupData[] = [
    {
      group: here === undefined ? '' : t.pagesOf(here.name),
      actions: here ? listProjectPages(here).flatMap(toPage) : [],
    },
    {
      group: texts.projects.title,
      actions: (projects.data ?? [])
        .filter(({ name, platform, bundle_identifier: bundle }) => matches(text, name, platform, bundle))
        .slice(0, text === '' ? MAX_UNASKED : MAX_SHOWN)
        .map((project) => ({
          id: project.identifier,
          label: project.name,
          description: [platformFacts[project.platform].name, project.bundle_identifier]
            .filter(Boolean)
            .join(' \u00b7 '),
          leftSection: <AppIcon src={project.icon_url} name={project.name} size={24} />,
          onClick: () => go(`/projects/${project.identifier}`),
        })),
    },
    { group: t.pages, actions: listPages(organization, { isOperator: me.is_operator, hasBilling }).flatMap(toPage) },
    ...groupFound(found, text, go, [texts.channels.title, texts.builds.title, texts.people.title]),
  ];
  const shown = groups.filter(({ actions }) => actions.length > 0);
  const ids = shown.flatMap(({ actions }) => actions.map(({ id }) => id)).join(' ');
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when other entries are shown
  useEffect(chooseFirst, [ids]);
  return (
    <Spotlight
      store={store}
      query={query}
      onQueryChange={setQuery}
      actions={shown}
      filter={(_, actions) => actions}
      limit={MAX_SHOWN}
      scrollable
      attributes={{ content: { 'aria-label': texts.shell.search } }}
      maxHeight={420}
      nothingFound={
        <span role="status">
          {error !== null ? describeError(error, texts).title : isLooking ? t.searching : t.noResults(text)}
        </span>
      }
      searchProps={{
        leftSection: <IconSearch {...iconProps} />,
        placeholder: texts.shell.searchHint,
        'aria-label': texts.shell.searchHint,
      }}
      shortcut={null}
      overlayProps={{ blur: 0 }}
    />
  );
}

/**
 * Returns the server's results. Those of the previous text are filtered, because they are shown until new ones arrive.
 */
function groupFound(
  found: SearchResults | undefined,
  text: string,
  go: (href: string) => void,
  [channels, builds, people]: readonly [string, string, string],
): SpotlightActionGroupData[] {
  if (found === undefined) return [];
  return [
    {
      group: channels,
      actions: found.channels
        .filter(({ name }) => matches(text, name))
        .map(({ identifier, name, project_id: project, project_name: description }) => ({
          id: identifier,
          label: name,
          description,
          leftSection: <IconGitBranch {...iconProps} />,
          onClick: () => go(`/projects/${project}/channels/${identifier}`),
        })),
    },
    {
      group: builds,
      actions: found.builds
        .map((build) => ({ ...build, label: formatBuild(build) }))
        .filter(({ label, original_filename: file }) => matches(text, label, file))
        .map(({ identifier, label, original_filename: file, project_id: project, project_name: name }) => ({
          id: identifier,
          label,
          description: file === null ? name : `${name} · ${file}`,
          leftSection: <IconPackage {...iconProps} />,
          onClick: () => go(`/projects/${project}/builds/${identifier}`),
        })),
    },
    {
      group: people,
      actions: found.people
        .filter(({ display_name: name, email }) => matches(text, name, email))
        .map(({ developer_id: id, display_name: label, email }) => ({
          id,
          label,
          description: email,
          leftSection: <IconUser {...iconProps} />,
          onClick: () => go(`/members?text=${encodeURIComponent(email)}`),
        })),
    },
  ];
}
