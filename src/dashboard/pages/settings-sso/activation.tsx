// Enables, tests and requires single sign-on.
import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import type { SsoConfiguration } from '../../../sso/schema.ts';
import { useChange } from '../../api/hooks.ts';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { CommandBlock, Copyable } from '../../components/copy.tsx';
import { ErrorAlert } from '../../components/errors.tsx';
import { Section } from '../../components/page.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { useServerInfo } from '../../shell/server-info.ts';
import { useTexts } from '../../texts/locale.ts';
import { Attempts, useAttempts } from './attempts.tsx';
import { ConnectionTest } from './connection-test.tsx';
import { RequireEffect } from './require-effect.tsx';
import { explainPlan, useDomains, useSsoPath } from './sso.ts';

export function ActivationSection({ connection }: { connection: SsoConfiguration | undefined }) {
  const t = useTexts().sso.activation;
  const domains = useDomains();
  const verified = domains.data?.filter((one) => one.verified).map((one) => one.domain);
  return (
    <>
      <Section title={t.title}>
        {connection === undefined ? (
          <Text size="sm">{t.addProviderFirst}</Text>
        ) : (
          <>
            {verified?.length === 0 && <Text size="sm">{t.noDomain}</Text>}
            {connection.kind === 'oidc' && <ConnectionTest />}
            <EnableStep connection={connection} />
            {connection.enabled && <TestStep connection={connection} />}
            {connection.enabled && <RequireStep connection={connection} domains={verified ?? []} />}
          </>
        )}
      </Section>
      {connection?.enabled === true && <Attempts kind={connection.kind} />}
    </>
  );
}

function EnableStep({ connection }: { connection: SsoConfiguration }) {
  const texts = useTexts();
  const t = texts.sso.activation;
  const path = useSsoPath();
  const [isConfirming, setConfirming] = useState(false);
  const enable = useChange((api) => api.send('POST', `${path}/enable`), [path]);
  const disable = useChange((api) => api.send('POST', `${path}/disable`), [path]);
  return (
    <div className="tw-step">
      {connection.enabled ? (
        <div className="tw-row tw-wrap">
          <Text size="sm" className="tw-grow">
            {t.enabled}
          </Text>
          <Button size="xs" color="red" variant="outline" onClick={() => setConfirming(true)}>
            {t.disable}
          </Button>
        </div>
      ) : (
        <div className="tw-row tw-wrap">
          <Text size="sm" className="tw-grow">
            {t.enableHint}
          </Text>
          <Button
            loading={enable.isPending}
            onClick={() => enable.mutate(undefined, { onSuccess: () => showSuccess(t.enabled) })}
          >
            {t.enable}
          </Button>
        </div>
      )}
      {enable.error !== null && <ErrorAlert error={explainPlan(enable.error, texts)} />}
      <ConfirmDialog
        isOpen={isConfirming}
        title={t.disableTitle}
        action={t.disable}
        onClose={() => setConfirming(false)}
        onConfirm={async () => {
          await disable.mutateAsync(undefined);
          showSuccess(t.disabled);
        }}
      >
        {t.disableEffect}
      </ConfirmDialog>
    </div>
  );
}

function TestStep({ connection }: { connection: SsoConfiguration }) {
  const t = useTexts().sso.activation;
  const { base } = useServerInfo();
  const login = connection.service_provider.login_url;
  const back = new URLSearchParams({ relay_state: `${base}/settings/sso` });
  return (
    <div className="tw-part">
      <div>
        <div className="tw-strong">{t.test}</div>
        <div className="tw-small">{t.testHint}</div>
      </div>
      <div className="tw-row tw-wrap">
        <Copyable text={login} what={t.signInUrl} />
        <a href={`${login}?${back}`} target="_blank" rel="noreferrer" className="tw-link tw-small">
          {t.signInHere}
        </a>
      </div>
    </div>
  );
}

function RequireStep({ connection, domains }: { connection: SsoConfiguration; domains: readonly string[] }) {
  const texts = useTexts();
  const t = texts.sso.activation;
  const { program } = useServerInfo();
  const path = useSsoPath();
  const { attempts } = useAttempts();
  const [isConfirming, setConfirming] = useState(false);
  const require = useChange(
    (api, required: boolean) => api.send('PUT', `${path}/require`, { body: { required } }),
    [path],
  );
  const { required } = connection;
  const wasTried = attempts?.some(({ isSuccess }) => isSuccess) === true;
  async function change(): Promise<void> {
    await require.mutateAsync(!required).catch((error: unknown) => {
      throw explainPlan(error, texts);
    });
    showSuccess(required ? t.stoppedRequiring : t.required);
  }
  return (
    <div className="tw-part">
      <div className="tw-row tw-wrap">
        <Text size="sm" className="tw-grow">
          {required ? t.isRequired : domains.length === 0 ? t.noDomain : t.requireHint}
        </Text>
        <Button
          size="xs"
          variant="default"
          disabled={!required && domains.length === 0}
          onClick={() => setConfirming(true)}
        >
          {required ? t.stopRequiring : t.require}
        </Button>
      </div>
      {required && (
        <div>
          <Text size="sm" mb={6}>
            {t.recoveryHint}
          </Text>
          <CommandBlock text={`${program} organization disable-sso ${connection.organization_id}`} />
        </div>
      )}
      <ConfirmDialog
        isOpen={isConfirming}
        title={required ? t.stopRequiringTitle : t.requireTitle}
        action={required ? t.stopRequiring : t.require}
        isHarmless={required}
        onClose={() => setConfirming(false)}
        onConfirm={change}
      >
        {required ? t.stopRequiringEffect : <RequireEffect domains={domains} wasTried={wasTried} />}
      </ConfirmDialog>
    </div>
  );
}
