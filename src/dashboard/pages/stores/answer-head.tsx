// The heading over what Apple answered: when that was, and a button that asks again.
import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { TimeInText } from '../../components/time.tsx';
import { useTexts } from '../../texts/locale.ts';

interface AnswerHeadProps {
  title: string;
  connectionName: string;
  read: { data: { checked_at: string } | undefined; isFetching: boolean; refetch(): unknown };
}

export function AnswerHead({ title, connectionName, read: { data, isFetching, refetch } }: AnswerHeadProps) {
  const t = useTexts().stores.quota;
  return (
    <div className="tw-quota-head">
      <h3>{title}</h3>
      {data !== undefined && (
        <span className="tw-small">
          <TimeInText text={t.checked} at={data.checked_at} />
        </span>
      )}
      <Button
        variant="subtle"
        color="gray"
        size="compact-sm"
        leftSection={<IconRefresh size={14} />}
        aria-label={`${t.refresh}: ${title}, ${connectionName}`}
        title={t.refreshHint}
        loading={isFetching && data !== undefined}
        onClick={() => void refetch()}
      >
        {t.refresh}
      </Button>
    </div>
  );
}
