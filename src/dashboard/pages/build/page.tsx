// The page of a build: its package, the channels it is live on, and its actions.
import { Alert, Badge, Button, Menu, Modal, Textarea } from '@mantine/core';
import { IconAlertTriangle, IconBroadcast, IconDots, IconDownload } from '@tabler/icons-react';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { Build } from '../../../builds/schema.ts';
import type { Channel } from '../../../channels/schema.ts';
import { formatBytes } from '../../../lib/formats.ts';
import type { Release } from '../../../releases/schema.ts';
import { useApi, useChange, useRead, useReadAll } from '../../api/hooks.ts';
import { AppIcon } from '../../components/app-icon.tsx';
import { formatBuild } from '../../components/build-name.ts';
import { BuildStatus } from '../../components/build-status.tsx';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { Copyable } from '../../components/copy.tsx';
import { ErrorAlert } from '../../components/errors.tsx';
import { FormBody, useForm } from '../../components/form.tsx';
import { PageHeader, QueryContent, Section } from '../../components/page.tsx';
import { ReleaseForm } from '../../components/release-dialog.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { mayInProject } from '../../shell/current-user.ts';
import { useLocale, useTexts } from '../../texts/locale.ts';
import { inProject, useProject } from '../project/project-context.ts';
import { BuildDevices } from './devices.tsx';
import { InspectionSection } from './inspection.tsx';

export function Page() {
  const { buildId } = useParams({ from: '/shell/projects/$projectId/builds/$buildId' });
  const build = useRead<Build>(`/builds/${buildId}`);
  return <QueryContent read={build}>{(data) => <BuildPage build={data} />}</QueryContent>;
}

type Dialog = 'release' | 'notes' | 'revoke' | 'delete';

function BuildPage({ build }: { build: Build }) {
  const texts = useTexts();
  const t = texts.builds;
  const { language } = useLocale();
  const project = useProject();
  const [dialog, setDialog] = useState<Dialog>();
  const close = () => setDialog(undefined);
  const title = formatBuild(build);
  const isRevoked = build.revoked_at !== null;
  return (
    <>
      <PageHeader
        title={title}
        icon={<AppIcon src={build.icon_url} name={project.name} size={56} />}
        hint={
          <>
            {t.uploaded} <RelativeTime at={build.uploaded_at} /> · {formatBytes(build.size_bytes, language)}
            <BuildStatus build={build} />
          </>
        }
        actions={
          <>
            {mayInProject(project, 'release.manage') && !isRevoked && (
              <Button leftSection={<IconBroadcast size={16} />} onClick={() => setDialog('release')}>
                {texts.channels.release}
              </Button>
            )}
            <DownloadButton build={build} />
            <BuildMenu build={build} onChosen={setDialog} />
          </>
        }
      />
      {build.revoked_at !== null && (
        <Alert color="red" icon={<IconAlertTriangle size={18} />} title={t.revoked}>
          {t.revokedText} <RelativeTime at={build.revoked_at} />
        </Alert>
      )}
      <Section title={t.notes}>
        <p className="tw-notes tw-bare">{build.release_notes ?? t.noNotes}</p>
      </Section>
      <OnChannels build={build} />
      <InspectionSection build={build} />
      {build.platform === 'ios' && <BuildDevices build={build} />}
      <Section title={t.details}>
        <dl className="tw-facts">
          <dt>{t.bundleIdentifier}</dt>
          <dd>{build.bundle_identifier ?? '–'}</dd>
          <dt>{t.file}</dt>
          <dd>{build.original_filename ?? '–'}</dd>
          <dt>{t.sha256}</dt>
          <dd>
            <Copyable text={build.sha256} what={t.sha256} />
          </dd>
          <dt>{t.id}</dt>
          <dd>
            <Copyable text={build.identifier} what={t.id} />
          </dd>
        </dl>
      </Section>
      <Modal opened={dialog === 'release'} onClose={close} title={`${texts.channels.release}: ${title}`} centered>
        {dialog === 'release' && <ReleaseForm project={project} build={build} onDone={close} />}
      </Modal>
      <Modal opened={dialog === 'notes'} onClose={close} title={t.editNotes} centered>
        {dialog === 'notes' && <NotesForm build={build} onDone={close} />}
      </Modal>
      <Removal build={build} dialog={dialog} onClose={close} />
    </>
  );
}

