// A drawer for the sidebar on narrow screens.
import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../texts/languages.ts';

export function MenuDrawer({ isOpen, onClose, children }: { isOpen: boolean; onClose(): void; children: ReactNode }) {
  const t = useTexts().shell;
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      title={t.menu}
      size={288}
      className="tw-drawer"
      // A way to the page that is there already changes no address; the menu goes all the same.
      onClick={({ target }) => target instanceof Element && target.closest('a') !== null && onClose()}
    >
      {children}
    </Drawer>
  );
}
