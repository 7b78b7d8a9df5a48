// Where one is signed in, and how to end that.
import { Badge, Button } from '@mantine/core';
import { useState } from 'react';
import type { Session } from '../../../sessions/schema.ts';
import { useChange, useReadAll } from '../../api/api-context.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Loading, Section, Shown } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Time } from '../../parts/time.tsx';
import { useFacts } from '../../shell/facts.ts';
import { useTexts } from '../../texts/languages.ts';

export function SessionsSection() {
  const t = useTexts().account.sessions;
  const sessions = useReadAll<Session>('/sessions');
  const [isAsking, setAsking] = useState(false);
  const { base } = useFacts();
  const endAll = useChange((api) => api.send('DELETE', '/sessions'), []);
  return (
    <Section
      title={t.title}
      actions={
        <Button variant="default" size="xs" onClick={() => setAsking(true)}>
          {t.signOutAll}
        </Button>
      }
    >
      <Shown read={sessions} loading={<Loading rows={2} height={48} />}>
        {(rows) => (
          <ul className="tw-list">
            {rows.map((session) => (
              <Row key={session.identifier} session={session} />
            ))}
          </ul>
        )}
      </Shown>
      <Confirm
        isOpen={isAsking}
        title={t.signOutAllTitle}
        action={t.signOutAll}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await endAll.mutateAsync(undefined);
          location.assign(`${base}/sign-in`);
        }}
      >
        {t.signOutAllEffect}
      </Confirm>
    </Section>
  );
}

function Row({ session }: { session: Session }) {
  const t = useTexts().account.sessions;
  const end = useChange((api) => api.send('DELETE', `/sessions/${session.identifier}`), ['/sessions']);
  const { approximate_location: found, ip_address: address } = session;
  const location = found === 'private network' ? t.privateNetwork : found;
  const place = [location, address].filter((part) => part !== null).join(' · ');
  return (
    <li>
      <div className="tw-grow">
        <div className="tw-strong">
          {[session.browser, session.device].filter((part) => part !== null).join(' · ') || t.unknown}{' '}
          {session.current && <Badge color="green">{t.current}</Badge>}
        </div>
        <div className="tw-small">
          {place} · {t.lastUsed} <Time at={session.last_used_at} />
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
      {end.error !== null && <Problem error={end.error} />}
    </li>
  );
}
