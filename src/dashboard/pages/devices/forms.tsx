// Forms of one device: entered by hand, and changed.
import { NativeSelect, TextInput } from '@mantine/core';
import type { Device } from '../../../devices/schema.ts';
import { useChange } from '../../api/api-context.ts';
import { FormBody, useForm } from '../../parts/form.tsx';
import { sayDone } from '../../parts/toasts.ts';
import { useOrganization } from '../../shell/me.ts';
import { useTexts } from '../../texts/languages.ts';
import { useOwners } from './owners.ts';

const touched = ['/devices', '/builds'];

export function NewDeviceForm({ onDone }: { onDone(): void }) {
  const texts = useTexts();
  const t = texts.devices;
  const query = { organization_id: useOrganization().identifier };
  const owners = useOwners();
  const add = useChange((api, body: object) => api.send<Device>('POST', '/devices', { query, body }), touched);
  const form = useForm({
    values: { udid: '', name: '', developer_id: '' },
    async submit({ udid, name, developer_id: owner }) {
      await add.mutateAsync({ udid, name, developer_id: owner === '' ? null : owner });
      sayDone(t.added(name));
      onDone();
    },
    fieldOfCode: { already_exists: 'udid' },
  });
  return (
    <FormBody form={form} submit={texts.common.create}>
      <TextInput
        label={t.udid}
        description={t.udidHint}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        {...form.text('udid')}
      />
      <TextInput label={t.name} {...form.text('name')} />
      <NativeSelect label={t.owner} data={owners.choices} {...form.text('developer_id')} />
    </FormBody>
  );
}

export function EditDeviceForm({ device, onDone }: { device: Device; onDone(): void }) {
  const texts = useTexts();
  const t = texts.devices;
  const owners = useOwners();
  const save = useChange(
    (api, body: object) => api.send<Device>('PATCH', `/devices/${device.identifier}`, { body }),
    touched,
  );
  const owner = device.developer_id ?? '';
  const form = useForm({
    values: { name: device.name, developer_id: owner },
    async submit({ name, developer_id: wanted }) {
      // Left as it is, an owner who has left since is no reason to refuse a new name.
      const change = wanted === owner ? {} : { developer_id: wanted === '' ? null : wanted };
      await save.mutateAsync({ name, ...change });
      sayDone(texts.common.saved);
      onDone();
    },
  });
  const isListed = owners.choices.some(({ value }) => value === owner);
  const choices = isListed
    ? owners.choices
    : [...owners.choices, { value: owner, label: owners.nameOf(device.developer_id) }];
  return (
    <FormBody form={form} submit={texts.common.save}>
      <TextInput label={t.name} data-autofocus {...form.text('name')} />
      <NativeSelect label={t.owner} data={choices} {...form.text('developer_id')} />
    </FormBody>
  );
}
