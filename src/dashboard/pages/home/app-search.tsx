// The field that finds apps by name. Organizations with few apps don't have it, so it's loaded on demand.
import { TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useTexts } from '../../texts/locale.ts';

export function AppSearch({ value, onChange }: { value: string; onChange(value: string): void }) {
  const t = useTexts().home.apps;
  return (
    <TextInput
      type="search"
      size="xs"
      className="tw-apps-search"
      aria-label={t.search}
      placeholder={t.search}
      leftSection={<IconSearch size={14} aria-hidden />}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
