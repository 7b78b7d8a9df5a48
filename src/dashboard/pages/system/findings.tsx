// The health checks.
import type { SystemFindings } from '../../../system/schema.ts';
import { QueryContent, RowsSkeleton, Section } from '../../components/page.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { replaceProgramName } from '../../shell/program-name.ts';
import { useServerInfo } from '../../shell/server-info.ts';
import { useTexts } from '../../texts/locale.ts';
import { FindingText } from './finding-text.tsx';
import { Status } from './status.tsx';

interface FindingsProps {
  read: { data: SystemFindings | undefined; error: unknown; refetch(): unknown };
}

export function Findings({ read }: FindingsProps) {
  const t = useTexts().system;
  const { program } = useServerInfo();
  const sameAsCheck = replaceProgramName(t.findingsHint, program);
  const hint =
    read.data === undefined ? (
      sameAsCheck
    ) : (
      <>
        {sameAsCheck} {t.checked}: <RelativeTime at={read.data.checked_at} />
      </>
    );
  return (
    <Section title={t.findings} hint={hint}>
      <QueryContent read={read} loading={<RowsSkeleton rows={7} picture={0} />}>
        {({ findings }) => (
          <ul className="tw-list tw-judged">
            {findings.map((finding) => (
              <li key={`${finding.name} ${finding.detail}`}>
                <div className="tw-grow">
                  <div className="tw-strong">{t.findingNames[finding.name] ?? finding.name}</div>
                  <div className="tw-small">
                    <FindingText finding={finding} />
                  </div>
                </div>
                <Status severity={finding.status} />
              </li>
            ))}
          </ul>
        )}
      </QueryContent>
    </Section>
  );
}
