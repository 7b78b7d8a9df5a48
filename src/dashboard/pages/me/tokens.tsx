// The user's personal access tokens in the selected organization.
import { Button, Checkbox, Modal, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import type { Organization } from '../../../organizations/schema.ts';
import { type Scope, scopeNames, scopes } from '../../../permissions.ts';
import type { PersonalAccessToken, PersonalAccessTokenWithSecret } from '../../../tokens/personal/schema.ts';
import { useChange, useRead, useReadAll } from '../../api/hooks.ts';
import { type Expiry, ExpiryChoice, expiryDate } from '../../components/expiry-choice.tsx';
import { FormBody, useForm } from '../../components/form.tsx';
import { OneTimeSecretDialog } from '../../components/one-time-secret.tsx';
import { QueryContent, RowsSkeleton, Section } from '../../components/page.tsx';
import { TokenRow } from '../../components/token-row.tsx';
import type { Texts } from '../../texts/en.ts';
import { useTexts } from '../../texts/locale.ts';

/** JSON numbers lose digits of the value of `scopes` for all of them, but it stays larger than any sum. */
type Token = Omit<PersonalAccessToken, 'scopes'> & { scopes: number };
type WithSecret = Token & Pick<PersonalAccessTokenWithSecret, 'token'>;

const SUM_OF_ALL = scopeNames.reduce((sum, scope) => sum + Number(scopes[scope]), 0);

export function TokensSection({ organization }: { organization: Organization }) {
  const t = useTexts().account.tokens;
  const query = { organization_id: organization.identifier };
  const tokens = useReadAll<Token>('/pats', { query });
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string>();
  return (
    <Section
      id="tokens"
      title={t.title}
      hint={t.hint(organization.name)}
      actions={
        <Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
          {t.create}
        </Button>
      }
    >
      <QueryContent read={tokens} loading={<RowsSkeleton rows={1} picture={28} hasCaption />}>
        {(rows) =>
          rows.length === 0 ? (
            <Text size="sm" c="dimmed">
              {t.none}
            </Text>
          ) : (
            <ul className="tw-list">
              {rows.map((token) => (
                <TokenRow
                  key={token.identifier}
                  token={token}
                  collection="/pats"
                  query={query}
                  may={describeScopes(token.scopes, t)}
                  onSecret={setSecret}
                />
              ))}
            </ul>
          )
        }
      </QueryContent>
      <Modal opened={isCreating} onClose={() => setCreating(false)} title={t.create} centered>
        {isCreating && (
          <NewToken
            organizationId={organization.identifier}
            onCreated={(token) => {
              setCreating(false);
              setSecret(token);
            }}
          />
        )}
      </Modal>
      <OneTimeSecretDialog title={t.secretTitle} secret={secret} onClose={() => setSecret(undefined)}>
        <Text size="sm">{t.secretText}</Text>
      </OneTimeSecretDialog>
    </Section>
  );
}

function NewToken({ organizationId, onCreated }: { organizationId: string; onCreated(token: string): void }) {
  const texts = useTexts();
  const t = texts.account.tokens;
  const query = { organization_id: organizationId };
  const grantable = useRead<{ scopes: Record<string, boolean> }>('/pats/grantable-scopes', { query });
  const create = useChange((api, body: object) => api.send<WithSecret>('POST', '/pats', { query, body }), ['/pats']);
  const form = useForm({
    values: { name: '', scopes: ['read'] as Scope[], expires_at: { kind: 'days', days: 90 } as Expiry },
    async submit({ name, scopes: chosen, expires_at: expiry }) {
      const sum = chosen.reduce((total, scope) => total + Number(scopes[scope]), 0);
      const created = await create.mutateAsync({ name, scopes: sum, expires_at: expiryDate(expiry) });
      onCreated(created.token);
    },
  });
  return (
    <FormBody form={form} submit={texts.common.create} isDisabled={form.values.scopes.length === 0}>
      <TextInput label={t.name} description={t.nameHint} data-autofocus {...form.text('name')} />
      <Checkbox.Group
        label={t.scopes}
        value={form.values.scopes}
        error={form.errors.scopes}
        onChange={(chosen) =>
          form.set(
            'scopes',
            scopeNames.filter((scope) => chosen.includes(scope)),
          )
        }
      >
        <Stack gap={6} mt={6}>
          {scopeNames.map((scope) => (
            <Checkbox
              key={scope}
              value={scope}
              label={t.scopeNames[scope]}
              disabled={grantable.data?.scopes[scope] === false}
            />
          ))}
        </Stack>
      </Checkbox.Group>
      <ExpiryChoice
        value={form.values.expires_at}
        error={form.errors.expires_at}
        onChange={(expiry) => form.set('expires_at', expiry)}
      />
    </FormBody>
  );
}

function describeScopes(sum: number, { allScopes: everything, scopeNames: names }: Texts['account']['tokens']): string {
  if (sum > SUM_OF_ALL) return everything;
  return scopeNames
    .filter((scope) => sum & Number(scopes[scope]))
    .map((scope) => names[scope])
    .join(', ');
}
