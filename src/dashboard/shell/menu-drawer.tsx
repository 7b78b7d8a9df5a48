// The sidebar over the page, where it isn't beside it.
import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../texts/locale.ts';

export function MenuDrawer({ isOpen, onClose, children }: { isOpen: boolean; onClose(): void; children: ReactNode }) {
  const t = useTexts().shell;
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      title={t.menu}
      size={272}
      returnFocus={false}
      className="tw-drawer"
      // A link to the current page doesn't change the path, so clicks close the menu as well.
      onClick={({ target }) => target instanceof Element && target.closest('a') !== null && onClose()}
    >
      {children}
    </Drawer>
  );
}
