// The form that releases a build to a channel. If one of them is given, only the other is selected.
import { NativeSelect, Switch } from '@mantine/core';
import { useState } from 'react';
import type { Build } from '../../builds/schema.ts';
import type { Channel } from '../../channels/schema.ts';
import type { Project } from '../../projects/schema.ts';
import type { Release } from '../../releases/schema.ts';
import { type Page, useChange, useRead, useReadAll } from '../api/hooks.ts';
import { inProject } from '../pages/project/project-context.ts';
import { useCurrentUser } from '../shell/current-user.ts';
import { useLocale } from '../texts/locale.ts';
import { formatBuild, isUninstallable } from './build-name.ts';
import { BuildStatus, describeBuildStatus } from './build-status.tsx';
import { BudgetWarning, TesterChanges } from './comparison.tsx';
import { ConfirmDialog } from './confirm.tsx';
import { ErrorAlert } from './errors.tsx';
import { FormBody, useForm } from './form.tsx';
import { readLastChannel, saveLastChannel, suggestBuild, suggestChannel } from './last-channel.ts';
import { useIsShown } from './opened.ts';
import { Loading } from './page.tsx';
import { NotesField } from './release-notes.tsx';
import { showSuccess } from './toasts.ts';

/** Builds that are offered. */
const OFFERED = 100;

interface ReleaseFormProps {
  project: Project;
  /** If given, only the channel is selected. */
  build?: Build;
  /** If given, only the build is selected. */
  channel?: Channel;
  /** A channel that isn't offered, such as the one a release is promoted from. */
  exceptChannelId?: string;
  /** The release that is promoted, whose notes are kept. */
  promoted?: Release;
  /** The channel that is selected first. */
  firstChannelId?: string | undefined;
  onDone(): void;
}

interface Values {
  /** Undefined for those of the promoted release or the selected build. */
  release_notes: string | undefined;
  mandatory: boolean;
}

/** Reads what can be released where, and returns what is selected: what was given or picked, or else what is suggested. */
function useSelection({ project, exceptChannelId, firstChannelId, ...given }: ReleaseFormProps) {
  const { me } = useCurrentUser();
  const query = inProject(project);
  const channels = useReadAll<Channel>('/channels', { query, isEnabled: given.channel === undefined });
  const builds = useRead<Page<Build>>('/builds', {
    query: { ...query, limit: OFFERED },
    isEnabled: given.build === undefined,
  });
  const current = useRead<Release[]>('/releases/current', { query });
  const [pickedChannel, pickChannel] = useState<string>();
  const [pickedBuild, pickBuild] = useState<string>();

  const targets = given.channel
    ? [given.channel]
    : channels.data?.filter(({ identifier }) => identifier !== exceptChannelId);
  const offered = given.build ? [given.build] : builds.data?.items;
  const isServed = (build: Build, channelId: string) =>
    current.data?.some((one) => one.build.identifier === build.identifier && one.channel_id === channelId) ?? false;
  const liveOn = new Set(
    (targets ?? []).flatMap(({ identifier: id }) => (given.build && isServed(given.build, id) ? id : [])),
  );
  const liveBuild = current.data?.find((one) => one.channel_id === given.channel?.identifier)?.build.identifier;
  const suggested = suggestChannel(targets ?? [], readLastChannel(me.identifier, project.identifier), liveOn);
  const channelId = given.channel?.identifier ?? pickedChannel ?? firstChannelId ?? suggested;
  const buildId = given.build?.identifier ?? pickedBuild ?? suggestBuild(offered ?? [], liveBuild);
  return {
    // Those that were given aren't read here, but another part may have failed to.
    reads: [
      ...(given.channel === undefined ? [channels] : []),
      ...(given.build === undefined ? [builds] : []),
      current,
    ],
    isPending: current.isPending,
    targets,
    liveOn,
    channelId,
    channel: targets?.find(({ identifier }) => identifier === channelId),
    pickChannel,
    offered,
    hasOlderBuilds: builds.data?.next_cursor != null,
    liveBuild,
    buildId,
    build: offered?.find(({ identifier }) => identifier === buildId),
    pickBuild,
    /** The build that testers of the selected channel have. */
    live: current.data?.find((one) => one.channel_id === channelId && one.build.platform === project.platform)?.build,
  };
}

