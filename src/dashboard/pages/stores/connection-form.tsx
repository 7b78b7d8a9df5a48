// Adds or edits a store connection. Saved credentials are never shown, and are replaced only if new ones are entered.

import { Button, Group, SegmentedControl, Textarea, TextInput } from '@mantine/core';
import { IconFile } from '@tabler/icons-react';
import { useState } from 'react';
import { storeProviders } from '../../../lib/store-providers.ts';
import type { Connection } from '../../../stores/schema.ts';
import { ApiError, OWN_TEXT } from '../../api/errors.ts';
import { useChange } from '../../api/hooks.ts';
import { FileButton } from '../../components/file-button.tsx';
import { changedFields, FormBody, useForm } from '../../components/form.tsx';
import { connectionsPath, explainStoreError } from '../../components/stores.ts';
import { useOrganization } from '../../shell/current-user.ts';
import { useServerInfo } from '../../shell/server-info.ts';
import type { Texts } from '../../texts/en.ts';
import { useTexts } from '../../texts/locale.ts';

type Provider = Connection['provider'];

/** The largest file that is read: no key of a store is as large. */
const MAX_FILE_BYTES = 16_384;

type StoreText =
  | 'privateKey'
  | 'serviceAccount'
  | 'keyId'
  | 'keyIdHint'
  | 'issuerId'
  | 'issuerIdHint'
  | 'packageName'
  | 'packageHint';

interface ProviderFacts {
  /** The field of the key, its label, and the kind of file that contains it. */
  secret: { name: 'private_key' | 'service_account_json'; label: StoreText; accept: string };
  /** The other fields, in their order. Optional ones are saved as null if they're empty. */
  fields: readonly {
    name: 'key_id' | 'issuer_id' | 'package_name';
    label: StoreText;
    hint: StoreText;
    isOptional?: true;
  }[];
}

const providers: Record<Provider, ProviderFacts> = {
  app_store_connect: {
    secret: { name: 'private_key', label: 'privateKey', accept: '.p8' },
    fields: [
      { name: 'key_id', label: 'keyId', hint: 'keyIdHint' },
      { name: 'issuer_id', label: 'issuerId', hint: 'issuerIdHint', isOptional: true },
    ],
  },
  google_play: {
    secret: { name: 'service_account_json', label: 'serviceAccount', accept: '.json,application/json' },
    fields: [{ name: 'package_name', label: 'packageName', hint: 'packageHint', isOptional: true }],
  },
};

interface Values {
  name: string;
  key_id: string;
  issuer_id: string;
  private_key: string;
  service_account_json: string;
  package_name: string;
}

interface ConnectionFormProps {
  /** If undefined, a new one is created. */
  connection?: Connection;
  onDone(saved: Connection): void;
}

export function ConnectionForm({ connection, onDone }: ConnectionFormProps) {
  const texts = useTexts();
  const t = texts.stores;
  const { base } = useServerInfo();
  const query = { organization_id: useOrganization().identifier };
  const [provider, setProvider] = useState<Provider>(connection?.provider ?? 'app_store_connect');
  const save = useChange(
    (api, body: object) =>
      connection === undefined
        ? api.send<Connection>('POST', connectionsPath, { query, body })
        : api.send<Connection>('PATCH', `${connectionsPath}/${connection.identifier}`, { body }),
    // A key of another account changes the states of devices.
    [connectionsPath, '/devices', '/builds'],
  );
  const form = useForm<Values>({
    values: {
      name: connection?.name ?? '',
      key_id: connection?.key_id ?? '',
      issuer_id: connection?.issuer_id ?? '',
      private_key: '',
      service_account_json: '',
      package_name: connection?.package_name ?? '',
    },
    async submit(values, saved) {
      const body = connection === undefined ? createBody(provider, values) : changeBody(provider, values, saved);
      const connected = await save.mutateAsync(body).catch((error: unknown) => {
        throw withFieldTexts(explainStoreError(error, texts), t);
      });
      onDone(connected);
    },
  });
  const plain = { autoComplete: 'off', spellCheck: false, autoCapitalize: 'none' } as const;
  return (
    <FormBody form={form} submit={connection === undefined ? t.connect : texts.common.save}>
      {connection === undefined && (
        <div>
          <SegmentedControl
            aria-label={t.provider}
            value={provider}
            onChange={(value) => setProvider(value as Provider)}
            data={storeProviders.map((value) => ({
              value,
              label: t.providers[value],
            }))}
          />
        </div>
      )}
      <TextInput label={texts.devices.name} data-autofocus autoComplete="off" {...form.text('name')} />
      <SecretField key={provider} form={form} provider={provider} isSaved={connection !== undefined} />
      {providers[provider].fields.map(({ name, label, hint, isOptional }) => (
        <TextInput
          key={name}
          label={isOptional ? `${t[label]} (${texts.common.optional})` : t[label]}
          {...plain}
          {...form.text(name, t[hint])}
        />
      ))}
      <a href={`${base}/docs/stores.html`} target="_blank" rel="noreferrer" className="tw-link tw-small">
        {t.guide}
      </a>
    </FormBody>
  );
}

