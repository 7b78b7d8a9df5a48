// The authenticator app and the recovery codes.
import { Badge, Button, Modal, Stack, Text, TextInput } from '@mantine/core';
import { IconDeviceMobile } from '@tabler/icons-react';
import { useState } from 'react';
import type { MfaStatus, TotpBegin } from '../../../second-factors/schema.ts';
import { useChange, useRead } from '../../api/api-context.ts';
import { ApiError } from '../../api/errors.ts';
import { Copyable } from '../../parts/copy.tsx';
import { FormBody, useForm } from '../../parts/form.tsx';
import { Loading, Section, Shown } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { QrCode } from '../../parts/qr-code.tsx';
import { Secret } from '../../parts/secret.tsx';
import { StepUpForm } from '../../parts/step-up.tsx';
import { Time } from '../../parts/time.tsx';
import { useTexts } from '../../texts/languages.ts';

const touched = ['/mfa'];

export function CodesSection() {
  const t = useTexts().account.codes;
  const status = useRead<MfaStatus>('/mfa');
  return (
    <Section title={t.title} hint={t.hint}>
      <Shown read={status} loading={<Loading rows={1} height={48} />}>
        {(data) => <Factors status={data} />}
      </Shown>
    </Section>
  );
}

function Factors({ status }: { status: MfaStatus }) {
  const t = useTexts().account.codes;
  const [dialog, setDialog] = useState<'enrol' | 'disable'>();
  const [codes, setCodes] = useState<string[]>();
  const close = () => setDialog(undefined);
  const renew = useChange((api) => api.send<{ recovery_codes: string[] }>('POST', '/mfa/recovery-codes'), touched);
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
              {t.since} <Time at={status.totp_enabled_at} />
            </div>
          )}
        </div>
        {status.totp_enabled ? (
          <Button size="compact-sm" variant="subtle" color="red" onClick={() => setDialog('disable')}>
            {t.disable}
          </Button>
        ) : (
          <Button variant="default" onClick={() => setDialog('enrol')}>
            {t.enrol}
          </Button>
        )}
      </div>
      {status.totp_enabled && (
        <div className="tw-row tw-wrap">
          <div className="tw-grow">
            <div className="tw-strong">{t.recovery}</div>
            <div className="tw-small">{t.left(status.recovery_codes_remaining)}</div>
          </div>
          <Button
            variant="default"
            size="compact-sm"
            loading={renew.isPending}
            onClick={() => renew.mutate(undefined, { onSuccess: (answer) => setCodes(answer.recovery_codes) })}
          >
            {t.renew}
          </Button>
        </div>
      )}
      {renew.error !== null && <Problem error={renew.error} />}
      <Modal opened={dialog === 'enrol'} onClose={close} title={t.enrol} centered>
        {dialog === 'enrol' && (
          <Enrol
            onDone={(made) => {
              close();
              setCodes(made);
            }}
          />
        )}
      </Modal>
      <Modal opened={dialog === 'disable'} onClose={close} title={t.disable} centered>
        {dialog === 'disable' && <Disable onDone={close} />}
      </Modal>
      <Secret title={t.recovery} secret={codes?.join('\n')} onClose={() => setCodes(undefined)}>
        <Text size="sm">{t.recoveryText}</Text>
      </Secret>
    </>
  );
}

function Enrol({ onDone }: { onDone(codes: string[]): void }) {
  const t = useTexts().account.codes;
  const begin = useChange((api) => api.send<TotpBegin>('POST', '/mfa/totp/begin'), []);
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
        <Text size="sm">{t.begin}</Text>
        {begin.error !== null && <Problem error={begin.error} />}
        <Button loading={begin.isPending} onClick={() => begin.mutate(undefined)}>
          {t.showCode}
        </Button>
      </Stack>
    );
  }
  const isWrong = form.rest instanceof ApiError && form.rest.status < 429 && form.rest.status !== 403;
  return (
    <Stack>
      <Text size="sm">{t.scan}</Text>
      <div className="tw-qr-sheet">
        <QrCode text={begin.data.otpauth_uri} label={t.qrLabel} size={200} />
      </div>
      <Text size="sm">{t.orType}</Text>
      <Copyable text={begin.data.secret} what={t.secret} />
      <FormBody form={isWrong ? { ...form, rest: undefined } : form} submit={t.confirm}>
        <TextInput
          label={t.code}
          inputMode="numeric"
          autoComplete="one-time-code"
          {...form.text('code')}
          error={isWrong ? t.wrong : form.problems.code}
        />
      </FormBody>
    </Stack>
  );
}

function Disable({ onDone }: { onDone(): void }) {
  const t = useTexts().account.codes;
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
