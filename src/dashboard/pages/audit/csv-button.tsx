// The download of audit events as CSV.
import { Button, type ButtonProps } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import type { AuditRow } from '../../../audit/schema.ts';
import { saveText } from '../../components/download.ts';
import { useTexts } from '../../texts/locale.ts';
import { type Days, nameCsv, writeCsv } from './filters.ts';

interface CsvButtonProps extends Pick<ButtonProps, 'size'> {
  rows: readonly AuditRow[];
  /** The days of the rows; undefined while the rows aren't those of the chosen days. */
  days: Days | undefined;
}

export function CsvButton({ rows, days, size = 'sm' }: CsvButtonProps) {
  const t = useTexts().audit;
  return (
    <Button
      variant="default"
      size={size}
      leftSection={<IconDownload size={16} />}
      aria-label={t.csvLabel}
      title={t.csvLabel}
      disabled={rows.length === 0 || days === undefined}
      onClick={() => days !== undefined && saveText(writeCsv(rows), nameCsv(days), 'text/csv')}
    >
      {t.csv}
    </Button>
  );
}
