// A button below a list that shows the rest of it.
import { UnstyledButton } from '@mantine/core';

export function ShowAll({ label, onClick }: { label: string; onClick(): void }) {
  return (
    <UnstyledButton className="tw-link tw-show-all" onClick={onClick}>
      {label}
    </UnstyledButton>
  );
}
