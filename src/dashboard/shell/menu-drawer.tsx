// The sidebar on a narrow screen: over the page, when it is asked for.
import { Drawer } from '@mantine/core';
import { useTexts } from '../texts/languages.ts';
import { Sidebar } from './sidebar.tsx';

export function MenuDrawer({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
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
      <Sidebar />
    </Drawer>
  );
}
