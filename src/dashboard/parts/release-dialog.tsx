// Releases a build onto a channel: either end may be given, the other one is picked.
import { NativeSelect, Switch, Textarea } from '@mantine/core';
import type { Build } from '../../builds/schema.ts';
import type { Channel } from '../../channels/schema.ts';
import type { Project } from '../../projects/schema.ts';
import type { Release } from '../../releases/schema.ts';
import { type Page, useChange, useRead, useReadAll } from '../api/api-context.ts';
import { useTexts } from '../texts/languages.ts';
import { nameBuild } from './build-name.ts';
import { FormBody, useForm } from './form.tsx';
import { Loading } from './page.tsx';
import { sayDone } from './toasts.ts';

interface ReleaseFormProps {
  project: Project;
  /** Given: only the channel is picked. */
  build?: Build;
  /** Given: only the build is picked. */
  channel?: Channel;
  /** Not offered: where it comes from. */
  exceptChannelId?: string;
  onDone(): void;
}

/** The form. What a tester reads of the build is filled in from the build's own notes. */
export function ReleaseForm({ project, build, channel, exceptChannelId, onDone }: ReleaseFormProps) {
  const texts = useTexts();
  const t = texts.channels;
  const query = { organization_id: project.organization_id, project_id: project.identifier };
  const channels = useReadAll<Channel>('/channels', { query, isEnabled: channel === undefined });
  const builds = useRead<Page<Build>>('/builds', { query: { ...query, limit: 100 }, isEnabled: build === undefined });
  const targets = channels.data?.filter(({ identifier }) => identifier !== exceptChannelId);
  const isLoading =
    (channel === undefined && targets === undefined) || (build === undefined && builds.data === undefined);
  const release = useChange(
    (api, { channelId, body }: { channelId: string; body: object }) =>
      api.send<Release>('POST', '/releases', { query: { ...query, channel_id: channelId }, body }),
    ['/releases', '/channels', '/projects'],
  );
  const form = useForm({
    values: { channel_id: '', build_id: '', release_notes: build?.release_notes ?? '', mandatory: false },
    async submit({ channel_id: pickedChannel, build_id: pickedBuild, release_notes: notes, mandatory }) {
      const channelId = channel?.identifier ?? (pickedChannel || targets?.[0]?.identifier) ?? '';
      const buildId = build?.identifier ?? (pickedBuild || builds.data?.items[0]?.identifier) ?? '';
      const body = { build_id: buildId, mandatory, ...(notes === '' ? {} : { release_notes: notes }) };
      await release.mutateAsync({ channelId, body });
      const name = channel?.name ?? targets?.find(({ identifier }) => identifier === channelId)?.name ?? '';
      sayDone(texts.upload.released(name));
      onDone();
    },
  });
  if (isLoading) return <Loading rows={3} height={40} />;
  const isEmpty =
    (channel === undefined && targets?.length === 0) || (build === undefined && builds.data?.items.length === 0);
  if (isEmpty) return <p>{channel === undefined ? t.noOtherChannel : texts.builds.emptyTitle}</p>;
  return (
    <FormBody form={form} submit={t.release}>
      {channel === undefined && (
        <NativeSelect
          label={t.ontoChannel}
          data={targets?.map(({ identifier, name }) => ({ value: identifier, label: name })) ?? []}
          {...form.text('channel_id')}
          data-autofocus
        />
      )}
      {build === undefined && (
        <NativeSelect
          label={t.whichBuild}
          data={
            builds.data?.items.map((one) => ({
              value: one.identifier,
              label: nameBuild(one),
            })) ?? []
          }
          {...form.text('build_id')}
          data-autofocus
        />
      )}
      <Textarea
        label={`${t.releaseNotes} (${texts.common.optional})`}
        description={t.releaseNotesHint}
        autosize
        minRows={3}
        {...form.text('release_notes')}
      />
      <Switch label={t.mandatorySwitch} description={t.mandatoryHint} {...form.checked('mandatory')} />
    </FormBody>
  );
}
