// The forms that add and edit a device.
import { NativeSelect, TextInput } from '@mantine/core';
import type { Device } from '../../../devices/schema.ts';
import { useChange } from '../../api/hooks.ts';
import { changedFields, FormBody, useForm } from '../../components/form.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { useOrganization } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';
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
      showSuccess(t.added(name));
    },
    onDone,
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
    async submit(values, saved) {
      // The server would also reject an unchanged owner who has left the organization.
      const { developer_id: newOwner, ...changed } = changedFields(values, saved);
      await save.mutateAsync({ ...changed, ...(newOwner === undefined ? {} : { developer_id: newOwner || null }) });
      showSuccess(texts.common.saved);
    },
    onDone,
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
