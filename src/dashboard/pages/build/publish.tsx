// Publishing a build to an app store: the dialog, and the jobs of the build.

import { Alert, Badge, Modal, NativeSelect, Text, TextInput } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useEffect } from 'react';
import type { Build } from '../../../builds/schema.ts';
import { storePlatforms, storeProviders } from '../../../lib/store-providers.ts';
import type { PublishJob } from '../../../stores/publish-schema.ts';
import { useChange, useReadPages } from '../../api/hooks.ts';
import { formatBuild } from '../../components/build-name.ts';
import { ErrorAlert } from '../../components/errors.tsx';
import { FormBody, useForm } from '../../components/form.tsx';
import { useMemberNames } from '../../components/member-names.ts';
import { RowsSkeleton } from '../../components/page.tsx';
import { pollingInterval, pollingSchedules } from '../../components/polling.ts';
import { useStoreConnections } from '../../components/stores.ts';
import { RelativeTime } from '../../components/time.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { mayInOrganization, useOrganization } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';
import { inProject, useProject } from '../project/project-context.ts';

const PAGE = 1000;

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
  const request = useChange(
    (api, body: object) => api.send<PublishJob>('POST', '/publish', { query, body }),
    ['/publish'],
  );
  const form = useForm({
    values: { store_connection_id: choices?.[0]?.value ?? '', track: '' },
    async submit({ store_connection_id, track }) {
      await request.mutateAsync({
        build_id: build.identifier,
        store_connection_id: store_connection_id.trim(),
        ...(track.trim() === '' ? {} : { track: track.trim() }),
      });
      showSuccess(t.requested);
      onDone();
    },
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

/** The publish jobs of the build; nothing without any. Reads those of the project back to the upload of the build. */
export function PublishJobs({ build }: { build: Build }) {
  const t = useTexts().stores.publish;
  const nameOf = useMemberNames(build.organization_id);
  const path = '/publish';
  const query = { ...inProject(useProject()), limit: PAGE };
  const first = useReadPages<PublishJob>(path, { query });
  const { hasNextPage, isFetchingNextPage, fetchNextPage, error } = first;
  const oldest = first.rows?.at(-1);
  const hasOlder = hasNextPage && oldest !== undefined && oldest.created_at >= build.uploaded_at;
  useEffect(() => {
    if (hasOlder && !isFetchingNextPage && error === null) void fetchNextPage();
  }, [hasOlder, isFetchingNextPage, error, fetchNextPage]);
  const rows = first.rows?.filter(({ build_id: id }) => id === build.identifier) ?? [];
  const running = rows.find(({ state }) => state !== 'failed');
  const intervalMs =
    running && pollingInterval(Math.max(0, Date.now() - Date.parse(running.created_at)), pollingSchedules.deliveries);
  // Reads the same list again until all jobs have ended.
  useReadPages<PublishJob>(path, { query, isEnabled: intervalMs !== undefined, intervalMs });
  if (error !== null) return <ErrorAlert error={error} onRetry={() => void first.refetch()} />;
  if (rows.length === 0) return null;
  return (
    <section aria-labelledby="build-publish">
      <h2 id="build-publish" className="tw-part-title">
        {t.title}
      </h2>
      <ul className="tw-list" aria-label={t.title}>
        {rows.map((job) => (
          <Job key={job.identifier} job={job} creator={nameOf(job.created_by)} />
        ))}
      </ul>
    </section>
  );
}

function Job({ job, creator }: { job: PublishJob; creator: string | undefined }) {
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
