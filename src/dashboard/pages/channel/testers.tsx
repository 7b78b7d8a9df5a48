// The testers of a channel: their access, installed build, and compatible devices.
import { Badge, Button, Text } from '@mantine/core';
import { IconDownload, IconLink, IconUserPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Channel } from '../../../channels/schema.ts';
import type { ChannelTester } from '../../../testers/roster/schema.ts';
import { useChange } from '../../api/hooks.ts';
import { UnverifiedBadge } from '../../components/access-badge.tsx';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { saveText } from '../../components/download.ts';
import { ErrorAlert } from '../../components/errors.tsx';
import { Initials } from '../../components/initials.tsx';
import { LoadMore } from '../../components/load-more.tsx';
import { Loading, PageHeader, QueryContent } from '../../components/page.tsx';
import { PeopleSearch, usePeople } from '../../components/people-search.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { VerifyHint } from '../../components/verify-hint.tsx';
import { mayInProject } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';
import { useProject } from '../project/project-context.ts';
import { JoinLinkDialog, JoinLinks } from './join-links.tsx';
import { Invitations, InviteDialog } from './tester-invitations.tsx';
import { describeGrant, describeInstalled, explainVerdict, splitGrants } from './tester-texts.ts';

const verdictColors = { yes: 'green', no: 'red', unknown: 'gray' } as const;

export function ChannelTesters({ channel }: { channel: Channel }) {
  const texts = useTexts();
  const t = texts.testers.channel;
  const project = useProject();
  const path = `/channels/${channel.identifier}/testers`;
  const list = usePeople<ChannelTester>(path);
  const [isInviting, setInviting] = useState(false);
  const [isLinking, setLinking] = useState(false);
  const mayInvite = mayInProject(project, 'channel_invitation.manage');
  const save = useChange((api) => api.send<string>('GET', path, { query: { ...list.query, format: 'csv' } }), []);
  return (
    <>
      <PageHeader
        title={t.titleOf(channel.name)}
        hint={t.hint}
        actions={
          <div className="tw-row tw-wrap tw-no-print">
            {list.rows?.length ? (
              <Button
                variant="default"
                leftSection={<IconDownload size={16} />}
                loading={save.isPending}
                onClick={() =>
                  save.mutate(undefined, {
                    onSuccess: (table) => saveText(table, `testers-${channel.name}.csv`, 'text/csv'),
                  })
                }
              >
                {t.csv}
              </Button>
            ) : null}
            {mayInvite && (
              <Button variant="default" leftSection={<IconLink size={16} />} onClick={() => setLinking(true)}>
                {texts.testers.joinLinks.button}
              </Button>
            )}
            {mayInvite && (
              <Button leftSection={<IconUserPlus size={16} />} onClick={() => setInviting(true)}>
                {texts.testers.invite.button}
              </Button>
            )}
          </div>
        }
      />
      <section className="tw-section" aria-label={t.title}>
        {save.error !== null && <ErrorAlert error={save.error} />}
        <PeopleSearch search={list.search} />
        {list.rows?.some((tester) => !tester.is_verified) && <VerifyHint />}
        <QueryContent read={{ ...list, data: list.rows }} loading={<Loading rows={3} height={56} />}>
          {(rows) =>
            rows.length === 0 ? (
              !list.isSearched && (
                <Text size="sm" c="dimmed">
                  {mayInvite ? t.empty : t.emptyReader}
                </Text>
              )
            ) : (
              <ul className="tw-list">
                {rows.map((tester) => (
                  <TesterRow key={tester.developer_id} tester={tester} path={path} isServing={isServing(tester)} />
                ))}
              </ul>
            )
          }
        </QueryContent>
        <LoadMore list={list} />
        {mayInProject(project, 'project_tester.list') && (
          <Link to="/projects/$projectId/testers" params={{ projectId: project.identifier }} className="tw-link">
            {t.toProject}
          </Link>
        )}
      </section>
      <JoinLinks channel={channel} mayManage={mayInvite} />
      <Invitations channel={channel} mayManage={mayInvite} />
      <InviteDialog channel={channel} isOpen={isInviting} onClose={() => setInviting(false)} />
      <JoinLinkDialog channel={channel} isOpen={isLinking} onClose={() => setLinking(false)} />
    </>
  );
}

function isServing({ devices }: ChannelTester): boolean {
  return devices.some(({ install }) => install !== null);
}

function TesterRow({ tester, path, isServing }: { tester: ChannelTester; path: string; isServing: boolean }) {
  const texts = useTexts();
  const t = texts.testers.channel;
  const { installed, devices } = tester;
  return (
    <li>
      <Initials id={tester.developer_id} name={tester.display_name} size={36} />
      <div className="tw-grow">
        <div className="tw-strong">{tester.display_name}</div>
        <div className="tw-small">{tester.email}</div>
        <div className="tw-small">
          {describeInstalled(installed, t) ?? t.noInstalls}
          {installed !== null && (
            <>
              {' · '}
              <RelativeTime at={installed.at} />
            </>
          )}
        </div>
      </div>
      {!tester.is_verified && <UnverifiedBadge />}
      {tester.muted && <Badge variant="default">{t.emailsOff}</Badge>}
      {tester.grants.map((way) => (
        <Badge key={way.identifier}>{describeGrant(way, t)}</Badge>
      ))}
      <RemoveInvited tester={tester} path={path} />
      {devices.length > 0 && (
        <ul className="tw-tester-devices" aria-label={t.devices}>
          {devices.map(({ identifier, name, install }) => (
            <li key={identifier}>
              {name}
              {install !== null && (
                <>
                  <Badge size="sm" color={verdictColors[install.verdict]}>
                    {t.verdicts[install.verdict]}
                  </Badge>
                  <span className="tw-small">{explainVerdict(install, t)}</span>
                </>
              )}
            </li>
          ))}
          {!isServing && <li className="tw-small">{t.nothingLive}</li>}
        </ul>
      )}
    </li>
  );
}

/** Removes the access by invitation to this channel. Other access is removed where it was granted. */
function RemoveInvited({ tester, path }: { tester: ChannelTester; path: string }) {
  const texts = useTexts();
  const t = texts.testers.channel;
  const project = useProject();
  const [isConfirming, setConfirming] = useState(false);
  const { invited, others } = splitGrants(tester.grants);
  const remove = useChange((api) => api.send('DELETE', `${path}/${invited?.identifier}`), [path]);
  if (invited === undefined || !mayInProject(project, 'channel_tester.manage')) return null;
  const { email } = tester;
  return (
    <>
      <Button
        size="compact-sm"
        variant="subtle"
        color="red"
        aria-label={`${texts.common.remove}: ${email}`}
        onClick={() => setConfirming(true)}
      >
        {texts.common.remove}
      </Button>
      <ConfirmDialog
        isOpen={isConfirming}
        title={texts.testers.removeTitle(email)}
        action={texts.common.remove}
        onClose={() => setConfirming(false)}
        onConfirm={async () => {
          await remove.mutateAsync(undefined);
          showSuccess(texts.testers.removed(email));
        }}
      >
        {others.length === 0
          ? t.removeEffect(email)
          : t.removeOnlyInvitation(email, others.map((way) => describeGrant(way, t)).join(', '))}
      </ConfirmDialog>
    </>
  );
}