/** Renders the form. The release notes default to those of the promoted release, or else of the build. */
export function ReleaseForm(props: ReleaseFormProps) {
  const { project, build: givenBuild, channel: givenChannel, promoted, onDone } = props;
  const { language, texts } = useLocale();
  const t = texts.channels;
  const { me } = useCurrentUser();
  const { targets, channel, offered, build, live, ...selection } = useSelection(props);
  const release = useChange(
    (api, { channelId, body }: { channelId: string; body: object }) =>
      api.send<Release>('POST', '/releases', { query: { ...inProject(project), channel_id: channelId }, body }),
    ['/releases', '/channels', '/projects'],
  );
  const [isConfirming, setConfirming] = useState(false);
  const isShown = useIsShown();

  const form = useForm<Values>({
    values: { release_notes: undefined, mandatory: false },
    async submit(values) {
      if (build !== undefined && isUninstallable(build)) setConfirming(true);
      else await send(values);
    },
  });
  const notes = form.values.release_notes ?? promoted?.release_notes ?? build?.release_notes ?? '';
  async function send({ mandatory }: Values): Promise<void> {
    if (channel === undefined || build === undefined) return;
    // Without notes of its own, it has those of its build, also once these are edited.
    const isOfBuild = notes === (build.release_notes ?? '');
    const body = { build_id: build.identifier, mandatory, ...(isOfBuild ? {} : { release_notes: notes }) };
    await release.mutateAsync({ channelId: channel.identifier, body });
    saveLastChannel(me.identifier, project.identifier, channel.identifier);
    showSuccess(texts.upload.released(channel.name));
    if (isShown.current) onDone();
  }

  const failed = selection.reads.find(({ data, error }) => data === undefined && error !== null);
  if (failed !== undefined) return <ErrorAlert error={failed.error} onRetry={() => void failed.refetch()} />;
  if (targets === undefined || offered === undefined || selection.isPending) return <Loading rows={3} height={40} />;
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
            live={selection.liveOn}
            value={selection.channelId}
            onChange={selection.pickChannel}
          />
        )}
        {givenBuild === undefined && (
          <Choice
            label={t.buildField}
            placeholder={texts.releasing.pickBuild}
            options={offered.map((one) => ({ value: one.identifier, label: formatBuild(one) }))}
            live={new Set(selection.liveBuild === undefined ? [] : [selection.liveBuild])}
            value={selection.buildId}
            onChange={selection.pickBuild}
          />
        )}
        {givenBuild === undefined && selection.hasOlderBuilds && (
          <p className="tw-small">{texts.releasing.olderBuilds(OFFERED)}</p>
        )}
        {build !== undefined && <BuildStatus build={build} />}
        {build !== undefined && <BudgetWarning build={build} project={project} />}
        {build !== undefined && live !== undefined && live.identifier !== build.identifier && (
          <TesterChanges build={build} live={live} />
        )}
        <NotesField
          label={`${t.releaseNotes} (${texts.common.optional})`}
          description={t.releaseNotesHint}
          minRows={3}
          {...form.text('release_notes')}
          value={notes}
        />
        <Switch label={t.mandatorySwitch} description={t.mandatoryHint} {...form.checked('mandatory')} />
      </FormBody>
      {build !== undefined && channel !== undefined && (
        <ConfirmDialog
          isOpen={isConfirming}
          title={texts.releasing.uninstallableTitle(formatBuild(build), channel.name)}
          action={texts.releasing.releaseAnyway}
          onClose={() => setConfirming(false)}
          onConfirm={() => send(form.values)}
        >
          {texts.releasing.uninstallableEffect(describeBuildStatus(build, language, texts))}
        </ConfirmDialog>
      )}
    </>
  );
}

interface ChoiceProps {
  label: string;
  placeholder: string;
  options: readonly { value: string; label: string }[];
  /** The values marked as live. */
  live: ReadonlySet<string>;
  value: string | undefined;
  onChange(value: string): void;
}

/** A selection that starts empty if there is no safe suggestion. */
function Choice({ label, placeholder, options, live, value, onChange }: ChoiceProps) {
  const t = useLocale().texts.releasing;
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
