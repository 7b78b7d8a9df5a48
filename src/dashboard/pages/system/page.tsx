// The state of the machine for its operator: at a glance whether something needs doing, then everything that is known.
import { Button, Text, Title } from '@mantine/core';
import { IconLock, IconRefresh } from '@tabler/icons-react';
import type { SystemFindings, SystemState } from '../../../system/schema.ts';
import { useRead } from '../../api/api-context.ts';
import { Command } from '../../parts/copy.tsx';
import { PageHead, Shown } from '../../parts/page.tsx';
import { usePollingRead } from '../../parts/polling.ts';
import { Time } from '../../parts/time.tsx';
import { useFacts } from '../../shell/facts.ts';
import { useVisit } from '../../shell/me.ts';
import { useTexts } from '../../texts/languages.ts';
import { newsOf } from './attention.ts';
import { Facts } from './facts.tsx';
import { Findings } from './findings.tsx';
import { Schedules } from './schedules.tsx';
import { Summary } from './summary.tsx';

const systemPath = '/system';
const findingsPath = '/system/findings';
const FINDINGS_EVERY_MS = 60_000;

export function Page() {
  const { me } = useVisit();
  return me.is_operator ? <SystemPage /> : <NotOperator email={me.email} />;
}

function NotOperator({ email }: { email: string }) {
  const t = useTexts().system;
  const { program } = useFacts();
  return (
    <div className="tw-whole-problem">
      <IconLock size={40} stroke={1.4} aria-hidden />
      <Title order={1} size="h2">
        {t.notOperatorTitle}
      </Title>
      <Text>{t.notOperator}</Text>
      <div className="tw-empty-command">
        <Command
          text={`${program} developer create --operator --verified --email ${email.replace(/^[^@]*/, 'operator')}`}
        />
      </div>
    </div>
  );
}

function SystemPage() {
  const t = useTexts().system;
  const system = usePollingRead<SystemState>(systemPath, { newsOf });
  const findings = useRead<SystemFindings>(findingsPath, { everyMs: FINDINGS_EVERY_MS });
  return (
    <>
      <PageHead
        title={t.title}
        hint={
          system.data === undefined ? undefined : (
            <>
              {t.hint(system.data.base_url)} · {t.asOf} <Time at={new Date(system.dataUpdatedAt).toISOString()} />
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
      <Shown read={system}>
        {(state) => (
          <>
            <Summary state={state} findings={findings.data?.findings} />
            <Facts state={state} />
            <Findings read={findings} />
            <Schedules sweeps={state.sweeps} />
          </>
        )}
      </Shown>
    </>
  );
}
