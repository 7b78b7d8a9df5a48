// The list of keyboard shortcuts.
import { Kbd, Modal } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { useOpened } from '../components/opened.ts';
import { useTexts } from '../texts/locale.ts';

const COMMAND = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '\u2318' : 'Ctrl';

export function ShortcutsDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const t = useTexts().palette;
  const rows: [string, ReactNode][] = [
    [
      t.shortcuts.palette,
      <Fragment key="palette">
        <Kbd>{COMMAND}</Kbd> + <Kbd>K</Kbd>
      </Fragment>,
    ],
    [t.shortcuts.keys, <Kbd key="keys">?</Kbd>],
    [
      t.shortcuts.submit,
      <Fragment key="submit">
        <Kbd>{COMMAND}</Kbd> + <Kbd>Enter</Kbd>
      </Fragment>,
    ],
    [
      t.shortcuts.undo,
      <Fragment key="undo">
        <Kbd>{COMMAND}</Kbd> + <Kbd>Z</Kbd>
      </Fragment>,
    ],
    [t.shortcuts.skip, <Kbd key="skip">Tab</Kbd>],
    [
      t.shortcuts.move,
      <Fragment key="move">
        <Kbd>↑</Kbd> <Kbd>↓</Kbd> <Kbd>Enter</Kbd>
      </Fragment>,
    ],
    [t.shortcuts.close, <Kbd key="close">Esc</Kbd>],
  ];
  return (
    <Modal opened={useOpened(isOpen)} onClose={onClose} title={t.shortcutsTitle} centered>
      <dl className="tw-keys">
        {rows.map(([label, keys]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{keys}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
