// How something is, by sign and word: colour alone tells nobody who cannot tell colours.
import { IconAlertTriangle, IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import { useTexts } from '../../texts/languages.ts';
import type { Severity } from './attention.ts';

const signs = { ok: IconCircleCheck, warn: IconAlertTriangle, fail: IconCircleX };

export function StatusSign({ severity, size = 20 }: { severity: Severity; size?: number }) {
  const Sign = signs[severity];
  return <Sign size={size} className={`tw-status-sign tw-status-${severity}`} aria-hidden />;
}

/** The sign with its word. */
export function Status({ severity, children }: { severity: Severity; children?: string }) {
  const t = useTexts().system;
  return (
    <span className="tw-status">
      <StatusSign severity={severity} size={18} />
      {children ?? t.statuses[severity]}
    </span>
  );
}
