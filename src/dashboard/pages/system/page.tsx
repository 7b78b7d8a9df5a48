// The server's status for its operator.
import { Button, Text, Title } from '@mantine/core';
import { IconLock, IconRefresh } from '@tabler/icons-react';
import type { SystemFindings, SystemState } from '../../../system/schema.ts';
import { useRead } from '../../api/hooks.ts';
import { CommandBlock } from '../../components/copy.tsx';
import { FactsSkeleton, PageHeader, QueryContent, RowsSkeleton } from '../../components/page.tsx';
import { usePollingRead } from '../../components/polling.ts';
import { RelativeTime } from '../../components/time.tsx';
import { useCurrentUser } from '../../shell/current-user.ts';
import { useServerInfo } from '../../shell/server-info.ts';
import { useTexts } from '../../texts/locale.ts';
import { SystemDetails } from './details.tsx';
import { Findings } from './findings.tsx';
import { stateFingerprint } from './issues.ts';
import { Schedules } from './schedules.tsx';
import { StorageRequests } from './storage-requests.tsx';
import { Summary } from './summary.tsx';

const systemPath = '/system';
const findingsPath = '/system/findings';
const FINDINGS_EVERY_MS = 60_000;

export function Page() {
  const { me } = useCurrentUser();
  return me.is_operator ? <SystemPage /> : <NotOperator email={me.email} />;
}

function NotOperator({ email }: { email: string }) {
  const t = useTexts().system;
  const { program } = useServerInfo();
  return (
    <div className="tw-whole-problem">
      <IconLock size={40} stroke={1.4} aria-hidden />
      <Title order={1} size="h2">
        {t.notOperatorTitle}
      </Title>
      <Text>{t.notOperator}</Text>
      <div className="tw-empty-command">
        <CommandBlock
          text={`${program} developer create --operator --verified --email ${email.replace(/^[^@]*/, 'operator')}`}
        />
      </div>
    </div>
  );
}

function SystemPage() {
  const t = useTexts().system;
  const system = usePollingRead<SystemState>(systemPath, { fingerprint: stateFingerprint });
  const findings = useRead<SystemFindings>(findingsPath, { intervalMs: FINDINGS_EVERY_MS });
  return (
    <>
      <PageHeader
        title={t.title}
        hint={
          // The line keeps its height while the state is loading.
          system.data === undefined ? (
            '\u00a0'
          ) : (
            <>
              {t.hint(system.data.base_url)} · {t.asOf}{' '}
              <RelativeTime at={new Date(system.dataUpdatedAt).toISOString()} />
            </>
          )
        }
        actions={
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} />}
            loading={system.isFetching && !system.isPending}
            onClick={() => void Promise.all([system.refetch(), findings.refetch()])}
          >
            {t.refresh}
          </Button>
        }
      />
      <QueryContent
        read={system}
        loading={
          <>
            <FactsSkeleton rows={10} />
            <RowsSkeleton rows={8} picture={0} />
          </>
        }
      >
        {(state) => (
          <>
            <Summary state={state} findings={findings.data?.findings} />
            <SystemDetails state={state} />
            <StorageRequests />
            <Findings read={findings} />
            <Schedules sweeps={state.sweeps} />
          </>
        )}
      </QueryContent>
    </>
  );
}
