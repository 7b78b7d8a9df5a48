// The testers of an organization or a project.

import { IconMailForward, IconUserMinus } from '@tabler/icons-react';
import { useState } from 'react';
import type { TesterGrant } from '../../testers/grants/schema.ts';
import { useChange } from '../api/hooks.ts';
import { useServerInfo } from '../shell/server-info.ts';
import { useLocale, useTexts } from '../texts/locale.ts';
import { AccessBadge } from './access-badge.tsx';
import { AddByEmail } from './add-by-email.tsx';
import { ConfirmDialog } from './confirm.tsx';
import { readRetryTime, useCooldown } from './cooldown.ts';
import { useEmailText } from './email-texts.ts';
import { ErrorAlert } from './errors.tsx';
import { Initials } from './initials.tsx';
import { LoadMore } from './load-more.tsx';
import { EmptyState, QueryContent, RowsSkeleton } from './page.tsx';
import { PeopleSearch, usePeople } from './people-search.tsx';
import { requestCommand } from './request-command.ts';
import { RowAction } from './row-action.tsx';
import { RelativeTime } from './time.tsx';
import { showSuccess } from './toasts.ts';

interface TesterGrantsProps {
  /** `/organizations/{id}/testers` or `/projects/{id}/testers`. */
  path: string;
  mayManage: boolean;
  emptyText: string;
  /** Returns what happens to a tester who is removed. */
  effect(email: string): string;
}

export function TesterGrants({ path, mayManage, emptyText, effect }: TesterGrantsProps) {
  const t = useTexts().testers;
  const emailText = useEmailText();
  const { base } = useServerInfo();
  const list = usePeople<TesterGrant>(path);
  return (
    <section className="tw-section" aria-label={t.title}>
      {mayManage && (list.rows !== undefined || list.error === null) && (
        <AddByEmail path={path} touches={[path]} hint={emailText(t.emailHint)} />
      )}
      <PeopleSearch search={list.search} />
      <QueryContent read={{ ...list, data: list.rows }} loading={<RowsSkeleton rows={4} picture={28} hasCaption />}>
        {(rows) =>
          rows.length === 0 ? (
            !list.isSearched && (
              <EmptyState
                drawing="people"
                title={t.emptyTitle}
                text={emptyText}
                command={requestCommand(location.origin + base, 'POST', path, { email: 'robin@example.com' })}
              />
            )
          ) : (
            <ul className="tw-list tw-people">
              {rows.map((grant) => (
                <GrantRow key={grant.identifier} grant={grant} path={path} mayManage={mayManage} effect={effect} />
              ))}
            </ul>
          )
        }
      </QueryContent>
      <LoadMore list={list} />
    </section>
  );
}

function GrantRow({
  grant,
  path,
  mayManage,
  effect,
}: Pick<TesterGrantsProps, 'path' | 'mayManage' | 'effect'> & { grant: TesterGrant }) {
  const texts = useTexts();
  const emailText = useEmailText();
  const t = texts.testers;
  const { sendsMail } = useServerInfo();
  const [isConfirming, setConfirming] = useState(false);
  const own = `${path}/${grant.identifier}`;
  const remove = useChange((api) => api.send('DELETE', own), [path]);
  const isPending = grant.status === 'pending';
  return (
    <li>
      <Initials id={grant.developer_id ?? grant.identifier} name={grant.display_name ?? grant.email} size={28} />
      <div className="tw-grow">
        <div className="tw-strong">
          {grant.display_name ?? grant.email} <AccessBadge {...grant} />
        </div>
        <div className="tw-small">
          {grant.display_name !== null && `${grant.email} · `}
          {isPending ? emailText(t.waiting) : t.addedAt}{' '}
          <RelativeTime at={isPending ? grant.notified_at : (grant.attached_at ?? grant.created_at)} />
        </div>
      </div>
      <div className="tw-row-end">
        {mayManage && isPending && sendsMail && <NotifyAgain email={grant.email} own={own} path={path} />}
        {mayManage && (
          <RowAction
            icon={IconUserMinus}
            color="red"
            label={`${texts.common.remove}: ${grant.email}`}
            onClick={() => setConfirming(true)}
          >
            {texts.common.remove}
          </RowAction>
        )}
      </div>
      <ConfirmDialog
        isOpen={isConfirming}
        title={t.removeTitle(grant.email)}
        action={texts.common.remove}
        onClose={() => setConfirming(false)}
        onConfirm={async () => {
          await remove.mutateAsync(undefined);
          showSuccess(t.removed(grant.email));
        }}
      >
        {isPending ? t.removePending(grant.email) : effect(grant.email)}
      </ConfirmDialog>
    </li>
  );
}

/** Emails a pending tester again. If the last email is recent, shows when the next one is possible. */
function NotifyAgain({ email, own, path }: { email: string; own: string; path: string }) {
  const { language, texts } = useLocale();
  const t = texts.testers;
  const { until, begin } = useCooldown();
  const notify = useChange((api) => api.send('POST', `${own}/notify`), [path]);
  const pause = readRetryTime(notify.error, 0);
  function press(): void {
    notify.mutate(undefined, {
      onSuccess: () => showSuccess(t.notified(email)),
      onError: (error) => {
        const end = readRetryTime(error, Date.now());
        if (end !== undefined) begin(end);
      },
    });
  }
  const clock = new Intl.DateTimeFormat(language, { timeStyle: 'medium' });
  return (
    <>
      <RowAction
        icon={IconMailForward}
        variant="default"
        label={t.notify}
        loading={notify.isPending}
        disabled={until !== undefined}
        onClick={press}
      >
        {t.notify}
      </RowAction>
      {until !== undefined && (
        <div className="tw-small tw-row-note" role="status">
          {t.notifyWait(clock.format(until))}
        </div>
      )}
      {notify.error !== null && pause === undefined && <ErrorAlert error={notify.error} />}
    </>
  );
}
