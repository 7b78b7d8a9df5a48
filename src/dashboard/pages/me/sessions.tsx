// The user's sessions.
import { Badge, Button } from '@mantine/core';
import { IconDevices } from '@tabler/icons-react';
import { useState } from 'react';
import type { Session } from '../../../sessions/schema.ts';
import { useApi, useChange, useReadAll } from '../../api/hooks.ts';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { ErrorAlert } from '../../components/errors.tsx';
import { QueryContent, RowsSkeleton, Section } from '../../components/page.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { useServerInfo } from '../../shell/server-info.ts';
import { useTexts } from '../../texts/locale.ts';

export function SessionsSection() {
  const t = useTexts().account.sessions;
  const sessions = useReadAll<Session>('/sessions');
  const [isConfirming, setConfirming] = useState(false);
  const { base } = useServerInfo();
  const api = useApi();
  const endAll = useChange((client) => client.send('DELETE', '/sessions'), []);
  return (
    <Section
      id="sessions"
      title={t.title}
      actions={
        <Button variant="default" onClick={() => setConfirming(true)}>
          {t.signOutAll}
        </Button>
      }
    >
      <QueryContent read={sessions} loading={<RowsSkeleton rows={2} picture={28} hasCaption />}>
        {(rows) => (
          <ul className="tw-list">
            {rows.map((session) => (
              <Row key={session.identifier} session={session} />
            ))}
          </ul>
        )}
      </QueryContent>
      <ConfirmDialog
        isOpen={isConfirming}
        title={t.signOutAllTitle}
        action={t.signOutAll}
        onClose={() => setConfirming(false)}
        onConfirm={async () => {
          await endAll.mutateAsync(undefined);
          api.clearSession();
          location.assign(`${base}/sign-in`);
        }}
      >
        {t.signOutAllEffect}
      </ConfirmDialog>
    </Section>
  );
}

function Row({ session }: { session: Session }) {
  const t = useTexts().account.sessions;
  const end = useChange((api) => api.send('DELETE', `/sessions/${session.identifier}`), ['/sessions']);
  const { approximate_location: found, ip_address: address } = session;
  const location = found === 'private network' ? t.privateNetwork : found;
  const method = session.sign_in_method === null ? null : t.methods[session.sign_in_method];
  const place = [method, location, address].filter((part) => part !== null).join(' · ');
  return (
    <li>
      <span className="tw-tone">
        <IconDevices size={16} stroke={1.75} aria-hidden />
      </span>
      <div className="tw-grow">
        <div className="tw-strong">
          {[session.browser, session.device].filter((part) => part !== null).join(' · ') || t.unknown}{' '}
          {session.current && <Badge color="green">{t.current}</Badge>}
        </div>
        <div className="tw-small">
          {place} · {t.lastUsed} <RelativeTime at={session.last_used_at} />
        </div>
      </div>
      {!session.current && (
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          loading={end.isPending}
          onClick={() => end.mutate(undefined)}
        >
          {t.signOut}
        </Button>
      )}
      {end.error !== null && <ErrorAlert error={end.error} />}
    </li>
  );
}
