// Single sign-on, in the order in which it is set up.
import { Badge, Button, Text } from '@mantine/core';
import { useState } from 'react';
import type { SsoConfiguration } from '../../../sso/schema.ts';
import { useChange } from '../../api/api-context.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Loading, Section } from '../../parts/page.tsx';
import { ProblemPage } from '../../parts/problem.tsx';
import { sayDone } from '../../parts/toasts.ts';
import { useTexts } from '../../texts/languages.ts';
import { UseSection } from './activation.tsx';
import { DomainsSection } from './domains.tsx';
import { ProviderSection } from './provider.tsx';
import { ServiceProviderSection } from './service-provider.tsx';
import { type SsoState, useSso, useSsoPath } from './sso.ts';

const colors: Record<SsoState, string> = { absent: 'gray', disabled: 'gray', enabled: 'green', required: 'accent' };

export function Page() {
  const t = useTexts().sso;
  const { state, connection, error, refetch } = useSso();
  if (state === undefined) {
    return error === null ? <Loading /> : <ProblemPage error={error} onRetry={() => void refetch()} />;
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
      <ServiceProviderSection />
      <ProviderSection connection={connection} />
      <DomainsSection isEnabled={connection?.enabled === true} />
      <UseSection connection={connection} />
      {connection !== undefined && <RemovalSection connection={connection} />}
    </>
  );
}

function RemovalSection({ connection }: { connection: SsoConfiguration }) {
  const t = useTexts().sso.remove;
  const path = useSsoPath();
  const [isAsking, setAsking] = useState(false);
  const remove = useChange((api) => api.send('DELETE', path), [path]);
  return (
    <Section title={t.title} hint={t.hint}>
      <div>
        <Button color="red" variant="outline" onClick={() => setAsking(true)}>
          {t.action}
        </Button>
      </div>
      <Confirm
        isOpen={isAsking}
        title={t.confirmTitle(connection.entity_id)}
        action={t.action}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await remove.mutateAsync(undefined);
          sayDone(t.removed);
        }}
      >
        {t.confirm}
      </Confirm>
    </Section>
  );
}
