// Releases a build onto a channel: either end may be given, the other one is picked.
import { NativeSelect, Switch, Textarea } from '@mantine/core';
import { useState } from 'react';
import type { Build } from '../../builds/schema.ts';
import type { Channel } from '../../channels/schema.ts';
import type { Project } from '../../projects/schema.ts';
import type { Release } from '../../releases/schema.ts';
import { type Page, useChange, useRead, useReadAll } from '../api/api-context.ts';
import { useVisit } from '../shell/me.ts';
import { useSpeech } from '../texts/languages.ts';
import { isForNobody, nameBuild } from './build-name.ts';
import { BuildStatus, describeBuildStatus } from './build-status.tsx';
import { Confirm } from './confirm.tsx';
import { FormBody, useForm } from './form.tsx';
import { keepLastChannel, pickBuild, pickChannel, readLastChannel } from './last-channel.ts';
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
export function ReleaseForm({ project, build: givenBuild, channel: givenChannel, ...props }: ReleaseFormProps) {
  const { exceptChannelId, onDone } = props;
  const { language, texts } = useSpeech();
  const t = texts.channels;
  const { me } = useVisit();
  const query = { organization_id: project.organization_id, project_id: project.identifier };
  const channels = useReadAll<Channel>('/channels', { query, isEnabled: givenChannel === undefined });
  const builds = useRead<Page<Build>>('/builds', {
    query: { ...query, limit: 100 },
    isEnabled: givenBuild === undefined,
  });
  const current = useRead<Release[]>('/releases/current', { query });
  const release = useChange(
    (api, { channelId, body }: { channelId: string; body: object }) =>
      api.send<Release>('POST', '/releases', { query: { ...query, channel_id: channelId }, body }),
    ['/releases', '/channels', '/projects'],
  );
  const [pickedChannel, setPickedChannel] = useState<string>();
  const [pickedBuild, setPickedBuild] = useState<string>();
  const [isAsking, setAsking] = useState(false);

  const targets = givenChannel
    ? [givenChannel]
    : channels.data?.filter(({ identifier }) => identifier !== exceptChannelId);
  const offered = givenBuild ? [givenBuild] : builds.data?.items;
  const isServed = (build: Build, channelId: string) =>
    current.data?.some((one) => one.build.identifier === build.identifier && one.channel_id === channelId) ?? false;
  const live = new Set(
    (targets ?? []).flatMap(({ identifier: id }) => (givenBuild && isServed(givenBuild, id) ? id : [])),
  );
  const liveBuild = current.data?.find((one) => one.channel_id === givenChannel?.identifier)?.build.identifier;
  const suggested = pickChannel(targets ?? [], readLastChannel(me.identifier, project.identifier), live);
  const channelId = givenChannel?.identifier ?? pickedChannel ?? suggested;
  const channel = targets?.find(({ identifier }) => identifier === channelId);
  const buildId = givenBuild?.identifier ?? pickedBuild ?? pickBuild(offered ?? [], liveBuild);
  const build = offered?.find(({ identifier }) => identifier === buildId);

  const form = useForm({
    values: { release_notes: givenBuild?.release_notes ?? '', mandatory: false },
    async submit(values) {
      if (build !== undefined && isForNobody(build)) setAsking(true);
      else await send(values);
    },
  });
  async function send({ release_notes: notes, mandatory }: typeof form.values): Promise<void> {
    if (channel === undefined || build === undefined) return;
    const body = { build_id: build.identifier, mandatory, ...(notes === '' ? {} : { release_notes: notes }) };
    await release.mutateAsync({ channelId: channel.identifier, body });
    keepLastChannel(me.identifier, project.identifier, channel.identifier);
    sayDone(texts.upload.released(channel.name));
    onDone();
  }

  if (targets === undefined || offered === undefined || current.isPending) return <Loading rows={3} height={40} />;
  if (targets.length === 0) return <p>{t.noOtherChannel}</p>;
  if (offered.length === 0) return <p>{texts.builds.emptyTitle}</p>;
  return (
    <>
      <FormBody form={form} submit={t.release} isDisabled={channel === undefined || build === undefined}>
        {givenChannel === undefined && (
          <Choice
            label={t.channelField}
            placeholder={texts.releasing.pickChannel}
            options={targets.map(({ identifier, name }) => ({ value: identifier, label: name }))}
            live={live}
            value={channelId}
            onChange={setPickedChannel}
          />
        )}
        {givenBuild === undefined && (
          <Choice
            label={t.buildField}
            placeholder={texts.releasing.pickBuild}
            options={offered.map((one) => ({ value: one.identifier, label: nameBuild(one) }))}
            live={new Set(liveBuild === undefined ? [] : [liveBuild])}
            value={buildId}
            onChange={setPickedBuild}
          />
        )}
        {build !== undefined && <BuildStatus build={build} />}
        <Textarea
          label={`${t.releaseNotes} (${texts.common.optional})`}
          description={t.releaseNotesHint}
          autosize
          minRows={3}
          {...form.text('release_notes')}
        />
        <Switch label={t.mandatorySwitch} description={t.mandatoryHint} {...form.checked('mandatory')} />
      </FormBody>
      {build !== undefined && channel !== undefined && (
        <Confirm
          isOpen={isAsking}
          title={texts.releasing.uninstallableTitle(nameBuild(build), channel.name)}
          action={texts.releasing.releaseAnyway}
          onClose={() => setAsking(false)}
          onConfirm={() => send(form.values)}
        >
          {texts.releasing.uninstallableEffect(describeBuildStatus(build, language, texts))}
        </Confirm>
      )}
    </>
  );
}

interface ChoiceProps {
  label: string;
  placeholder: string;
  options: readonly { value: string; label: string }[];
  /** Values that are marked as live. */
  live: ReadonlySet<string>;
  value: string | undefined;
  onChange(value: string): void;
}

/** A list without a choice as long as nobody made one and none is safe to suggest. */
function Choice({ label, placeholder, options, live, value, onChange }: ChoiceProps) {
  const t = useSpeech().texts.releasing;
  return (
    <NativeSelect
      label={label}
      data={[
        ...(value === undefined ? [{ value: '', label: placeholder, disabled: true }] : []),
        ...options.map((one) => ({ value: one.value, label: live.has(one.value) ? t.live(one.label) : one.label })),
      ]}
      value={value ?? ''}
      onChange={(event) => onChange(event.currentTarget.value)}
      data-autofocus
    />
  );
}
