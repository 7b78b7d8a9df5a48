// Chooses which channels of the app's other platforms share the link of a channel.
import { Select } from '@mantine/core';
import type { Channel } from '../../../channels/schema.ts';
import { useReadAll } from '../../api/hooks.ts';
import { useTexts } from '../../texts/locale.ts';
import { useProject } from './project-context.ts';

/** Choices that aren't names: names are trimmed. */
const SAME = ' same';
const NONE = ' none';

interface SiblingNameProps {
  /** As in the API: null for the same name, empty for none. */
  value: string | null;
  onChange(value: string | null): void;
}

/** Renders nothing for a project that isn't linked. */
export function SiblingNameField(props: SiblingNameProps) {
  const { siblings } = useProject();
  // Each platform has one project, so there are few.
  const [sibling] = siblings;
  return sibling === undefined ? null : <Field {...props} projectId={sibling.identifier} />;
}

function Field({ value, onChange, projectId }: SiblingNameProps & { projectId: string }) {
  const t = useTexts().siblings;
  const { organization_id } = useProject();
  const channels = useReadAll<Channel>('/channels', { query: { organization_id, project_id: projectId } });
  const names = new Set([...(channels.data ?? []).map(({ name }) => name), ...(value ? [value] : [])]);
  return (
    <Select
      label={t.channel}
      description={t.channelHint}
      data={[
        { value: SAME, label: t.sameName },
        ...[...names].map((name) => ({ value: name, label: name })),
        { value: NONE, label: t.noSibling },
      ]}
      allowDeselect={false}
      value={value === null ? SAME : value === '' ? NONE : value}
      onChange={(chosen) => onChange(chosen === SAME || chosen === null ? null : chosen === NONE ? '' : chosen)}
    />
  );
}
