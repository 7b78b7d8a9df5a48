// Creates or edits an SDK app.
import { NativeSelect, TextInput } from '@mantine/core';
import type { Channel } from '../../../channels/schema.ts';
import type { SdkApp, SdkAppWithSecret } from '../../../sdk/app-schema.ts';
import { useChange } from '../../api/hooks.ts';
import { changedFields, FormBody, useForm } from '../../components/form.tsx';
import { useTexts } from '../../texts/locale.ts';
import { inProject, useProject } from '../project/project-context.ts';

interface SdkAppFormProps {
  channels: readonly Channel[];
  /** If undefined, a new one is created. */
  app?: SdkApp;
  /** `app_secret` is present only for a new app. */
  onDone(saved: SdkApp & Partial<Pick<SdkAppWithSecret, 'app_secret'>>): void;
}

export function SdkAppForm({ channels, app, onDone }: SdkAppFormProps) {
  const texts = useTexts();
  const t = texts.sdk;
  const query = inProject(useProject());
  const save = useChange(
    (api, body: object) =>
      app === undefined
        ? api.send<SdkAppWithSecret>('POST', '/sdk-apps', { query, body })
        : api.send<SdkApp>('PATCH', `/sdk-apps/${app.identifier}`, { body }),
    ['/sdk-apps'],
  );
  const form = useForm({
    values: { name: app?.name ?? '', channel_id: app?.channel_id ?? channels[0]?.identifier ?? '' },
    async submit(body, saved) {
      onDone(await save.mutateAsync(app === undefined ? body : changedFields(body, saved)));
    },
  });
  return (
    <FormBody form={form} submit={app === undefined ? texts.common.create : texts.common.save}>
      <TextInput label={t.name} description={t.nameHint} data-autofocus {...form.text('name')} />
      <NativeSelect
        label={t.channel}
        description={app && t.channelChangeEffect(app.install_count)}
        data={channels.map(({ identifier, name }) => ({ value: identifier, label: name }))}
        {...form.text('channel_id')}
      />
    </FormBody>
  );
}
