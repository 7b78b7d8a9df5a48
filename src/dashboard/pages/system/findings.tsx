// Health checks, each with its status in words.
import type { SystemFindings } from '../../../system/schema.ts';
import { Loading, Section, Shown } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { useFacts } from '../../shell/facts.ts';
import { inServerName } from '../../shell/server-name.ts';
import { useTexts } from '../../texts/languages.ts';
import { Status } from './status.tsx';

interface FindingsProps {
  read: { data: SystemFindings | undefined; error: unknown; refetch(): unknown };
}

export function Findings({ read }: FindingsProps) {
  const t = useTexts().system;
  const { program } = useFacts();
  const sameAsCheck = inServerName(t.findingsHint, program);
  const hint =
    read.data === undefined ? (
      sameAsCheck
    ) : (
      <>
        {sameAsCheck} {t.checked}: <Time at={read.data.checked_at} />
      </>
    );
  return (
    <Section title={t.findings} hint={hint}>
      <Shown read={read} loading={<Loading rows={3} height={40} />}>
        {({ findings }) => (
          <ul className="tw-list tw-judged">
            {findings.map((finding) => (
              <li key={`${finding.name} ${finding.detail}`}>
                <div className="tw-grow">
                  <div className="tw-strong">{t.findingNames[finding.name] ?? finding.name}</div>
                  <div className="tw-small">{inServerName(t.finding(finding), program)}</div>
                </div>
                <Status severity={finding.status} />
              </li>
            ))}
          </ul>
        )}
      </Shown>
    </Section>
  );
}
