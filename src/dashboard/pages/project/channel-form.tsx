// Creates or edits a channel.

import { Group, NumberInput, Switch, Text, Textarea, TextInput } from '@mantine/core';
import { MAX_KEEP_DAYS, MAX_KEEP_LAST } from '../../../channels/limits.ts';
import type { Channel } from '../../../channels/schema.ts';
import { useChange } from '../../api/hooks.ts';
import { useEmailText } from '../../components/email-texts.ts';
import { changedFields, FormBody, useForm } from '../../components/form.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { mayInProject } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';
import { inProject, useProject } from './project-context.ts';
import { SiblingNameField } from './sibling-name-field.tsx';

/** Renders the form. Without `channel` it creates one. */
export function ChannelForm({ channel, onDone }: { channel?: Channel; onDone(): void }) {
  const texts = useTexts();
  const emailText = useEmailText();
  const t = texts.channels;
  const project = useProject();
  // The rules delete builds.
  const mayDelete = mayInProject(project, 'build.delete');
  const send = useChange(
    (api, body: object) =>
      channel === undefined
        ? api.send<Channel>('POST', '/channels', { query: inProject(project), body })
        : api.send<Channel>('PATCH', `/channels/${channel.identifier}`, { body }),
    ['/channels'],
  );
  const form = useForm({
    values: {
      name: channel?.name ?? '',
      description: channel?.description ?? '',
      slug: channel?.slug ?? '',
      sibling_name: channel?.sibling_name ?? null,
      public: channel?.public ?? false,
      allow_device_registration: channel?.allow_device_registration ?? false,
      auto_distribute: channel?.auto_distribute ?? false,
      notify_on_release: channel?.notify_on_release ?? true,
      keep_last: (channel?.keep_last ?? '') as number | string,
      keep_days: (channel?.keep_days ?? '') as number | string,
    },
    async submit(values, saved) {
      const body = bodyOf(values);
      if (channel === undefined) {
        await send.mutateAsync(body);
      } else {
        const before = bodyOf(saved);
        await send.mutateAsync(changedFields(body, before));
        showSuccess(texts.common.saved, () => send.mutateAsync(changedFields(before, body)));
      }
    },
    onDone,
    fieldOfCode: { already_exists: 'name' },
  });
  return (
    <FormBody form={form} submit={channel === undefined ? texts.common.create : texts.common.save}>
      <TextInput label={t.name} placeholder="beta" data-autofocus {...form.text('name')} />
      <Textarea
        label={`${t.description} (${texts.common.optional})`}
        autosize
        minRows={2}
        {...form.text('description')}
      />
      <TextInput
        label={`${t.slug} (${texts.common.optional})`}
        description={t.slugHint}
        placeholder="harbor-beta"
        leftSection={<span className="tw-slug-base">/i/</span>}
        {...form.text('slug')}
      />
      <SiblingNameField value={form.values.sibling_name} onChange={(value) => form.set('sibling_name', value)} />
      <Switch label={t.publicSwitch} description={t.publicHint} {...form.checked('public')} />
      {project.platform === 'ios' && form.values.public && (
        <Switch
          label={t.registrationSwitch}
          description={t.registrationHint}
          {...form.checked('allow_device_registration')}
        />
      )}
      <Switch label={t.autoSwitch} description={t.autoHint} {...form.checked('auto_distribute')} />
      <Switch label={t.notifySwitch} description={emailText(t.notifyHint)} {...form.checked('notify_on_release')} />
      <div>
        <Group grow align="flex-start">
          <NumberInput
            label={t.keepLast}
            min={1}
            max={MAX_KEEP_LAST}
            allowDecimal={false}
            allowNegative={false}
            hideControls
            disabled={!mayDelete}
            {...form.value('keep_last')}
          />
          <NumberInput
            label={t.keepDays}
            min={1}
            max={MAX_KEEP_DAYS}
            allowDecimal={false}
            allowNegative={false}
            hideControls
            disabled={!mayDelete}
            {...form.value('keep_days')}
          />
        </Group>
        <Text size="sm" c="dimmed" mt={4}>
          {mayDelete ? t.keepHint : t.keepByAdmins}
        </Text>
      </div>
    </FormBody>
  );
}

interface OptionalValues {
  description: string;
  slug: string;
  keep_last: number | string;
  keep_days: number | string;
}

/** Returns the body of the request. Empty fields are null. */
function bodyOf<Values extends OptionalValues>({
  description,
  slug,
  keep_last: last,
  keep_days: days,
  ...rest
}: Values) {
  const rules = { keep_last: last === '' ? null : last, keep_days: days === '' ? null : days };
  return { ...rest, description: description || null, slug: slug.trim() || null, ...rules };
}
