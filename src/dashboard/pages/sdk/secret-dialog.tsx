// The dialog with the secret of an SDK app, shown once, and a sample request.
import { Text } from '@mantine/core';
import type { SdkApp } from '../../../sdk/app-schema.ts';
import { CommandBlock, Copyable } from '../../components/copy.tsx';
import { OneTimeSecretDialog } from '../../components/one-time-secret.tsx';
import { useServerInfo } from '../../shell/server-info.ts';
import { useTexts } from '../../texts/locale.ts';

export interface ShownSecret {
  app: Pick<SdkApp, 'identifier' | 'name' | 'app_key'>;
  secret: string;
}

export function SecretDialog({ shown, onClose }: { shown: ShownSecret | undefined; onClose(): void }) {
  const t = useTexts().sdk;
  const title = shown === undefined ? '' : t.secretTitle(shown.app.name);
  return (
    <OneTimeSecretDialog title={title} secret={shown?.secret} use={shown && <Use shown={shown} />} onClose={onClose}>
      <Text size="sm">{t.secretText}</Text>
    </OneTimeSecretDialog>
  );
}

function Use({ shown }: { shown: ShownSecret }) {
  const texts = useTexts();
  const t = texts.sdk;
  const { base } = useServerInfo();
  return (
    <>
      <div>
        <Text size="sm">{t.key}</Text>
        <Copyable text={shown.app.app_key} what={t.key} />
      </div>
      <Text size="sm">{t.enrollExample}</Text>
      <CommandBlock text={enrollCommand(`${location.origin}${base}`, shown)} />
      <Text size="sm">
        {t.afterEnrollment}{' '}
        <a href={`${base}/api/docs`} target="_blank" rel="noreferrer" className="tw-link">
          {texts.shell.apiReference}
        </a>
        .
      </Text>
    </>
  );
}

/** Returns the command of the first request of an app. `server` is the server's URL with its base path. */
function enrollCommand(server: string, { app, secret }: ShownSecret): string {
  const body = JSON.stringify({ app_secret: secret, version_name: '1.0', build_number: 1 });
  return [
    `curl -X POST '${server}/sdk/v1/enroll' \\`,
    `  -H 'X-Svc-App-Key: ${app.app_key}' \\`,
    `  -H 'Content-Type: application/json' -d '${body}'`,
  ].join('\n');
}
