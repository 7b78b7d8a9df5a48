// Two-factor authentication: the authenticator app and the recovery codes.
import { Badge, Button, Modal, Stack, Text, TextInput } from '@mantine/core';
import { IconDeviceMobile } from '@tabler/icons-react';
import { useState } from 'react';
import type { MfaStatus, TotpBegin } from '../../../second-factors/schema.ts';
import { ApiError } from '../../api/errors.ts';
import { useChange, useRead } from '../../api/hooks.ts';
import { Copyable } from '../../components/copy.tsx';
import { FormBody, useForm } from '../../components/form.tsx';
import { OneTimeSecretDialog } from '../../components/one-time-secret.tsx';
import { QueryContent, RowsSkeleton, Section } from '../../components/page.tsx';
import { QrCode } from '../../components/qr-code.tsx';
import { StepUpForm } from '../../components/step-up.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { useTexts } from '../../texts/locale.ts';

const touched = ['/mfa'];

export function TwoFactorSection() {
  const t = useTexts().account.twoFactor;
  const status = useRead<MfaStatus>('/mfa');
  return (
    <Section id="two-factor" title={t.title} hint={t.hint}>
      <QueryContent read={status} loading={<RowsSkeleton rows={1} picture={0} />}>
        {(data) => <Factors status={data} />}
      </QueryContent>
    </Section>
  );
}

function Factors({ status }: { status: MfaStatus }) {
  const t = useTexts().account.twoFactor;
  const [dialog, setDialog] = useState<'enrol' | 'renew' | 'disable'>();
  const [codes, setCodes] = useState<string[]>();
  const close = () => setDialog(undefined);
  const showCodes = (created: string[]) => {
    close();
    setCodes(created);
  };
  return (
    <>
      <div className="tw-row tw-wrap">
        <IconDeviceMobile size={20} aria-hidden />
        <div className="tw-grow">
          <div className="tw-strong">
            {t.app} {status.totp_enabled && <Badge color="green">{t.on}</Badge>}
          </div>
          {status.totp_enabled_at !== null && (
            <div className="tw-small">
              {t.turnedOnAt} <RelativeTime at={status.totp_enabled_at} />
            </div>
          )}
        </div>
        {status.totp_enabled ? (
          <Button size="compact-sm" variant="subtle" color="red" onClick={() => setDialog('disable')}>
            {t.disable}
          </Button>
        ) : (
          <Button variant="default" onClick={() => setDialog('enrol')}>
            {t.setUp}
          </Button>
        )}
      </div>
      {status.enabled && (
        <div className="tw-row tw-wrap">
          <div className="tw-grow">
            <div className="tw-strong">{t.recoveryCodes}</div>
            <div className="tw-small">{t.remaining(status.recovery_codes_remaining)}</div>
          </div>
          <Button variant="default" size="compact-sm" onClick={() => setDialog('renew')}>
            {t.createCodes}
          </Button>
        </div>
      )}
      <Modal opened={dialog === 'enrol'} onClose={close} title={t.setUp} centered>
        {dialog === 'enrol' && <SetUpApp onDone={showCodes} />}
      </Modal>
      <Modal opened={dialog === 'renew'} onClose={close} title={t.createCodes} centered>
        {dialog === 'renew' && <CreateCodes onDone={showCodes} />}
      </Modal>
      <Modal opened={dialog === 'disable'} onClose={close} title={t.disable} centered>
        {dialog === 'disable' && <TurnOff onDone={close} />}
      </Modal>
      <OneTimeSecretDialog title={t.recoveryCodes} secret={codes?.join('\n')} onClose={() => setCodes(undefined)}>
        <Text size="sm">{t.recoveryCodesHint}</Text>
      </OneTimeSecretDialog>
    </>
  );
}

function SetUpApp({ onDone }: { onDone(codes: string[]): void }) {
  const t = useTexts().account.twoFactor;
  const begin = useChange((api, body: object) => api.send<TotpBegin>('POST', '/mfa/totp/begin', { body }), []);
  const confirm = useChange(
    (api, body: object) => api.send<{ recovery_codes: string[] }>('POST', '/mfa/totp/confirm', { body }),
    touched,
  );
  const form = useForm({
    values: { code: '' },
    async submit(body) {
      onDone((await confirm.mutateAsync(body)).recovery_codes);
    },
    fieldOfCode: { invalid_input: 'code' },
  });
  if (begin.data === undefined) {
    return (
      <Stack>
        <Text size="sm">{t.setUpHint}</Text>
        <StepUpForm
          action={t.showCode}
          isHarmless
          onSubmit={async (body) => {
            await begin.mutateAsync(body);
          }}
        />
      </Stack>
    );
  }
  const isWrong = form.formError instanceof ApiError && form.formError.status < 429 && form.formError.status !== 403;
  return (
    <Stack>
      <Text size="sm">{t.scan}</Text>
      <div className="tw-qr-sheet">
        <QrCode text={begin.data.otpauth_uri} label={t.qrLabel} size={200} />
      </div>
      <Text size="sm">{t.enterKey}</Text>
      <Copyable text={begin.data.secret} what={t.key} />
      <FormBody form={isWrong ? { ...form, formError: undefined } : form} submit={t.confirm}>
        <TextInput
          label={t.code}
          inputMode="numeric"
          autoComplete="one-time-code"
          {...form.text('code')}
          error={isWrong ? t.incorrect : form.errors.code}
        />
      </FormBody>
    </Stack>
  );
}

function CreateCodes({ onDone }: { onDone(codes: string[]): void }) {
  const t = useTexts().account.twoFactor;
  const renew = useChange(
    (api, body: object) => api.send<{ recovery_codes: string[] }>('POST', '/mfa/recovery-codes', { body }),
    touched,
  );
  return (
    <Stack>
      <Text size="sm">{t.createCodesEffect}</Text>
      <StepUpForm
        action={t.createCodes}
        isHarmless
        onSubmit={async (body) => onDone((await renew.mutateAsync(body)).recovery_codes)}
      />
    </Stack>
  );
}

function TurnOff({ onDone }: { onDone(): void }) {
  const t = useTexts().account.twoFactor;
  const disable = useChange((api, body: object) => api.send('POST', '/mfa/disable', { body }), ['/mfa', '/passkeys']);
  return (
    <Stack>
      <Text size="sm">{t.disableEffect}</Text>
      <StepUpForm
        action={t.disable}
        onSubmit={async (body) => {
          await disable.mutateAsync(body);
          onDone();
        }}
      />
    </Stack>
  );
}
