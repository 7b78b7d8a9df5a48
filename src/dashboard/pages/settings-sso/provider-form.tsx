// The form for the identity provider.
import { Alert, SegmentedControl, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { SsoConfiguration } from '../../../sso/schema.ts';
import { useChange } from '../../api/hooks.ts';
import { FileButton } from '../../components/file-button.tsx';
import { FormBody, useForm } from '../../components/form.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { useTexts } from '../../texts/locale.ts';
import { splitCertificates } from './parse-input.ts';
import { explainPlan, useSsoPath } from './sso.ts';

interface ProviderFormProps {
  connection: SsoConfiguration | undefined;
  onDone(): void;
}

export function ProviderForm({ connection, onDone }: ProviderFormProps) {
  const texts = useTexts();
  const t = texts.sso.identityProvider;
  const path = useSsoPath();
  const [kind, setKind] = useState<'metadata' | 'fields'>('metadata');
  const save = useChange((api, body: object) => api.send('PUT', path, { body }), [path]);
  const form = useForm({
    values: {
      metadata_xml: '',
      entity_id: connection?.entity_id ?? '',
      sso_url: connection?.sso_url ?? '',
      slo_url: connection?.slo_url ?? '',
      certificates: connection?.certificates.join('\n') ?? '',
    },
    async submit({ metadata_xml, entity_id, sso_url, slo_url: sloUrl, certificates }) {
      const fields = {
        entity_id,
        sso_url,
        slo_url: sloUrl.trim() === '' ? null : sloUrl,
        certificates: splitCertificates(certificates),
      };
      await save.mutateAsync(kind === 'metadata' ? { metadata_xml } : fields).catch((error: unknown) => {
        throw explainPlan(error, texts);
      });
      showSuccess(texts.common.saved);
    },
    onDone,
  });
  const address = /^\s*(https?:\/\/\S+)\s*$/.exec(form.values.metadata_xml)?.[1];
  return (
    <FormBody form={form} submit={texts.common.save} isDisabled={kind === 'metadata' && address !== undefined}>
      <div>
        <SegmentedControl
          aria-label={t.kind}
          value={kind}
          onChange={(value) => setKind(value === 'fields' ? 'fields' : 'metadata')}
          data={(['metadata', 'fields'] as const).map((value) => ({ value, label: t.kinds[value] }))}
        />
      </div>
      {kind === 'metadata' ? (
        <>
          <div>
            <FileButton
              label={t.file}
              accept=".xml,text/xml,application/xml,application/samlmetadata+xml"
              variant="default"
              size="xs"
              onFiles={([file]) => void file?.text().then((text) => form.set('metadata_xml', text))}
            />
          </div>
          <Textarea
            label={t.metadata}
            description={t.metadataHint}
            rows={8}
            spellCheck={false}
            classNames={{ input: 'tw-code-field' }}
            {...form.text('metadata_xml')}
          />
          {address !== undefined && (
            <Alert color="accent" role="status">
              {t.isLink}{' '}
              <a href={address} target="_blank" rel="noreferrer" className="tw-link">
                {t.openLink}
              </a>
            </Alert>
          )}
        </>
      ) : (
        <>
          <TextInput label={t.entityId} autoComplete="off" {...form.text('entity_id')} />
          <TextInput label={t.ssoUrl} type="url" inputMode="url" autoComplete="off" {...form.text('sso_url')} />
          <TextInput
            label={`${t.sloUrl} (${texts.common.optional})`}
            type="url"
            inputMode="url"
            autoComplete="off"
            {...form.text('slo_url')}
          />
          <Textarea
            label={t.certificates}
            description={t.certificatesHint}
            rows={8}
            spellCheck={false}
            classNames={{ input: 'tw-code-field' }}
            {...form.text('certificates')}
          />
        </>
      )}
    </FormBody>
  );
}
