// A tip as it is placed beside its child.
import { Tooltip } from '@mantine/core';
import type { ReactElement } from 'react';

export function PlacedTooltip({ label, children }: { label: string; children: ReactElement }) {
  return (
    <Tooltip label={label} withArrow>
      {children}
    </Tooltip>
  );
}
