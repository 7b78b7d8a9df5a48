// The card of replication: whether Litestream runs, and how far the replica is behind.
import { Text } from '@mantine/core';
import { formatBytes } from '../../../lib/formats.ts';
import type { ReplicationState } from '../../../replication/schema.ts';
import { CommandBlock } from '../../components/copy.tsx';
import { Fact } from '../../components/fact.tsx';
import { Section } from '../../components/page.tsx';
import { useLocale } from '../../texts/locale.ts';
import { Status } from './status.tsx';

const START_COMMAND = 'sudo systemctl start taxiway-litestream';

export function Replication({ replication }: { replication: ReplicationState }) {
  const { language, texts } = useLocale();
  const t = texts.system.replication;
  const { target, is_running: isRunning, lag_seconds: lag, log_bytes: log } = replication;
  const seconds = new Intl.NumberFormat(language).format(Math.ceil(lag));
  return (
    <Section title={t.title}>
      <dl className="tw-fact-lines" data-narrow>
        <Fact label={texts.system.state}>
          <Status severity={isRunning ? 'ok' : 'fail'}>{isRunning ? t.running : t.stopped}</Status>
        </Fact>
        {isRunning && <Fact label={t.lag}>{t.seconds(seconds)}</Fact>}
        <Fact label={t.log}>{formatBytes(log, language)}</Fact>
        <Fact label={t.target}>{target}</Fact>
      </dl>
      {!isRunning && (
        <>
          <Text size="sm">{t.stoppedHint}</Text>
          <CommandBlock text={START_COMMAND} />
        </>
      )}
    </Section>
  );
}
