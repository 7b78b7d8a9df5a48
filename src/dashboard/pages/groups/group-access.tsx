// What a group has access to: whole projects or single channels.
import { Button, NativeSelect, Text, Title } from '@mantine/core';
import { useState } from 'react';
import type { Channel } from '../../../channels/schema.ts';
import type { Project } from '../../../projects/schema.ts';
import type { TesterGroup, TesterGroupGrant } from '../../../testers/groups/schema.ts';
import { ApiError } from '../../api/errors.ts';
import { useChange, useRead, useReadAll } from '../../api/hooks.ts';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { ErrorAlert } from '../../components/errors.tsx';
import { useForm } from '../../components/form.tsx';
import { QueryContent, RowsSkeleton } from '../../components/page.tsx';
import { useTexts } from '../../texts/locale.ts';
import { groupsPath } from './groups-path.ts';

export function GroupAccess({ group }: { group: TesterGroup }) {
  const t = useTexts().groups;
  const grants = useReadAll<TesterGroupGrant>(`${groupsPath(group)}/${group.identifier}/grants`);
  const projects = useReadAll<Project>('/projects', { query: { organization_id: group.organization_id } });
  return (
    <>
      <Title order={3} size="h5">
        {t.access}
      </Title>
      <QueryContent read={projects} loading={<RowsSkeleton rows={1} picture={0} />}>
        {(all) =>
          all.length === 0 ? (
            <Text size="sm" c="dimmed">
              {t.noProjects}
            </Text>
          ) : (
            <>
              <GrantForm group={group} projects={all} />
              <QueryContent read={grants} loading={<RowsSkeleton rows={2} picture={0} />}>
                {(rows) =>
                  rows.length === 0 ? (
                    <Text size="sm" c="dimmed">
                      {t.noAccess}
                    </Text>
                  ) : (
                    <ul className="tw-list">
                      {rows.map((grant) => (
                        <GrantRow
                          key={grant.identifier}
                          grant={grant}
                          group={group}
                          project={all.find(({ identifier }) => identifier === grant.project_id)?.name ?? t.project}
                        />
                      ))}
                    </ul>
                  )
                }
              </QueryContent>
            </>
          )
        }
      </QueryContent>
    </>
  );
}

const ALL = '';

function GrantForm({ group, projects }: { group: TesterGroup; projects: readonly Project[] }) {
  const t = useTexts().groups;
  const all = groupsPath(group);
  const grant = useChange(
    (api, body: object) => api.send('POST', `${all}/${group.identifier}/grants`, { body }),
    [all],
  );
  const form = useForm({
    values: { project: projects[0]?.identifier ?? '', channel: ALL },
    async submit({ project, channel }) {
      await grant.mutateAsync(channel === ALL ? { project_id: project } : { channel_id: channel });
    },
  });
  const { project } = form.values;
  const channels = useReadAll<Channel>('/channels', {
    query: { organization_id: group.organization_id, project_id: project },
  });
  const isThere = form.formError instanceof ApiError && form.formError.code === 'already_exists';
  return (
    <form ref={form.element} className="tw-form" onSubmit={(event) => void form.onSubmit(event)}>
      <div className="tw-add-line">
        <NativeSelect
          className="tw-add-field"
          label={t.project}
          data={projects.map(({ identifier, name }) => ({ value: identifier, label: name }))}
          {...form.text('project')}
          onChange={(event) => form.setValues({ project: event.currentTarget.value, channel: ALL })}
        />
        <NativeSelect
          className="tw-add-field"
          label={t.channel}
          data={[
            { value: ALL, label: t.allChannels },
            ...(channels.data ?? []).map(({ identifier, name }) => ({ value: identifier, label: name })),
          ]}
          {...form.text('channel')}
        />
        <Button type="submit" variant="default" loading={form.isSending}>
          {t.grantAccess}
        </Button>
      </div>
      {isThere ? (
        <Text size="sm" role="status">
          {t.alreadyGranted}
        </Text>
      ) : (
        form.formError !== undefined && <ErrorAlert error={form.formError} />
      )}
      {channels.error !== null && <ErrorAlert error={channels.error} onRetry={() => void channels.refetch()} />}
    </form>
  );
}

function GrantRow({ grant, group, project }: { grant: TesterGroupGrant; group: TesterGroup; project: string }) {
  const t = useTexts().groups;
  const [isConfirming, setConfirming] = useState(false);
  const { channel_id: channelId } = grant;
  const channel = useRead<Channel>(`/channels/${channelId}`, { isEnabled: channelId !== null });
  const all = groupsPath(group);
  const remove = useChange((api) => api.send('DELETE', `${all}/${group.identifier}/grants/${grant.identifier}`), [all]);
  const isGone = channel.error instanceof ApiError && channel.error.status === 404;
  const place =
    channelId === null
      ? t.allChannelsOf(project)
      : isGone
        ? t.deletedChannel
        : t.channelOf(project, channel.data?.name ?? '…');
  return (
    <li>
      <div className="tw-grow">{place}</div>
      <Button
        size="compact-sm"
        variant="subtle"
        color="red"
        aria-label={`${t.revokeAccess}: ${place}`}
        onClick={() => setConfirming(true)}
      >
        {t.revokeAccess}
      </Button>
      <ConfirmDialog
        isOpen={isConfirming}
        title={t.revokeTitle(place)}
        action={t.revokeAccess}
        onClose={() => setConfirming(false)}
        onConfirm={() => remove.mutateAsync(undefined)}
      >
        {t.revokeEffect(group.member_count)}
      </ConfirmDialog>
    </li>
  );
}
