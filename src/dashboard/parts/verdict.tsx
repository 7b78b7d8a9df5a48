// Whether a device can install a build, in one badge, and why, in words.
import { Badge } from '@mantine/core';
import type { BuildDevice } from '../../builds/device-schema.ts';
import type { Texts } from '../texts/en.ts';
import { useTexts } from '../texts/languages.ts';

type Install = BuildDevice['install'];

const colors = { yes: 'green', no: 'red', unknown: 'yellow' } as const;

/** The badge. */
export function VerdictBadge({ install }: { install: Install }) {
  const t = useTexts().devices.build;
  return (
    <Badge color={colors[install.verdict]} variant="light">
      {t.verdicts[install.verdict]}
    </Badge>
  );
}

/** The reason, what it would need, and what to know although it installs. */
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
