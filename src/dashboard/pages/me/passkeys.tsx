// The user's passkeys.
import { Badge, Button, Modal, Stack, Text } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { useState } from 'react';
import type { Passkey, RegistrationBegin } from '../../../second-factors/schema.ts';
import { useApi, useChange, useReadAll } from '../../api/hooks.ts';
import { createPasskey, hasPasskeys } from '../../api/passkeys.ts';
import { ErrorAlert } from '../../components/errors.tsx';
import { QueryContent, RowsSkeleton, Section } from '../../components/page.tsx';
import { StepUpForm } from '../../components/step-up.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { formatDay } from '../../components/times.ts';
import { showSuccess } from '../../components/toasts.ts';
import { useLocale, useTexts } from '../../texts/locale.ts';

const touched = ['/passkeys', '/mfa'];

export function PasskeysSection() {
  const t = useTexts().account.passkeys;
  const passkeys = useReadAll<Passkey>('/passkeys');
  return (
    <Section id="passkeys" title={t.title} hint={t.hint} actions={hasPasskeys() ? <AddPasskey /> : null}>
      {!hasPasskeys() && <Text size="sm">{t.unavailable}</Text>}
      <QueryContent read={passkeys} loading={<RowsSkeleton rows={1} picture={28} hasCaption />}>
        {(rows) =>
          rows.length === 0 ? (
            <Text size="sm" c="dimmed">
              {t.none}
            </Text>
          ) : (
            <ul className="tw-list">
              {rows.map((passkey) => (
                <Row key={passkey.identifier} passkey={passkey} />
              ))}
            </ul>
          )
        }
      </QueryContent>
    </Section>
  );
}

function AddPasskey() {
  const t = useTexts().account.passkeys;
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button variant="default" leftSection={<IconFingerprint size={16} />} onClick={() => setOpen(true)}>
        {t.add}
      </Button>
      <Modal opened={isOpen} onClose={close} title={t.add} centered>
        {isOpen && <AddForm onDone={close} />}
      </Modal>
    </>
  );
}

/** Step-up first, then the browser creates the passkey. If it fails, the user can retry without another step-up. */
export function AddForm({ onDone }: { onDone(): void }) {
  const { language, texts } = useLocale();
  const t = texts.account.passkeys;
  const api = useApi();
  const [begun, setBegun] = useState<RegistrationBegin>();
  const [error, setError] = useState<unknown>();
  const [isCanceled, setCanceled] = useState(false);
  const finish = useChange(
    (client, body: object) => client.send('POST', '/passkeys/register/finish', { body }),
    touched,
  );
  async function create({ challenge_id, options }: RegistrationBegin): Promise<void> {
    setError(undefined);
    setCanceled(false);
    try {
      const credential = await createPasskey(options);
      if (credential === undefined) {
        setCanceled(true);
        return;
      }
      await finish.mutateAsync({ challenge_id, credential, name: t.defaultName(formatDay(Date.now(), language)) });
      showSuccess(t.added);
      onDone();
    } catch (thrown) {
      setError(thrown);
    }
  }
  if (begun === undefined) {
    return (
      <Stack>
        <Text size="sm">{t.addHint}</Text>
        <StepUpForm
          action={t.continue}
          isHarmless
          onSubmit={async (body) => {
            const answer = await api.send<RegistrationBegin>('POST', '/passkeys/register/begin', { body });
            setBegun(answer);
            await create(answer);
          }}
        />
      </Stack>
    );
  }
  return (
    <Stack>
      <Text size="sm">{t.createHint}</Text>
      {isCanceled && (
        <Text size="sm" role="alert">
          {t.canceled}
        </Text>
      )}
      {error !== undefined && <ErrorAlert error={error} />}
      <Button loading={finish.isPending} onClick={() => void create(begun)}>
        {t.create}
      </Button>
    </Stack>
  );
}

function Row({ passkey }: { passkey: Passkey }) {
  const texts = useTexts();
  const t = texts.account.passkeys;
  const [dialog, setDialog] = useState<'rename' | 'remove'>();
  const close = () => setDialog(undefined);
  const path = `/passkeys/${passkey.identifier}`;
  const remove = useChange((api, body: object) => api.send('DELETE', path, { body }), touched);
  const rename = useChange((api, body: object) => api.send('PATCH', path, { body }), touched);
  return (
    <li>
      <span className="tw-tone">
        <IconFingerprint size={16} stroke={1.75} aria-hidden />
      </span>
      <div className="tw-grow">
        <div className="tw-strong">
          {passkey.name} {passkey.suspended && <Badge color="orange">{t.suspended}</Badge>}
        </div>
        {passkey.suspended && <div className="tw-small">{t.suspendedHint}</div>}
        <div className="tw-small">
          {t.created} <RelativeTime at={passkey.created_at} />
          {passkey.last_used_at !== null && (
            <>
              {' · '}
              {t.lastUsed} <RelativeTime at={passkey.last_used_at} />
            </>
          )}
        </div>
      </div>
      <div className="tw-row-end">
        <Button size="compact-sm" variant="default" onClick={() => setDialog('rename')}>
          {t.rename}
        </Button>
        <Button size="compact-sm" variant="subtle" color="red" onClick={() => setDialog('remove')}>
          {texts.common.remove}
        </Button>
      </div>
      <Modal opened={dialog === 'rename'} onClose={close} title={t.rename} centered>
        {dialog === 'rename' && (
          <StepUpForm
            action={texts.common.save}
            field={{ name: 'name', label: t.name, value: passkey.name }}
            isHarmless
            onSubmit={async (body) => {
              await rename.mutateAsync(body);
              close();
            }}
          />
        )}
      </Modal>
      <Modal opened={dialog === 'remove'} onClose={close} title={t.removeTitle(passkey.name)} centered>
        {dialog === 'remove' && (
          <Stack>
            <Text size="sm">{t.removeEffect}</Text>
            <StepUpForm
              action={texts.common.remove}
              onSubmit={async (body) => {
                await remove.mutateAsync(body);
                close();
              }}
            />
          </Stack>
        )}
      </Modal>
    </li>
  );
}
