// Registering new devices with Apple automatically, with the places of each class that stay free.

import { Button, NumberInput, Text } from '@mantine/core';
import { useState } from 'react';
import { MAX_RESERVE } from '../../../stores/limits.ts';
import type { Connection } from '../../../stores/schema.ts';
import { useChange } from '../../api/hooks.ts';
import { Places } from '../../components/apple-register.tsx';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { FormBody, useForm } from '../../components/form.tsx';
import { SavedSwitch } from '../../components/saved-switch.tsx';
import { connectionsPath, usePendingRegistrations } from '../../components/stores.ts';
import { showSuccess } from '../../components/toasts.ts';
import { mayInOrganization, useOrganization } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';

export function AutomaticRegistration({ connection }: { connection: Connection }) {
  const texts = useTexts();
  const t = texts.stores.automatic;
  const { identifier, automatic_registration: isOn, reserve, pending_registrations: pending } = connection;
  const isManager = mayInOrganization(useOrganization(), 'store_connection.manage');
  const [isConfirming, setConfirming] = useState(false);
  usePendingRegistrations(connection);
  const save = useChange(
    (api, body: object) => api.send<Connection>('PATCH', `${connectionsPath}/${identifier}`, { body }),
    [`${connectionsPath}?`],
  );
  const registerAll = useChange(
    (api) => api.send<{ queued: number }>('POST', `${connectionsPath}/${identifier}/register-devices`, { body: {} }),
    [`${connectionsPath}?`, '/devices'],
  );
  if (!isManager) return null;
  return (
    <section className="tw-automatic" aria-label={t.titleOf(connection.name)}>
      <SavedSwitch
        label={t.title}
        name={t.titleOf(connection.name)}
        description={t.hint(reserve)}
        isOn={isOn}
        save={(isWanted) => save.mutateAsync({ automatic_registration: isWanted })}
      />
      {isOn && <ReserveForm key={reserve} reserve={reserve} save={(value) => save.mutateAsync({ reserve: value })} />}
      <div className="tw-row tw-wrap">
        <Button
          variant="default"
          size="xs"
          aria-label={`${t.registerAll}: ${connection.name}`}
          disabled={pending > 0}
          onClick={() => setConfirming(true)}
        >
          {t.registerAll}
        </Button>
        <span className="tw-small" role="status">
          {pending > 0 ? t.pending(pending) : t.registerAllHint}
        </span>
      </div>
      <ConfirmDialog
        isOpen={isConfirming}
        title={t.registerAllTitle}
        action={t.registerAll}
        isHarmless
        onClose={() => setConfirming(false)}
        onConfirm={async () => {
          const { queued } = await registerAll.mutateAsync(undefined);
          showSuccess(t.queued(queued));
        }}
      >
        <div className="tw-form">
          <Text size="sm">{texts.stores.devices.effect(2)}</Text>
          <Places devices={[]} connectionId={identifier} />
        </div>
      </ConfirmDialog>
    </section>
  );
}

interface ReserveProps {
  reserve: number;
  save(reserve: number): Promise<unknown>;
}

function ReserveForm({ reserve, save }: ReserveProps) {
  const texts = useTexts();
  const t = texts.stores.automatic;
  const form = useForm<{ reserve: number | string }>({
    values: { reserve },
    async submit({ reserve: value }) {
      await save(Number(value));
      showSuccess(texts.common.saved);
    },
  });
  const isChanged = form.values.reserve !== reserve;
  return (
    <FormBody form={form} submit={texts.common.save} isDisabled={!isChanged || form.values.reserve === ''}>
      <NumberInput
        label={t.reserve}
        min={0}
        max={MAX_RESERVE}
        allowDecimal={false}
        allowNegative={false}
        hideControls
        {...form.value('reserve')}
      />
    </FormBody>
  );
}