/** Returns the fields without the secret. */
function fieldsOf(provider: Provider, values: Values): Record<string, string | null> {
  const entries = providers[provider].fields.map(({ name, isOptional }) => {
    const value = values[name].trim();
    return [name, value === '' && isOptional ? null : value] as const;
  });
  return { name: values.name.trim(), ...Object.fromEntries(entries) };
}

function createBody(provider: Provider, values: Values): object {
  const { name: secret } = providers[provider].secret;
  return { provider, ...fieldsOf(provider, values), [secret]: values[secret] };
}

/** Returns the fields that changed. The server would validate unchanged ones again, too, but sends nothing for a new name. */
function changeBody(provider: Provider, values: Values, saved: Values): object {
  const { name: secret } = providers[provider].secret;
  const changed = changedFields<object>(fieldsOf(provider, values), fieldsOf(provider, saved));
  return values[secret].trim() === '' ? changed : { ...changed, [secret]: values[secret] };
}

/**
 * Returns the error with our texts, in the user's language: at the field of an unknown package, and about fields inside of the file of
 * a service account, which the form doesn't show.
 */
function withFieldTexts(error: unknown, t: Texts['stores']): unknown {
  if (!(error instanceof ApiError)) return error;
  const isUnknown = error.details.code === 'package_unknown';
  const errors = error.fields.map(({ field, type, message }) => {
    const [name, inner] = field.split('.');
    const ownText = inner === undefined ? undefined : t.accountField(inner);
    const msg = isUnknown ? t.failures.package_unknown.title : name === 'service_account_json' ? ownText : undefined;
    return { type: msg === undefined ? type : OWN_TEXT, loc: ['body', name], msg: msg ?? message };
  });
  if (errors.length === 0) return error;
  return new ApiError(
    error.status,
    { error: error.code, message: error.message, details: { ...error.details, errors } },
    new Headers(error.requestId === null ? {} : { 'x-request-id': error.requestId }),
  );
}

interface SecretFieldProps {
  form: ReturnType<typeof useForm<Values>>;
  provider: Provider;
  /** Whether there is a saved secret, which stays if the field is empty. */
  isSaved: boolean;
}

/** The content of a key file, chosen or pasted. A chosen file is shown by its name. Apple's contains the id of the key. */
function SecretField({ form, provider, isSaved }: SecretFieldProps) {
  const texts = useTexts();
  const t = texts.stores;
  const { name: field, label, accept } = providers[provider].secret;
  const [fileName, setFileName] = useState<string>();
  const [isTooLarge, setTooLarge] = useState(false);
  async function read(file: File | undefined): Promise<void> {
    if (file === undefined) return;
    setTooLarge(file.size > MAX_FILE_BYTES);
    if (file.size > MAX_FILE_BYTES) return;
    form.set(field, await file.text());
    setFileName(file.name);
    const keyId = /^AuthKey_([A-Za-z0-9]{10})\.p8$/.exec(file.name)?.[1];
    if (keyId !== undefined) form.set('key_id', keyId);
  }
  function clear(): void {
    form.set(field, '');
    setFileName(undefined);
    setTooLarge(false);
  }
  const { error, onChange, ...rest } = form.text(field);
  return (
    <div>
      {fileName === undefined ? (
        <Textarea
          label={t[label]}
          description={isSaved ? t.keepHint : t.pasteHint}
          autosize
          minRows={3}
          maxRows={6}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          classNames={{ input: 'tw-code-field' }}
          {...rest}
          onChange={(event) => {
            setTooLarge(false);
            onChange(event);
          }}
          error={isTooLarge ? t.tooLarge : error}
        />
      ) : (
        <TextInput
          label={t[label]}
          name={field}
          value={fileName}
          readOnly
          leftSection={<IconFile size={14} aria-hidden />}
          error={isTooLarge ? t.tooLarge : error}
        />
      )}
      <Group gap="sm" mt={6}>
        <FileButton
          label={t.chooseFile}
          accept={accept}
          variant="default"
          size="xs"
          onFiles={([file]) => void read(file)}
        />
        {fileName !== undefined && (
          <Button variant="subtle" color="gray" size="xs" onClick={clear}>
            {texts.common.remove}
          </Button>
        )}
      </Group>
    </div>
  );
}
