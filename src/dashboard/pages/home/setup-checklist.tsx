// The setup checklist: what is done, and how to do the rest.
import { Button, CloseButton, Text } from '@mantine/core';
import { IconCheck, IconChevronDown, IconCircle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { SetupState, SetupStepName } from '../../../overviews/setup-schema.ts';
import type { Release } from '../../../releases/schema.ts';
import { useChange } from '../../api/hooks.ts';
import { CommandBlock } from '../../components/copy.tsx';
import { ErrorAlert } from '../../components/errors.tsx';
import { pollingSchedules, useScheduledRead } from '../../components/polling.ts';
import { showSuccess } from '../../components/toasts.ts';
import { useOrganization } from '../../shell/current-user.ts';
import { useServerInfo } from '../../shell/server-info.ts';
import { useTexts } from '../../texts/locale.ts';
import { addressLines, backupLines, emailLines, httpsLines } from './setup-lines.ts';

interface ChecklistProps {
  state: SetupState;
  recent: Pick<Release, 'project_id' | 'channel_id'> | undefined;
  onHide(): void;
  onBackup(): void;
}

export function SetupChecklist(props: ChecklistProps) {
  const t = useTexts().setup;
  const { steps } = props.state;
  const doneCount = steps.filter(({ is_done: isDone }) => isDone).length;
  const first = steps.find(({ is_done: isDone }) => !isDone)?.name;
  return (
    <section aria-labelledby="setup" className="tw-setup">
      <div className="tw-home-head">
        <h2 id="setup">{t.title}</h2>
        <span className="tw-count">{t.progress(doneCount, steps.length)}</span>
        <span className="tw-grow" />
        <CloseButton aria-label={t.hide} title={t.hide} onClick={props.onHide} />
      </div>
      <ol className="tw-setup-steps">
        {steps.map(({ name, is_done: isDone }) => (
          <li key={name}>
            {isDone ? (
              <p className="tw-setup-step" data-done>
                <IconCheck size={18} stroke={2} aria-hidden />
                {t.steps[name]} <span className="tw-offscreen">{t.done}</span>
              </p>
            ) : (
              <details open={name === first}>
                <summary className="tw-setup-step">
                  <IconCircle size={18} stroke={1.75} aria-hidden />
                  {t.steps[name]} <span className="tw-offscreen">{t.open}</span>
                  <IconChevronDown size={16} stroke={1.75} className="tw-setup-chevron" aria-hidden />
                </summary>
                <div className="tw-setup-way">
                  <Way name={name} {...props} />
                </div>
              </details>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** How a step is done. */
function Way({ name, state: { server }, recent, onBackup }: ChecklistProps & { name: SetupStepName }) {
  const t = useTexts().setup;
  const { program, base } = useServerInfo();
  if (name === 'project') {
    return <Words>{t.projectText}</Words>;
  }
  if (name === 'phone') {
    if (recent === undefined) return <Words>{t.phoneFirst}</Words>;
    const params = { projectId: recent.project_id, channelId: recent.channel_id };
    return (
      <>
        <Words>{t.phoneText}</Words>
        {server?.tls_mode === 'internal' && <Words>{t.phoneTrust(`${server.base_url}/trust`)}</Words>}
        <Link to="/projects/$projectId/channels/$channelId" params={params} className="tw-small-button">
          {t.openChannel}
        </Link>
      </>
    );
  }
  if (name === 'colleague') {
    return (
      <>
        <Words>{t.colleagueText}</Words>
        <Link to="/members" className="tw-small-button">
          {t.invite}
        </Link>
      </>
    );
  }
  // The steps of the server are only sent with its settings.
  if (server === null) return null;
  if (name === 'address') {
    return (
      <>
        <Words>{t.addressText(server.base_url)}</Words>
        <CommandBlock text={addressLines(server)} />
        <Words>{t.addressNext}</Words>
        <CommandBlock text={`${program} check`} />
      </>
    );
  }
  if (name === 'https') {
    const { lines, trustUrl } = httpsLines(server);
    return (
      <>
        <Words>{t.httpsText}</Words>
        <CommandBlock text={lines} />
        <Words>{trustUrl === undefined ? t.httpsPublic : t.httpsInternal(trustUrl)}</Words>
        <a href={`${base}/docs/https.html`} className="tw-link">
          {t.httpsDocs}
        </a>
      </>
    );
  }
  if (name === 'email') {
    if (server.mail_transport === 'smtp') return <TestEmail />;
    return (
      <>
        <Words>{t.emailText}</Words>
        <CommandBlock text={emailLines(server)} />
      </>
    );
  }
  return (
    <>
      <Words>{t.backupText}</Words>
      <CommandBlock text={backupLines()} />
      <div className="tw-setup-actions">
        <Button variant="default" onClick={onBackup}>
          {t.backupDone}
        </Button>
        <a href={`${base}/docs/backups.html#restore-a-backup`} className="tw-link">
          {t.backupDocs}
        </a>
      </div>
    </>
  );
}

const Words = ({ children }: { children: ReactNode }) => <Text size="sm">{children}</Text>;

/** Sends a test email, then waits until the mail server accepts it, which completes the step. */
function TestEmail() {
  const t = useTexts().setup;
  const organization = useOrganization();
  const [isAwaited, setAwaited] = useState(false);
  useScheduledRead<SetupState>(`/organizations/${organization.identifier}/setup`, {
    schedule: isAwaited ? pollingSchedules.deliveries : undefined,
  });
  const send = useChange((api) => api.send<{ recipient: string }>('POST', '/system/test-email'), []);
  return (
    <>
      <Words>{t.emailTest}</Words>
      {send.error !== null && <ErrorAlert error={send.error} />}
      <Button
        variant="default"
        loading={send.isPending}
        onClick={() =>
          send.mutate(undefined, {
            onSuccess: ({ recipient }) => {
              showSuccess(t.testSent(recipient));
              setAwaited(true);
            },
          })
        }
      >
        {t.sendTest}
      </Button>
      {isAwaited && (
        <Text size="sm" c="dimmed" role="status">
          {t.testWaits}{' '}
          <Link to="/system" className="tw-link">
            {t.openSystem}
          </Link>
        </Text>
      )}
    </>
  );
}
