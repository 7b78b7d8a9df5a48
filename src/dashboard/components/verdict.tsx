// Whether a device can install a build: a badge and the reason.
import { Badge } from '@mantine/core';
import type { BuildDevice } from '../../builds/device-schema.ts';
import type { Texts } from '../texts/en.ts';
import { useTexts } from '../texts/locale.ts';

type Install = BuildDevice['install'];

const colors = { yes: 'green', no: 'red', unknown: 'yellow' } as const;

/** Renders the badge. */
export function VerdictBadge({ install }: { install: Install }) {
  const t = useTexts().devices.build;
  return (
    <Badge color={colors[install.verdict]} variant="light">
      {t.verdicts[install.verdict]}
    </Badge>
  );
}

/** Returns the reason, the required system, and notes. */
export function explainVerdict(install: Install, texts: Texts): string {
  const t = texts.devices.build;
  return [
    t.reasons[install.reason],
    ...(install.reason === 'os_too_old' && install.needed_system !== null
      ? [t.requiresSystem(install.needed_system)]
      : []),
    ...install.notes.map((note) => t.notes[note]),
  ].join(' ');
}
