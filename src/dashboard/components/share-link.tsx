// Links that users have to send themselves on servers that don't send email.
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useServerInfo } from '../shell/server-info.ts';
import { useTexts } from '../texts/locale.ts';
import { Copyable } from './copy.tsx';
import { LocalLinkHint } from './local-link.tsx';
import { QrCode } from './qr-code.tsx';
import { VerifyHint } from './verify-hint.tsx';

interface ShareLinkProps {
  title: string;
  /** Who can use the link, and when it expires. */
  children: ReactNode;
  /** Undefined while the dialog is closed. */
  link: string | undefined;
  /** The name of the link. */
  what: string;
  onClose(): void;
}

/** A dialog with a link and its QR code. */
export function ShareLink({ title, children, link, what, onClose }: ShareLinkProps) {
  const t = useTexts().common;
  return (
    <Modal opened={link !== undefined} onClose={onClose} title={title} centered size="lg">
      {link !== undefined && (
        <Stack>
          <Text>{children}</Text>
          <Copyable text={link} what={what} />
          <div className="tw-qr-sheet">
            <QrCode text={link} label={t.qrCodeOf(what)} />
            <LocalLinkHint link={link} />
          </div>
          <Group justify="flex-end">
            <Button onClick={onClose}>{t.done}</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}

/** Returns the URL of the sign-up page as other devices reach it. */
function useSignUpLink(): string {
  const { base, origin } = useServerInfo();
  return `${origin === '' ? location.origin : origin}${base}/sign-up`;
}

/** The sign-up link for people without an account. Renders nothing if the server emails them. */
export function SignUpLink() {
  const texts = useTexts();
  const t = texts.testers;
  const { sendsMail } = useServerInfo();
  const link = useSignUpLink();
  const [isQrShown, setQrShown] = useState(false);
  if (sendsMail) return null;
  return (
    <div>
      <Text size="xs" c="dimmed">
        {t.signUpHint}
      </Text>
      <div className="tw-row tw-wrap">
        <Copyable text={link} what={t.signUpLink} />
        <Button
          size="compact-sm"
          variant="default"
          aria-expanded={isQrShown}
          onClick={() => setQrShown((isShown) => !isShown)}
        >
          {isQrShown ? texts.common.hideQrCode : texts.common.showQrCode}
        </Button>
      </div>
      {isQrShown && (
        <>
          <QrCode text={link} label={texts.common.qrCodeOf(t.signUpLink)} />
          <LocalLinkHint link={link} />
        </>
      )}
      <VerifyHint />
    </div>
  );
}
