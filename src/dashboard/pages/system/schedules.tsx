// The cleanup jobs with schedule, last run, and command.

import type { SystemState } from '../../../system/schema.ts';
import { CopyButton } from '../../components/copy.tsx';
import { Section } from '../../components/page.tsx';
import { TableHead } from '../../components/table-head.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { useServerInfo } from '../../shell/server-info.ts';
import { useTexts } from '../../texts/locale.ts';
import { Status } from './status.tsx';

type Sweep = SystemState['sweeps'][number];

export function Schedules({ sweeps }: { sweeps: readonly Sweep[] }) {
  const t = useTexts().system;
  return (
    <Section title={t.schedules} hint={t.schedulesHint}>
      <table className="tw-records tw-compact" aria-label={t.schedules}>
        <TableHead titles={[t.name, t.lastRun, t.state, t.nextRun]} />
        <tbody>
          {sweeps.map((sweep) => (
            <Row key={sweep.name} sweep={sweep} />
          ))}
        </tbody>
      </table>
    </Section>
  );
}

function Row({ sweep: { name, schedule, next_run_at: nextAt, last_run: run } }: { sweep: Sweep }) {
  const texts = useTexts();
  const t = texts.system;
  const { program } = useServerInfo();
  return (
    <tr>
      <td data-label={t.name}>
        <div>
          <span className="tw-copyable">
            <span className="tw-strong">{name}</span>
            <CopyButton text={`${program} sweep ${name}`} what={t.runCommand(name)} />
          </span>
          <div className="tw-small">{t.cleanupJobs[name]}</div>
        </div>
      </td>
      <td data-label={t.lastRun}>
        {run === null ? (
          t.neverRan
        ) : (
          <div>
            <RelativeTime at={run.started_at} />
            <div className="tw-small">
              {t.removed(run.removed)} · {run.duration_ms} ms
            </div>
          </div>
        )}
      </td>
      <td data-label={t.state}>
        {run !== null && (
          <div>
            <Status severity={run.error === null ? 'ok' : 'warn'} />
            {run.error !== null && (
              <div className="tw-small" lang="en">
                {run.error}
              </div>
            )}
          </div>
        )}
      </td>
      <td data-label={t.nextRun}>
        <div>
          {nextAt === null ? texts.common.never : <RelativeTime at={nextAt} />}
          <div className="tw-small tw-cron">{schedule}</div>
        </div>
      </td>
    </tr>
  );
}
