// A few testers of a channel, with what they have. All are on a page of their own.
import { Badge, Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Channel } from '../../../channels/schema.ts';
import type { Release } from '../../../releases/schema.ts';
import type { ChannelTester } from '../../../testers/roster/schema.ts';
import { ErrorAlert } from '../../components/errors.tsx';
import { Initials } from '../../components/initials.tsx';
import { Loading } from '../../components/page.tsx';
import { mayInProject } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';
import { useProject } from '../project/project-context.ts';
import { abilityOf } from './adoption-parts.ts';
import { InviteDialog } from './tester-invitations.tsx';

const SHOWN = 4;

interface SomeTestersProps {
  channel: Channel;
  release: Release | undefined;
  /** The number of all testers; undefined while it is loading. */
  count: number | undefined;
  list: { rows: readonly ChannelTester[] | undefined; error: unknown; refetch(): unknown };
}

export function SomeTesters({ channel, release, count, list }: SomeTestersProps) {
  const texts = useTexts();
  const t = texts.testers.channel;
  const project = useProject();
  const [isInviting, setInviting] = useState(false);
  const mayInvite = mayInProject(project, 'channel_invitation.manage');
  const { rows } = list;
  return (
    <section className="tw-aside-part" aria-labelledby="testers">
      <div className="tw-aside-head">
        <h2 id="testers">{t.title}</h2>
        {count !== undefined && count > 0 && <span className="tw-of">{count}</span>}
        {mayInvite && (
          <Button
            variant="default"
            size="compact-sm"
            className="tw-no-print"
            aria-label={texts.testers.invite.button}
            onClick={() => setInviting(true)}
          >
            {t.invite}
          </Button>
        )}
      </div>
      {rows === undefined && list.error === null && <Loading rows={3} height={36} />}
      {rows === undefined && list.error !== null && (
        <ErrorAlert error={list.error} onRetry={() => void list.refetch()} />
      )}
      {rows?.length === 0 && <p className="tw-quiet">{mayInvite ? t.empty : t.emptyReader}</p>}
      {rows !== undefined && rows.length > 0 && (
        <ul className="tw-people">
          {rows.slice(0, SHOWN).map((tester) => (
            <li key={tester.developer_id}>
              <Initials id={tester.developer_id} name={tester.display_name} size={28} />
              <div className="tw-grow">
                <b>{tester.display_name}</b>
                <small>{tester.devices.map(({ name }) => name).join(', ') || tester.email}</small>
              </div>
              <State tester={tester} release={release} />
            </li>
          ))}
        </ul>
      )}
      {rows !== undefined && (
        <Link
          to="/projects/$projectId/channels/$channelId/testers"
          params={{ projectId: project.identifier, channelId: channel.identifier }}
          className="tw-link tw-all"
        >
          {rows.length === 0 ? t.toAll : t.all(count ?? rows.length)}
        </Link>
      )}
      <InviteDialog channel={channel} isOpen={isInviting} onClose={() => setInviting(false)} />
    </section>
  );
}

/** What a tester has, or why not. */
function State({ tester, release }: { tester: ChannelTester; release: Release | undefined }) {
  const t = useTexts().testers.channel;
  const { installed, is_verified: isVerified } = tester;
  if (!isVerified) return <Badge color="yellow">{t.unverified}</Badge>;
  const hasCurrent = release !== undefined && installed?.release_id === release.identifier;
  if (!hasCurrent && release !== undefined && abilityOf(tester) === 'no') {
    return <Badge color="red">{t.verdicts.no}</Badge>;
  }
  return (
    <span className="tw-quiet">
      {installed === null ? t.nothingYet : t.has(installed.version_name ?? t.deletedBuild)}
    </span>
  );
}
