// The form that requests an own container.
import { Button, PasswordInput, TextInput } from '@mantine/core';
import type { OnboardingRequest } from '../../../byosa/schema.ts';
import { useChange } from '../../api/hooks.ts';
import { FormBody, useForm } from '../../components/form.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { useTexts } from '../../texts/locale.ts';
import { useByosaPath } from './storage.ts';

export function RequestForm({ request, onDone }: { request: OnboardingRequest | null; onDone(): void }) {
  const texts = useTexts();
  const t = texts.storage;
  const path = useByosaPath();
  const send = useChange((api, body: object) => api.send('POST', `${path}/onboarding-request`, { body }), [path]);
  const form = useForm({
    values: {
      tenant_id: request?.tenant_id ?? '',
      client_id: request?.client_id ?? '',
      storage_account: request?.storage_account ?? '',
      container: request?.container ?? '',
      client_secret: '',
    },
    async submit({ client_secret: secret, ...values }) {
      // Empty fields are missing ones.
      const given = Object.entries(values).flatMap(([name, value]) =>
        value.trim() === '' ? [] : [[name, value.trim()]],
      );
      await send.mutateAsync({
        ...Object.fromEntries(given),
        ...(secret === '' ? {} : { client_secret: secret.trim() }),
      });
      showSuccess(t.sent);
    },
    onDone,
  });
  const plain = { autoComplete: 'off', spellCheck: false, autoCapitalize: 'none' } as const;
  return (
    <FormBody
      form={form}
      submit={t.send}
      aside={
        <Button variant="default" onClick={onDone}>
          {texts.common.cancel}
        </Button>
      }
    >
      <TextInput label={t.tenantId} description={t.tenantHint} {...plain} {...form.text('tenant_id')} />
      <TextInput label={t.clientId} description={t.clientHint} {...plain} {...form.text('client_id')} />
      <TextInput label={t.account} description={t.accountHint} {...plain} {...form.text('storage_account')} />
      <TextInput label={t.containerName} description={t.containerHint} {...plain} {...form.text('container')} />
      <PasswordInput
        label={t.secret}
        description={t.secretHint}
        autoComplete="new-password"
        {...form.text('client_secret')}
      />
    </FormBody>
  );
}
