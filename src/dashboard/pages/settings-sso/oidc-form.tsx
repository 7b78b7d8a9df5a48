// The form for an OpenID Connect provider.
import { PasswordInput, Switch, TextInput } from '@mantine/core';
import type { SsoConfiguration } from '../../../sso/schema.ts';
import { useChange } from '../../api/hooks.ts';
import { FormBody, useForm } from '../../components/form.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { useTexts } from '../../texts/locale.ts';
import { explainPlan, useSsoPath } from './sso.ts';

interface OidcFormProps {
  connection: SsoConfiguration | undefined;
  onDone(): void;
}

export function OidcForm({ connection, onDone }: OidcFormProps) {
  const texts = useTexts();
  const t = texts.sso.identityProvider;
  const path = useSsoPath();
  const current = connection?.oidc ?? undefined;
  const save = useChange((api, body: object) => api.send('PUT', path, { body }), [path]);
  const form = useForm({
    values: {
      issuer: current?.issuer ?? '',
      client_id: current?.client_id ?? '',
      client_secret: '',
      scopes: current?.scopes.join(' ') ?? 'openid email profile',
      email_claim: current?.email_claim ?? 'email',
      name_claim: current?.name_claim ?? 'name',
      accept_unverified_email: current?.accept_unverified_email ?? false,
    },
    async submit({ client_secret: secret, scopes, ...values }) {
      const oidc = {
        ...values,
        client_authentication: current?.client_authentication ?? null,
        scopes: scopes.split(/\s+/).filter((scope) => scope !== ''),
        ...(secret === '' ? {} : { client_secret: secret }),
      };
      await save.mutateAsync({ oidc }).catch((error: unknown) => {
        throw explainPlan(error, texts);
      });
      showSuccess(texts.common.saved);
    },
    onDone,
  });
  return (
    <FormBody form={form} submit={texts.common.save}>
      <TextInput
        label={t.issuer}
        description={t.issuerHint}
        type="url"
        inputMode="url"
        placeholder="https://login.example.com/tenant"
        autoComplete="off"
        {...form.text('issuer')}
      />
      <TextInput label={t.clientId} autoComplete="off" spellCheck={false} {...form.text('client_id')} />
      <PasswordInput
        label={t.clientSecret}
        description={current === undefined ? undefined : t.clientSecretKept}
        autoComplete="new-password"
        {...form.text('client_secret')}
      />
      <TextInput label={t.scopes} autoComplete="off" spellCheck={false} {...form.text('scopes')} />
      <TextInput label={t.emailClaim} autoComplete="off" spellCheck={false} {...form.text('email_claim')} />
      <TextInput label={t.nameClaim} autoComplete="off" spellCheck={false} {...form.text('name_claim')} />
      <Switch
        label={t.acceptUnverified}
        description={t.acceptUnverifiedHint}
        {...form.checked('accept_unverified_email')}
      />
    </FormBody>
  );
}