function DownloadButton({ build }: { build: Build }) {
  const t = useTexts().builds;
  const api = useApi();
  const project = useProject();
  const [error, setError] = useState<unknown>();
  if (!mayInProject(project, 'build.download') || build.revoked_at !== null) return null;
  async function download(): Promise<void> {
    setError(undefined);
    try {
      const path = `/builds/${build.identifier}/download`;
      const { download_url: address } = await api.send<{ download_url: string }>('GET', path);
      location.assign(address);
    } catch (thrown) {
      setError(thrown);
    }
  }
  return (
    <>
      <Button variant="default" leftSection={<IconDownload size={16} />} onClick={() => void download()}>
        {t.download}
      </Button>
      <Modal opened={error !== undefined} onClose={() => setError(undefined)} title={t.download} centered>
        <ErrorAlert error={error} onRetry={() => void download()} />
      </Modal>
    </>
  );
}

function BuildMenu({ build, onChosen }: { build: Build; onChosen(dialog: Dialog): void }) {
  const texts = useTexts();
  const t = texts.builds;
  const project = useProject();
  const items: [Dialog, string, boolean][] = [
    ['notes', t.editNotes, mayInProject(project, 'build.upload')],
    ['revoke', t.revoke, mayInProject(project, 'build.revoke') && build.revoked_at === null],
    ['delete', t.delete, mayInProject(project, 'build.delete')],
  ];
  const allowed = items.filter(([, , isAllowed]) => isAllowed);
  if (allowed.length === 0) return null;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" aria-label={texts.common.more}>
          <IconDots size={16} />
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {allowed.map(([dialog, label]) => (
          <Menu.Item key={dialog} {...(dialog === 'notes' ? {} : { color: 'red' })} onClick={() => onChosen(dialog)}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function NotesForm({ build, onDone }: { build: Build; onDone(): void }) {
  const texts = useTexts();
  const save = useChange(
    (api, body: object) => api.send<Build>('PATCH', `/builds/${build.identifier}`, { body }),
    ['/builds'],
  );
  const form = useForm({
    values: { release_notes: build.release_notes ?? '' },
    async submit({ release_notes: notes }) {
      await save.mutateAsync({ release_notes: notes === '' ? null : notes });
      onDone();
    },
  });
  return (
    <FormBody form={form} submit={texts.common.save}>
      <Textarea label={texts.builds.notes} autosize minRows={5} data-autofocus {...form.text('release_notes')} />
    </FormBody>
  );
}

/** Returns the channels on which the build is live; undefined while they are loading. */
function useServing(build: Build): Channel[] | undefined {
  const query = inProject(useProject());
  const channels = useReadAll<Channel>('/channels', { query });
  const current = useRead<Release[]>('/releases/current', { query });
  if (channels.data === undefined || current.data === undefined) return undefined;
  const ids = new Set(
    current.data.filter((one) => one.build.identifier === build.identifier).map((one) => one.channel_id),
  );
  return channels.data.filter(({ identifier }) => ids.has(identifier));
}

/** The channels on which the build is live. */
function OnChannels({ build }: { build: Build }) {
  const t = useTexts().builds;
  const project = useProject();
  const found = useServing(build) ?? [];
  return (
    <Section title={t.liveOn}>
      {found.length === 0 ? (
        <p className="tw-bare">{t.notLive}</p>
      ) : (
        <div className="tw-row tw-wrap">
          {found.map((channel) => (
            <Link
              key={channel.identifier}
              to="/projects/$projectId/channels/$channelId"
              params={{ projectId: project.identifier, channelId: channel.identifier }}
              className="tw-link"
            >
              <Badge component="span" variant="light" size="lg" className="tw-clickable">
                {channel.name}
              </Badge>
            </Link>
          ))}
        </div>
      )}
    </Section>
  );
}

function Removal({ build, dialog, onClose }: { build: Build; dialog: Dialog | undefined; onClose(): void }) {
  const t = useTexts().builds;
  const navigate = useNavigate();
  const serving = useServing(build)?.map(({ name }) => name);
  const title = formatBuild(build);
  const path = `/builds/${build.identifier}`;
  const touched = ['/releases', '/channels', '/projects'];
  const revoke = useChange((api) => api.send('POST', `${path}/revoke`), ['/builds', ...touched]);
  const remove = useChange((api) => api.send('DELETE', path), touched);
  return (
    <>
      <ConfirmDialog
        isOpen={dialog === 'revoke'}
        title={t.revokeTitle(title)}
        action={t.revoke}
        onClose={onClose}
        onConfirm={() => revoke.mutateAsync(undefined)}
      >
        {t.revokeEffect(serving)}
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={dialog === 'delete'}
        title={t.deleteTitle(title)}
        action={t.delete}
        typed={build.version_name}
        onClose={onClose}
        onConfirm={async () => {
          await remove.mutateAsync(undefined);
          showSuccess(t.deleted(title));
          await navigate({ to: '/projects/$projectId/builds', params: { projectId: build.project_id } });
        }}
      >
        {t.deleteEffect}
      </ConfirmDialog>
    </>
  );
}
