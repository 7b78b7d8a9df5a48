// Publishing a build to an app store: the dialog, and the jobs of the build.

import { Alert, Badge, Modal, NativeSelect, Text, TextInput } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import type { Build } from '../../../builds/schema.ts';
import { storePlatforms, storeProviders } from '../../../lib/store-providers.ts';
import type { PublishJob } from '../../../stores/publish-schema.ts';
import { useApi, useChange } from '../../api/hooks.ts';
import { readSince } from '../../api/read-since.ts';
import { formatBuild } from '../../components/build-name.ts';
import { ErrorAlert } from '../../components/errors.tsx';
import { FormBody, useForm } from '../../components/form.tsx';
import { useMemberNames } from '../../components/member-names.ts';
import { RowsSkeleton } from '../../components/page.tsx';
import { pollingSchedules, useScheduledRead } from '../../components/polling.ts';
import { useStoreConnections } from '../../components/stores.ts';
import { RelativeTime } from '../../components/time.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { mayInOrganization, useOrganization } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';
import { inProject, useProject } from '../project/project-context.ts';

const path = '/publish';

interface DialogProps {
  build: Build;
  isOpen: boolean;
  onClose(): void;
}

export function PublishDialog({ build, isOpen, onClose }: DialogProps) {
  const texts = useTexts().stores;
  const t = texts.publish;
  const providers = storeProviders.filter((provider) => storePlatforms[provider] === build.platform);
  const mayList = mayInOrganization(useOrganization(), 'store_connection.read');
  const connections = useStoreConnections();
  const fitting = connections.data?.filter(({ provider }) => providers.includes(provider));
  return (
    <Modal opened={isOpen} onClose={onClose} title={t.actionTitle(formatBuild(build))} centered>
      {isOpen &&
        (!mayList ? (
          <PublishForm build={build} choices={undefined} onDone={onClose} />
        ) : connections.error !== null ? (
          <ErrorAlert error={connections.error} onRetry={() => void connections.refetch()} />
        ) : fitting === undefined ? (
          <RowsSkeleton rows={2} picture={0} />
        ) : fitting.length === 0 ? (
          <Text size="sm">{t.noConnection(providers.map((provider) => texts.providers[provider]).join(', '))}</Text>
        ) : (
          <PublishForm
            build={build}
            choices={fitting.map(({ identifier, name }) => ({ value: identifier, label: name }))}
            onDone={onClose}
          />
        ))}
    </Modal>
  );
}

interface FormProps {
  build: Build;
  /** Undefined for people who may not list connections, and enter the id of one. */
  choices: { value: string; label: string }[] | undefined;
  onDone(): void;
}

function PublishForm({ build, choices, onDone }: FormProps) {
  const texts = useTexts();
  const t = texts.stores.publish;
  const query = inProject(useProject());
  const request = useChange((api, body: object) => api.send<PublishJob>('POST', path, { query, body }), [path]);
  const form = useForm({
    values: { store_connection_id: choices?.[0]?.value ?? '', track: '' },
    async submit({ store_connection_id, track }) {
      await request.mutateAsync({
        build_id: build.identifier,
        store_connection_id: store_connection_id.trim(),
        ...(track.trim() === '' ? {} : { track: track.trim() }),
      });
      showSuccess(t.requested);
    },
    onDone,
  });
  return (
    <FormBody form={form} submit={t.action}>
      <Alert color="gray" icon={<IconInfoCircle size={18} />}>
        {t.notOperational}
      </Alert>
      {choices === undefined ? (
        <TextInput
          label={t.connectionId}
          autoComplete="off"
          spellCheck={false}
          {...form.text('store_connection_id', t.connectionIdHint)}
        />
      ) : (
        <NativeSelect label={t.connection} data={choices} {...form.text('store_connection_id')} />
      )}
      <TextInput
        label={`${t.track} (${texts.common.optional})`}
        autoComplete="off"
        spellCheck={false}
        {...form.text('track', t.trackHint)}
      />
    </FormBody>
  );
}

/** The publish jobs of the build; nothing without any. They are searched, because the API lists those of the project. */
export function PublishJobs({ build }: { build: Build }) {
  const t = useTexts().stores.publish;
  const client = useApi();
  const nameOf = useMemberNames(build.organization_id);
  const query = inProject(useProject());
  const {
    data: jobs = [],
    error,
    refetch,
  } = useQuery({
    queryKey: [path, query, build.identifier],
    // Up to ten pages: too much to read again each time someone returns to the window.
    refetchOnWindowFocus: false,
    queryFn: ({ signal }) => readSince<PublishJob>(client, path, { query, since: build.uploaded_at, signal }),
  });
  const rows = jobs.filter(({ build_id: id }) => id === build.identifier);
  if (error !== null) return <ErrorAlert error={error} onRetry={() => void refetch()} />;
  if (rows.length === 0) return null;
  return (
    <section aria-labelledby="build-publish">
      <h2 id="build-publish" className="tw-part-title">
        {t.title}
      </h2>
      <ul className="tw-list" aria-label={t.title}>
        {rows.map((job) => {
          const props = { job, creator: nameOf(job.created_by) };
          return job.state === 'failed' ? (
            <Job key={job.identifier} {...props} />
          ) : (
            <RunningJob key={job.identifier} {...props} onEnded={() => void refetch()} />
          );
        })}
      </ul>
    </section>
  );
}

interface JobProps {
  job: PublishJob;
  creator: string | undefined;
}

/** A job that hasn't ended. Only the job is polled, because the list has the jobs of other builds, too. */
function RunningJob({ job: listed, creator, onEnded }: JobProps & { onEnded(): void }) {
  const { data: job = listed } = useScheduledRead<PublishJob>(`${path}/${listed.identifier}`, {
    schedule: pollingSchedules.deliveries,
  });
  const hasEnded = job.state === 'failed';
  const end = useEffectEvent(onEnded);
  useEffect(() => {
    if (hasEnded) end();
  }, [hasEnded]);
  return <Job job={job} creator={creator} />;
}

function Job({ job, creator }: JobProps) {
  const t = useTexts().stores.publish;
  return (
    <li>
      <div className="tw-grow">
        <div>
          <span className="tw-strong">{job.store_connection_name}</span>
          {job.track !== null && ` · ${job.track}`}
        </div>
        <div className="tw-small">
          <RelativeTime at={job.created_at} />
          {creator !== undefined && <> {t.by(creator)}</>}
        </div>
        {job.failure !== null && <div className="tw-small">{t.failures[job.failure.code]}</div>}
      </div>
      <Badge variant="light" color={job.state === 'failed' ? 'red' : 'gray'}>
        {t.states[job.state]}
      </Badge>
    </li>
  );
}
