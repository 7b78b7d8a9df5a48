// Passkeys: add one, rename it, remove it.
import { Button, Modal, Text, TextInput } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { useState } from 'react';
import type { Passkey, RegistrationBegin } from '../../../second-factors/schema.ts';
import { useApi, useChange, useReadAll } from '../../api/api-context.ts';
import { hasPasskeys, makePasskey } from '../../api/passkeys.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { FormBody, useForm } from '../../parts/form.tsx';
import { Loading, Section, Shown } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Time } from '../../parts/time.tsx';
import { sayDone } from '../../parts/toasts.ts';
import { useTexts } from '../../texts/languages.ts';

const touched = ['/passkeys', '/mfa'];

export function PasskeysSection() {
  const t = useTexts().account.passkeys;
  const passkeys = useReadAll<Passkey>('/passkeys');
  return (
    <Section title={t.title} hint={t.hint} actions={hasPasskeys() ? <AddPasskey /> : null}>
      {!hasPasskeys() && <Text size="sm">{t.unavailable}</Text>}
      <Shown read={passkeys} loading={<Loading rows={1} height={48} />}>
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
      </Shown>
    </Section>
  );
}

function AddPasskey() {
  const t = useTexts().account.passkeys;
  const api = useApi();
  const [error, setError] = useState<unknown>();
  const finish = useChange(
    (client, body: object) => client.send('POST', '/passkeys/register/finish', { body }),
    touched,
  );
  async function add(): Promise<void> {
    setError(undefined);
    try {
      const { challenge_id, options } = await api.send<RegistrationBegin>('POST', '/passkeys/register/begin');
      const credential = await makePasskey(options);
      if (credential === undefined) return;
      await finish.mutateAsync({ challenge_id, credential, name: t.defaultName(new Date().toLocaleDateString()) });
      sayDone(t.added);
    } catch (thrown) {
      setError(thrown);
    }
  }
  return (
    <>
      <Button leftSection={<IconFingerprint size={16} />} loading={finish.isPending} onClick={() => void add()}>
        {t.add}
      </Button>
      {error !== undefined && <Problem error={error} />}
    </>
  );
}

function Row({ passkey }: { passkey: Passkey }) {
  const texts = useTexts();
  const t = texts.account.passkeys;
  const [dialog, setDialog] = useState<'rename' | 'remove'>();
  const close = () => setDialog(undefined);
  const path = `/passkeys/${passkey.identifier}`;
  const remove = useChange((api) => api.send('DELETE', path), touched);
  return (
    <li>
      <IconFingerprint size={20} aria-hidden />
      <div className="tw-grow">
        <div className="tw-strong">{passkey.name}</div>
        <div className="tw-small">
          {t.created} <Time at={passkey.created_at} />
          {passkey.last_used_at !== null && (
            <>
              {' · '}
              {t.used} <Time at={passkey.last_used_at} />
            </>
          )}
        </div>
      </div>
      <Button size="compact-sm" variant="default" onClick={() => setDialog('rename')}>
        {t.rename}
      </Button>
      <Button size="compact-sm" variant="subtle" color="red" onClick={() => setDialog('remove')}>
        {texts.common.remove}
      </Button>
      <Modal opened={dialog === 'rename'} onClose={close} title={t.rename} centered>
        {dialog === 'rename' && <RenameForm passkey={passkey} onDone={close} />}
      </Modal>
      <Confirm
        isOpen={dialog === 'remove'}
        title={t.removeTitle(passkey.name)}
        action={texts.common.remove}
        onClose={close}
        onConfirm={() => remove.mutateAsync(undefined)}
      >
        {t.removeEffect}
      </Confirm>
    </li>
  );
}

function RenameForm({ passkey, onDone }: { passkey: Passkey; onDone(): void }) {
  const texts = useTexts();
  const rename = useChange(
    (api, body: object) => api.send('PATCH', `/passkeys/${passkey.identifier}`, { body }),
    touched,
  );
  const form = useForm({
    values: { name: passkey.name },
    async submit(body) {
      await rename.mutateAsync(body);
      onDone();
    },
  });
  return (
    <FormBody form={form} submit={texts.common.save}>
      <TextInput label={texts.account.passkeys.name} data-autofocus {...form.text('name')} />
    </FormBody>
  );
}
