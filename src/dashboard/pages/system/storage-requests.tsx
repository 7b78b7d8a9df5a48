// Requests of organizations for own containers, and the command that decides on each.
import { Badge } from '@mantine/core';
import type { OperatorRequest } from '../../../byosa/schema.ts';
import { useRead } from '../../api/hooks.ts';
import { CommandBlock } from '../../components/copy.tsx';
import { Section } from '../../components/page.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { useServerInfo } from '../../shell/server-info.ts';
import { useTexts } from '../../texts/locale.ts';
import { stepOf } from '../settings-storage/storage.ts';

const EVERY_MS = 60_000;

/** Shows nothing without requests. */
export function StorageRequests() {
  const t = useTexts().storage;
  const { program } = useServerInfo();
  const { data } = useRead<{ items: OperatorRequest[]; has_more: boolean }>('/system/storage-requests', {
    intervalMs: EVERY_MS,
  });
  if (data === undefined || data.items.length === 0) return null;
  const shown = data.items.length;
  return (
    <Section title={t.requests} count={data.has_more ? `${shown}+` : shown} hint={t.requestsHint}>
      <ul className="tw-list" aria-label={t.requests}>
        {data.items.map(({ identifier, status, validation, ...request }) => (
          <li key={identifier}>
            <div className="tw-grow">
              <div className="tw-strong">{request.organization_name}</div>
              <div className="tw-small">
                {t.container(request.storage_account, request.container)} · <RelativeTime at={request.requested_at} />
                {validation?.failure_stage != null && <> · {t.failedStep(t.steps[stepOf(validation.failure_stage)])}</>}
              </div>
            </div>
            <Badge variant="light" color={status === 'awaiting_approval' ? 'yellow' : 'gray'}>
              {t.statuses[status]}
            </Badge>
            {status === 'awaiting_approval' && (
              <div className="tw-row-note">
                <CommandBlock text={`${program} storage-request approve ${identifier}`} />
              </div>
            )}
          </li>
        ))}
      </ul>
      {data.has_more && (
        <div className="tw-small">
          {t.newestRequests(shown)}
          <CommandBlock text={`${program} storage-request list --open`} />
        </div>
      )}
    </Section>
  );
}
