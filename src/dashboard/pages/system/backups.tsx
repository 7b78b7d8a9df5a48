// The card of backups: the last one, when the next one starts, and a button to start one now.
import { Button, Text } from '@mantine/core';
import type { BackupState } from '../../../backup/schema.ts';
import { formatBytes } from '../../../lib/formats.ts';
import { useChange } from '../../api/hooks.ts';
import { CommandBlock } from '../../components/copy.tsx';
import { ErrorAlert } from '../../components/errors.tsx';
import { Fact } from '../../components/fact.tsx';
import { Section } from '../../components/page.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { useLocale } from '../../texts/locale.ts';
import { Status } from './status.tsx';

const CONFIG_LINES = '[backup]\nschedule = "0 3 * * *"';

export function Backups({ backup }: { backup: BackupState }) {
  const { language, texts } = useLocale();
  const t = texts.system.backup;
  const start = useChange((api) => api.send('POST', '/system/backups'), ['/system']);
  const { place, schedule, is_running: isRunning, next_run_at: next, last_run: last, last_success: success } = backup;
  const hasFailed = last?.state === 'failed';
  return (
    <Section
      title={t.title}
      actions={
        <Button
          size="compact-sm"
          variant="default"
          loading={isRunning || start.isPending}
          onClick={() => start.mutate(undefined, { onSuccess: () => showSuccess(t.started) })}
        >
          {t.start}
        </Button>
      }
    >
      {start.error !== null && <ErrorAlert error={start.error} />}
      <dl className="tw-fact-lines" data-narrow>
        <Fact label={t.last}>
          {success === null ? (
            t.none
          ) : (
            <span>
              <RelativeTime at={success.started_at} />
              {success.total_bytes !== null && ` \u00b7 ${formatBytes(success.total_bytes, language)}`}
            </span>
          )}
        </Fact>
        {hasFailed && (
          <Fact label={texts.system.state}>
            <Status severity="fail">{t.failed}</Status>
          </Fact>
        )}
        {last?.problem && (
          <Fact label={texts.system.lastError}>
            <span lang="en">{last.problem}</span>
          </Fact>
        )}
        <Fact label={t.next}>{next === null ? t.notScheduled : <RelativeTime at={next} />}</Fact>
        <Fact label={t.place}>{place}</Fact>
        <Fact label={t.encryption}>{backup.is_encrypted ? t.encrypted : t.notEncrypted}</Fact>
      </dl>
      {schedule === '' && (
        <>
          <Text size="sm">{t.scheduleHint}</Text>
          <CommandBlock text={CONFIG_LINES} />
        </>
      )}
    </Section>
  );
}
