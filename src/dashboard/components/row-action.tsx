// An action of a row: a button with its name, and an icon where rows are narrow.
import { Button, type ButtonProps } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';

interface RowActionProps extends Pick<ButtonProps, 'variant' | 'color' | 'loading' | 'disabled'> {
  icon: Icon;
  /** The shown name. */
  children: string;
  /** The accessible name, which also names the row. */
  label: string;
  onClick(): void;
}

export function RowAction({ icon: RowIcon, children, label, variant = 'subtle', ...rest }: RowActionProps) {
  return (
    <Button size="compact-sm" variant={variant} className="tw-row-action" aria-label={label} title={children} {...rest}>
      <RowIcon size={18} stroke={1.75} aria-hidden />
      <span className="tw-row-action-name">{children}</span>
    </Button>
  );
}
