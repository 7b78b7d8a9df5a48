// Single sign-on settings in the order of setup.
import { Badge, Button, SegmentedControl, Text } from '@mantine/core';
import { useState } from 'react';
import type { SsoConfiguration } from '../../../sso/schema.ts';
import { useChange } from '../../api/hooks.ts';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { ErrorPage } from '../../components/errors.tsx';
import { FactsSkeleton, Section } from '../../components/page.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { useTexts } from '../../texts/locale.ts';
import { ActivationSection } from './activation.tsx';
import { DomainsSection } from './domains.tsx';
import { ProviderSection } from './provider.tsx';
import { ServiceProviderSection } from './service-provider.tsx';
import { type SsoKind, type SsoState, ssoKinds, useSso, useSsoPath } from './sso.ts';

const colors: Record<SsoState, string> = { absent: 'gray', disabled: 'gray', enabled: 'green', required: 'accent' };

export function Page() {
  const t = useTexts().sso;
  const { state, connection, error, refetch } = useSso();
  const [chosen, setChosen] = useState<SsoKind>();
  const kind = chosen ?? connection?.kind ?? 'saml';
  if (state === undefined) {
    return error === null ? <FactsSkeleton rows={6} /> : <ErrorPage error={error} onRetry={() => void refetch()} />;
  }
  return (
    <>
      <div className="tw-row tw-wrap">
        <Badge variant="light" color={colors[state]}>
          {t.states[state]}
        </Badge>
        <Text size="sm" c="dimmed">
          {t.hint}
        </Text>
      </div>
      <div>
        <SegmentedControl
          aria-label={t.protocol}
          value={kind}
          onChange={(value) => setChosen(ssoKinds.find((one) => one === value))}
          data={ssoKinds.map((value) => ({ value, label: t.protocols[value] }))}
        />
      </div>
      <ServiceProviderSection kind={kind} />
      <ProviderSection key={kind} kind={kind} connection={connection} />
      <DomainsSection isEnabled={connection?.enabled === true} />
      <ActivationSection connection={connection} />
      {connection !== undefined && <RemovalSection connection={connection} />}
    </>
  );
}

function RemovalSection({ connection }: { connection: SsoConfiguration }) {
  const t = useTexts().sso.remove;
  const path = useSsoPath();
  const [isConfirming, setConfirming] = useState(false);
  const remove = useChange((api) => api.send('DELETE', path), [path]);
  return (
    <Section title={t.title} hint={t.hint}>
      <div>
        <Button variant="default" className="tw-danger" onClick={() => setConfirming(true)}>
          {t.action}
        </Button>
      </div>
      <ConfirmDialog
        isOpen={isConfirming}
        title={t.confirmTitle(connection.entity_id)}
        action={t.action}
        onClose={() => setConfirming(false)}
        onConfirm={async () => {
          await remove.mutateAsync(undefined);
          showSuccess(t.removed);
        }}
      >
        {t.confirm}
      </ConfirmDialog>
    </Section>
  );
}
