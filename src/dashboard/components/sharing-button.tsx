// The button that opens the dialog for sharing a channel or build. The dialog is loaded when it is first opened.
import { Button } from '@mantine/core';
import { IconShare2 } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { useTexts } from '../texts/locale.ts';
import type { SharedTarget } from './sharing-dialog.tsx';

const SharingDialog = lazy(async () => ({ default: (await import('./sharing-dialog.tsx')).SharingDialog }));

export function SharingButton({ target }: { target: SharedTarget }) {
  const t = useTexts().sharing;
  const [isOpen, setOpen] = useState(false);
  const [isLoaded, setLoaded] = useState(false);
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconShare2 size={16} stroke={1.75} />}
        onClick={() => {
          setLoaded(true);
          setOpen(true);
        }}
      >
        {t.share}
      </Button>
      {isLoaded && (
        <Suspense>
          <SharingDialog target={target} isOpen={isOpen} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
