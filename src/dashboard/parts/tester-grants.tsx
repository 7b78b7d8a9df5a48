// Who was given access to an organization or a project as a tester: the same list with the same operations.

import { Badge, Button } from '@mantine/core';
import { IconUsersGroup } from '@tabler/icons-react';
import { useState } from 'react';
import type { TesterGrant } from '../../testers/grants/schema.ts';
import { useChange, useReadPages } from '../api/api-context.ts';
import { useFacts } from '../shell/facts.ts';
import { useSpeech, useTexts } from '../texts/languages.ts';
import { AddByEmail } from './add-by-email.tsx';
import { AppIcon } from './app-icon.tsx';
import { Confirm } from './confirm.tsx';
import { readPauseEnd, useCooldown } from './cooldown.ts';
import { LoadMore } from './load-more.tsx';
import { useMailTexts } from './mail-texts.ts';
import { Empty, Loading, Section, Shown } from './page.tsx';
import { Problem } from './problem.tsx';
import { requestCommand } from './request-command.ts';
import { Time } from './time.tsx';
import { sayDone } from './toasts.ts';

interface TesterGrantsProps {
  /** `/organizations/{id}/testers` or `/projects/{id}/testers`. */
  path: string;
  mayManage: boolean;
  emptyText: string;
  /** What it means to lose access here. */
  effect(email: string): string;
}

export function TesterGrants({ path, mayManage, emptyText, effect }: TesterGrantsProps) {
  const t = useTexts().testers;
  const say = useMailTexts();
  const { base } = useFacts();
  const list = useReadPages<TesterGrant>(path);
  const add = useChange((api, email: string) => api.send<TesterGrant>('POST', path, { body: { email } }), [path]);
  async function addOne(email: string): Promise<void> {
    const { email: known, status } = await add.mutateAsync(email);
    sayDone(status === 'active' ? t.added(known) : say(t.invited)(known));
  }
  return (
    <Shown read={{ ...list, data: list.rows }} loading={<Loading rows={4} height={56} />}>
      {(rows) => (
        <Section title={t.title}>
          {mayManage && <AddByEmail add={addOne} hint={say(t.emailHint)} />}
          {rows.length === 0 ? (
            <Empty
              icon={<IconUsersGroup size={40} stroke={1.4} aria-hidden />}
              title={t.emptyTitle}
              text={emptyText}
              command={requestCommand(location.origin + base, 'POST', path, { email: 'robin@example.com' })}
            />
          ) : (
            <ul className="tw-list">
              {rows.map((grant) => (
                <GrantRow key={grant.identifier} grant={grant} path={path} mayManage={mayManage} effect={effect} />
              ))}
            </ul>
          )}
          <LoadMore list={list} />
        </Section>
      )}
    </Shown>
  );
}

function GrantRow({
  grant,
  path,
  mayManage,
  effect,
}: Pick<TesterGrantsProps, 'path' | 'mayManage' | 'effect'> & { grant: TesterGrant }) {
  const texts = useTexts();
  const say = useMailTexts();
  const t = texts.testers;
  const { sendsMail } = useFacts();
  const [isAsking, setAsking] = useState(false);
  const own = `${path}/${grant.identifier}`;
  const remove = useChange((api) => api.send('DELETE', own), [path]);
  const isPending = grant.status === 'pending';
  return (
    <li>
      <AppIcon src={null} name={grant.display_name ?? grant.email} size={36} />
      <div className="tw-grow">
        <div className="tw-strong">{grant.display_name ?? grant.email}</div>
        <div className="tw-small">
          {grant.display_name !== null && `${grant.email} · `}
          {isPending ? say(t.waiting) : t.since}{' '}
          <Time at={isPending ? grant.notified_at : (grant.attached_at ?? grant.created_at)} />
        </div>
      </div>
      <Badge color={isPending ? 'yellow' : 'green'}>{isPending ? t.pending : t.active}</Badge>
      {mayManage && isPending && sendsMail && <NotifyAgain email={grant.email} own={own} path={path} />}
      {mayManage && (
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          aria-label={`${texts.common.remove}: ${grant.email}`}
          onClick={() => setAsking(true)}
        >
          {texts.common.remove}
        </Button>
      )}
      <Confirm
        isOpen={isAsking}
        title={t.removeTitle(grant.email)}
        action={texts.common.remove}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await remove.mutateAsync(undefined);
          sayDone(t.removed(grant.email));
        }}
      >
        {isPending ? t.removePending(grant.email) : effect(grant.email)}
      </Confirm>
    </li>
  );
}

/** Writes to somebody who is awaited; where that was done a short while ago, says from when on it can be done again. */
function NotifyAgain({ email, own, path }: { email: string; own: string; path: string }) {
  const { language, texts } = useSpeech();
  const t = texts.testers;
  const { until, begin } = useCooldown();
  const notify = useChange((api) => api.send('POST', `${own}/notify`), [path]);
  const pause = readPauseEnd(notify.error, 0);
  function press(): void {
    notify.mutate(undefined, {
      onSuccess: () => sayDone(t.notified(email)),
      onError: (error) => {
        const end = readPauseEnd(error, Date.now());
        if (end !== undefined) begin(end);
      },
    });
  }
  const clock = new Intl.DateTimeFormat(language, { timeStyle: 'medium' });
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        loading={notify.isPending}
        disabled={until !== undefined}
        onClick={press}
      >
        {t.notify}
      </Button>
      {until !== undefined && (
        <div className="tw-small tw-row-note" role="status">
          {t.notifyWait(clock.format(until))}
        </div>
      )}
      {notify.error !== null && pause === undefined && <Problem error={notify.error} />}
    </>
  );
}
