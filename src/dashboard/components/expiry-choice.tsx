// The expiry of a token: never, after 7, 30, 60 or 90 days, or on a custom date (docs/specification/tokens.md#expiry).

import { NativeSelect, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../texts/locale.ts';
import { dayMs, utcDay } from './times.ts';

export type Expiry = { kind: 'none' } | { kind: 'days'; days: number } | { kind: 'custom'; date: string };

const CHOICES = [7, 30, 60, 90] as const;

/** Returns the expiry as the API expects it: a date-time, a date for the end of a day in UTC, or null. */
export function expiryDate(expiry: Expiry): string | null {
  if (expiry.kind === 'none') return null;
  return expiry.kind === 'custom' ? expiry.date : new Date(Date.now() + expiry.days * dayMs).toISOString();
}

interface ExpiryChoiceProps {
  value: Expiry;
  error: ReactNode;
  onChange(value: Expiry): void;
}

/** Renders the selection, and a date field for a custom date. */
export function ExpiryChoice({ value, error, onChange }: ExpiryChoiceProps) {
  const t = useTexts().account.tokens;
  const tomorrow = utcDay(Date.now() + dayMs);
  function choose(choice: string): void {
    if (choice === 'none') onChange({ kind: 'none' });
    else if (choice === 'custom') onChange({ kind: 'custom', date: tomorrow });
    else onChange({ kind: 'days', days: Number(choice) });
  }
  return (
    <>
      <NativeSelect
        label={t.expiry}
        value={value.kind === 'days' ? String(value.days) : value.kind}
        error={value.kind === 'custom' ? undefined : error}
        data={[
          { value: 'none', label: t.never },
          ...CHOICES.map((days) => ({ value: String(days), label: t.days(days) })),
          { value: 'custom', label: t.custom },
        ]}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      {value.kind === 'custom' && (
        <TextInput
          type="date"
          name="expires_at"
          label={t.customDate}
          description={t.customHint}
          min={tomorrow}
          value={value.date}
          error={error}
          onChange={(event) => onChange({ kind: 'custom', date: event.currentTarget.value })}
        />
      )}
    </>
  );
}
