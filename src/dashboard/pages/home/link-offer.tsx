// Offers to link a new project with the project of the same name for another platform.
import { Checkbox } from '@mantine/core';
import type { ProjectOverview } from '../../../overviews/project-schema.ts';
import { platformFacts } from '../../../platforms.ts';
import type { Project } from '../../../projects/schema.ts';
import { useReadAll } from '../../api/hooks.ts';
import { mayInProject } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';

interface New {
  name: string;
  platform: Project['platform'];
}

/** Returns the project that a new one can be linked with; undefined if there is none. */
export function useLinkCandidate(organizationId: string, { name, platform }: New): Project | undefined {
  const { data } = useReadAll<ProjectOverview>('/projects/overview', { query: { organization_id: organizationId } });
  const wanted = name.trim().toLowerCase();
  return data?.find(
    ({ project }) =>
      project.platform !== platform &&
      project.siblings.length === 0 &&
      project.name.toLowerCase() === wanted &&
      mayInProject(project, 'project.edit'),
  )?.project;
}

interface LinkOfferProps {
  project: Project;
  checked: boolean;
  onChange(checked: boolean): void;
}

export function LinkOffer({ project, checked, onChange }: LinkOfferProps) {
  const t = useTexts().siblings;
  return (
    <Checkbox
      label={t.linkWith(project.name, platformFacts[project.platform].name)}
      description={t.hint}
      checked={checked}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}
