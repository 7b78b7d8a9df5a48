// The positioned tooltip, in a module of its own so that it can be loaded later.
import { Tooltip } from '@mantine/core';
import type { ReactElement } from 'react';

export function PlacedTooltip({ label, children }: { label: string; children: ReactElement }) {
  return (
    <Tooltip label={label} withArrow>
      {children}
    </Tooltip>
  );
}
