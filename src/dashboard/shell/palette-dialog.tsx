// The palette itself: any project, and the builds, channels and people that are within reach. Loaded when it is first opened.
import { createSpotlight, Spotlight, type SpotlightActionGroupData } from '@mantine/spotlight';
import { IconSearch } from '@tabler/icons-react';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { Build } from '../../builds/schema.ts';
import type { Channel } from '../../channels/schema.ts';
import type { OrganizationMember } from '../../organizations/members/schema.ts';
import type { Project } from '../../projects/schema.ts';
import { type Page, useRead, useReadAll } from '../api/api-context.ts';
import { AppIcon } from '../parts/app-icon.tsx';
import { useTexts } from '../texts/languages.ts';
import { useVisit } from './me.ts';

const [store, palette] = createSpotlight();

const MOST_SHOWN = 30;

/** The palette; it opens whenever `asked` grows. */
export function PaletteDialog({ asked }: { asked: number }) {
  const texts = useTexts();
  const t = texts.shell;
  const navigate = useNavigate();
  const { organization } = useVisit();
  const { projectId } = useParams({ strict: false });
  const organizationId = organization?.identifier;
  const isWanted = organizationId !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each time somebody asks
  useEffect(() => palette.open(), [asked]);
  const projects = useReadAll<Project>('/projects', {
    query: { organization_id: organizationId },
    isEnabled: isWanted,
  });
  const here = projects.data?.find(({ identifier }) => identifier === projectId);
  const inProject = { organization_id: here?.organization_id, project_id: here?.identifier };
  const isInProject = isWanted && here !== undefined;
  const channels = useReadAll<Channel>('/channels', { query: inProject, isEnabled: isInProject });
  const builds = useRead<Page<Build>>('/builds', { query: { ...inProject, limit: 100 }, isEnabled: isInProject });
  const members = useReadAll<OrganizationMember>(`/organizations/${organizationId}/members`, { isEnabled: isWanted });

  const groups: SpotlightActionGroupData[] = [
    {
      group: texts.projects.title,
      actions: (projects.data ?? []).map((project) => ({
        id: project.identifier,
        label: project.name,
        description: `${texts.common.platforms[project.platform]} ${project.bundle_identifier ?? ''}`,
        leftSection: <AppIcon src={project.icon_url} name={project.name} size={28} />,
        onClick: () => void navigate({ to: '/projects/$projectId', params: { projectId: project.identifier } }),
      })),
    },
    {
      group: texts.channels.title,
      actions: (channels.data ?? []).map((channel) => ({
        id: channel.identifier,
        label: channel.name,
        description: here?.name ?? '',
        onClick: () =>
          void navigate({
            to: '/projects/$projectId/channels/$channelId',
            params: { projectId: channel.project_id, channelId: channel.identifier },
          }),
      })),
    },
    {
      group: texts.builds.title,
      actions: (builds.data?.items ?? []).map((build) => ({
        id: build.identifier,
        label: `${build.version_name} (${build.build_number})`,
        description: build.original_filename ?? here?.name ?? '',
        onClick: () =>
          void navigate({
            to: '/projects/$projectId/builds/$buildId',
            params: { projectId: build.project_id, buildId: build.identifier },
          }),
      })),
    },
    {
      group: texts.people.title,
      actions: (members.data ?? []).map((member) => ({
        id: member.developer_id,
        label: member.display_name,
        description: member.email,
        onClick: () => void navigate({ to: '/members' }),
      })),
    },
  ];
  return (
    <Spotlight
      store={store}
      actions={groups.filter(({ actions }) => actions.length > 0)}
      limit={MOST_SHOWN}
      scrollable
      attributes={{ content: { 'aria-label': t.search } }}
      maxHeight={420}
      nothingFound={t.nothingFound}
      searchProps={{
        leftSection: <IconSearch size={18} />,
        placeholder: t.searchHint,
        'aria-label': t.searchHint,
      }}
      shortcut={null}
    />
  );
}
