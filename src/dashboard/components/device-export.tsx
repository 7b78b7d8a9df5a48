// The button that exports the devices of the organization for Apple.
import { Button, type ButtonProps, Modal } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { useApi } from '../api/hooks.ts';
import { useOrganization } from '../shell/current-user.ts';
import { useTexts } from '../texts/locale.ts';
import { saveText } from './download.ts';
import { ErrorAlert } from './errors.tsx';

export function ExportButton({ size = 'sm' }: Pick<ButtonProps, 'size'>) {
  const t = useTexts().devices;
  const api = useApi();
  const query = { organization_id: useOrganization().identifier };
  const [error, setError] = useState<unknown>();
  async function save(): Promise<void> {
    setError(undefined);
    try {
      saveText(await api.send<string>('GET', '/devices/export', { query }), 'devices.txt', 'text/plain');
    } catch (thrown) {
      setError(thrown);
    }
  }
  return (
    <>
      <Button
        variant="default"
        size={size}
        leftSection={<IconDownload size={16} />}
        title={t.exportHint}
        onClick={() => void save()}
      >
        {t.export}
      </Button>
      <Modal opened={error !== undefined} onClose={() => setError(undefined)} title={t.export} centered>
        <ErrorAlert error={error} onRetry={() => void save()} />
      </Modal>
    </>
  );
}
