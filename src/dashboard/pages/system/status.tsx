// A status as icon and text, because color alone isn't accessible.
import { IconAlertTriangle, IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import { useTexts } from '../../texts/locale.ts';
import type { Severity } from './issues.ts';

const signs = { ok: IconCircleCheck, warn: IconAlertTriangle, fail: IconCircleX };

export function StatusIcon({ severity, size = 20 }: { severity: Severity; size?: number }) {
  const Sign = signs[severity];
  return <Sign size={size} className={`tw-status-sign tw-status-${severity}`} aria-hidden />;
}

/** The icon with its text. */
export function Status({ severity, children }: { severity: Severity; children?: string }) {
  const t = useTexts().system;
  return (
    <span className="tw-status">
      <StatusIcon severity={severity} size={18} />
      <span>{children ?? t.statuses[severity]}</span>
    </span>
  );
}
