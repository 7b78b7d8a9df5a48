// The summary: all checks passed, or the issues and what to do.
import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { SystemState } from '../../../system/schema.ts';
import { useTexts } from '../../texts/locale.ts';
import { FindingText } from './finding-text.tsx';
import { type Finding, findIssues, type Severity, worstOf } from './issues.ts';
import { Status, StatusIcon } from './status.tsx';

interface Item {
  key: string;
  severity: Severity;
  title: string;
  text: ReactNode;
  /** The server's message. */
  detail: string | null;
}

/** `findings` are undefined while the checks are running. */
export function Summary({ state, findings }: { state: SystemState; findings: readonly Finding[] | undefined }) {
  const t = useTexts().system;
  const items: Item[] = [
    ...findIssues(state).map(({ kind, severity, count, detail }) => ({
      key: kind,
      severity,
      title: t.issues[kind].title(count),
      text: t.issues[kind].text,
      detail,
    })),
    ...(findings ?? [])
      .filter(({ status }) => status !== 'ok')
      .map((finding) => ({
        key: `${finding.name} ${finding.detail}`,
        severity: finding.status,
        title: t.findingNames[finding.name] ?? finding.name,
        text: <FindingText finding={finding} />,
        detail: null,
      })),
  ].sort((one, other) => Number(other.severity === 'fail') - Number(one.severity === 'fail'));
  const worst = worstOf(items.map(({ severity }) => severity));
  const isLooking = findings === undefined && worst === 'ok';
  const count = items.filter(({ severity }) => severity === worst).length;
  const title = isLooking
    ? t.checking
    : worst === 'ok'
      ? t.allPassed
      : worst === 'fail'
        ? t.problemCount(count)
        : t.attentionCount(count);
  return (
    <section
      className={`tw-card tw-summary tw-summary-${isLooking ? 'unknown' : worst}`}
      aria-label={t.state}
      aria-busy={findings === undefined}
    >
      <div className="tw-row" role="status">
        {!isLooking && <StatusIcon severity={worst} size={20} />}
        <div>
          <Title order={2} size="h4">
            {title}
          </Title>
          {worst === 'ok' && !isLooking && (
            <Text size="sm" c="dimmed">
              {t.noActionNeeded}
            </Text>
          )}
        </div>
      </div>
      {items.length > 0 && (
        <ul className="tw-list tw-judged">
          {items.map(({ key, severity, title: name, text, detail }) => (
            <li key={key}>
              <div className="tw-grow">
                <div className="tw-strong">{name}</div>
                <div className="tw-small">{text}</div>
                {detail !== null && (
                  <div className="tw-small tw-notes" lang="en">
                    {detail}
                  </div>
                )}
              </div>
              <Status severity={severity} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
