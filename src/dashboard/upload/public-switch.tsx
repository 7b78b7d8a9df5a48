// Whether anyone with the link can install from the first channel of a new project.
import { Switch } from '@mantine/core';
import { useTexts } from '../texts/locale.ts';

export function PublicSwitch({ isPublic, onChange }: { isPublic: boolean; onChange(isPublic: boolean): void }) {
  const t = useTexts().adding;
  return (
    <Switch
      label={t.publicSwitch}
      description={isPublic ? t.publicHint : t.privateHint}
      checked={isPublic}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}
