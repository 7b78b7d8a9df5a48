// Creates or edits a webhook.

import { Checkbox, NativeSelect, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import type { Project } from '../../../projects/schema.ts';
import type { Format, SubscribableEvent } from '../../../webhook-events.ts';
import { formats, subscribableEvents } from '../../../webhook-events.ts';
import type { Webhook, WebhookWithSecret } from '../../../webhooks/schema.ts';
import { useChange, useReadAll } from '../../api/hooks.ts';
import { changedFields, FormBody, useForm } from '../../components/form.tsx';
import { useOrganization } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';

interface Values {
  url: string;
  events: SubscribableEvent[];
  project_id: string;
  format: Format;
  description: string;
  active: boolean;
}

const fresh: Values = {
  url: '',
  events: ['build.uploaded', 'release.created'],
  project_id: '',
  format: 'svc',
  description: '',
  active: true,
};

/** Returns the body of the request. Empty fields are null. */
function bodyOf({ url, events, project_id: project, format, description, active }: Values) {
  const optional = {
    project_id: project === '' ? null : project,
    description: description === '' ? null : description,
  };
  return { url, events, format, active, ...optional };
}

interface WebhookFormProps {
  /** If undefined, a new one is created. */
  webhook?: Webhook;
  /** `secret` is present only for a new webhook. */
  onDone(saved: Webhook & Partial<Pick<WebhookWithSecret, 'secret'>>): void;
}

export function WebhookForm({ webhook, onDone }: WebhookFormProps) {
  const texts = useTexts();
  const t = texts.webhooks;
  const query = { organization_id: useOrganization().identifier };
  const projects = useReadAll<Project>('/projects', { query });
  const save = useChange(
    (api, body: object) =>
      webhook === undefined
        ? api.send<WebhookWithSecret>('POST', '/webhooks', { query, body })
        : api.send<Webhook>('PATCH', `/webhooks/${webhook.identifier}`, { body }),
    ['/webhooks'],
  );
  const form = useForm<Values>({
    values:
      webhook === undefined
        ? fresh
        : { ...webhook, project_id: webhook.project_id ?? '', description: webhook.description ?? '' },
    async submit(values, saved) {
      const body = bodyOf(values);
      onDone(await save.mutateAsync(webhook === undefined ? body : changedFields(body, bodyOf(saved))));
    },
  });
  const { values, errors } = form;
  const known = projects.data ?? [];
  const isUnseen = values.project_id !== '' && !known.some(({ identifier }) => identifier === values.project_id);
  return (
    <FormBody
      form={form}
      submit={webhook === undefined ? texts.common.create : texts.common.save}
      isDisabled={values.events.length === 0}
    >
      <NativeSelect
        label={t.format}
        description={t.formatHints[values.format]}
        data={formats.map((value) => ({ value, label: t.formats[value] }))}
        {...form.text('format')}
      />
      <TextInput
        label={t.url}
        description={t.urlHint}
        type="url"
        inputMode="url"
        autoComplete="off"
        data-autofocus
        {...form.text('url')}
      />
      <Checkbox.Group
        label={t.events}
        value={values.events}
        error={values.events.length === 0 ? t.chooseEvents : errors.events}
        onChange={(chosen) =>
          form.set(
            'events',
            subscribableEvents.filter((event) => chosen.includes(event)),
          )
        }
      >
        <Stack gap={6} mt={6} mb={6}>
          {subscribableEvents.map((event) => (
            <Checkbox key={event} value={event} label={t.eventNames[event]} />
          ))}
        </Stack>
      </Checkbox.Group>
      <NativeSelect
        label={t.project}
        data={[
          { value: '', label: t.allProjects },
          ...known.map(({ identifier, name }) => ({ value: identifier, label: name })),
          ...(isUnseen ? [{ value: values.project_id, label: t.unknownProject }] : []),
        ]}
        {...form.text('project_id')}
      />
      <Textarea
        label={`${t.description} (${texts.common.optional})`}
        autosize
        minRows={1}
        {...form.text('description')}
      />
      {webhook !== undefined && <Switch label={t.active} description={t.activeHint} {...form.checked('active')} />}
    </FormBody>
  );
}
