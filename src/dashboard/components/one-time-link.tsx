// A dialog for a link that is shown only once, with its QR code.
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { LocalLinkHint } from './local-link.tsx';
import { OneTimeSecretDialog } from './one-time-secret.tsx';
import { QrCode } from './qr-code.tsx';

interface LinkProps {
  title: string;
  /** Who can use the link. */
  children: ReactNode;
  /** Undefined while the dialog is closed. */
  link: string | undefined;
  qrLabel: string;
  /** Shown below the link: what else to do with it. */
  use?: ReactNode;
  onClose(): void;
}

export function OneTimeLinkDialog({ title, children, link, qrLabel, use, onClose }: LinkProps) {
  return (
    <OneTimeSecretDialog title={title} secret={link} use={use} onClose={onClose}>
      <Text>{children}</Text>
      {link !== undefined && (
        <div className="tw-qr-sheet">
          <QrCode text={link} label={qrLabel} />
          <LocalLinkHint link={link} />
        </div>
      )}
    </OneTimeSecretDialog>
  );
}
