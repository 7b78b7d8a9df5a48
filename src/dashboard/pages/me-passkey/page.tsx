// Offers a passkey after the first install, and returns to the page that offered it.
import { Button, Group, Text } from '@mantine/core';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { useChange } from '../../api/hooks.ts';
import { hasPasskeys } from '../../api/passkeys.ts';
import { ErrorAlert } from '../../components/errors.tsx';
import { PageHeader, Section } from '../../components/page.tsx';
import { isServerPath, readReturnPath } from '../../shell/return-path.ts';
import { useTexts } from '../../texts/locale.ts';
import { AddForm } from '../me/passkeys.tsx';

export function Page() {
  const t = useTexts().account.passkeyOffer;
  const unavailable = useTexts().account.passkeys.unavailable;
  const router = useRouter();
  const navigate = useNavigate();
  const close = useChange((api) => api.send('POST', '/passkeys/offer/close'), ['/mfa']);

  /** Ends the offer and goes back. */
  async function leave(): Promise<void> {
    await close.mutateAsync(undefined);
    const back = readReturnPath(location.search);
    if (!isServerPath(back)) await navigate({ href: back === '/' ? '/my-apps' : back });
    else location.assign(router.options.basepath === '/' ? back : router.options.basepath + back);
  }

  return (
    <>
      <PageHeader title={t.title} hint={t.hint} />
      <div className="tw-settings">
        <div>
          <Section title={t.add}>
            {hasPasskeys() ? (
              <AddForm onDone={() => void leave().catch(() => undefined)} />
            ) : (
              <Text size="sm">{unavailable}</Text>
            )}
            {close.error !== null && <ErrorAlert error={close.error} />}
            <Group justify="flex-end">
              <Button variant="default" loading={close.isPending} onClick={() => void leave().catch(() => undefined)}>
                {t.decline}
              </Button>
            </Group>
          </Section>
        </div>
      </div>
    </>
  );
}
