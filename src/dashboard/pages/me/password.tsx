// Changes the password, or sets the first one.
import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Developer } from '../../../accounts/schema.ts';
import type { MfaStatus } from '../../../second-factors/schema.ts';
import { useChange, useRead } from '../../api/hooks.ts';
import { ErrorAlert } from '../../components/errors.tsx';
import { Section } from '../../components/page.tsx';
import { StepUpForm } from '../../components/step-up.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { useServerInfo } from '../../shell/server-info.ts';
import { useTexts } from '../../texts/locale.ts';

/** Returns whether the page has the section: accounts of identity providers have no password, and a first one needs an email. */
export function useHasPasswordSection(): boolean {
  const { sendsMail } = useServerInfo();
  const { data: status } = useRead<MfaStatus>('/mfa');
  if (status?.step_up.current_password !== false) return true;
  return status.step_up.single_sign_on === null && sendsMail;
}

export function PasswordSection({ me }: { me: Developer }) {
  const texts = useTexts();
  const t = texts.account;
  const { passwordMinimum } = useServerInfo();
  const [changes, setChanges] = useState(0);
  const change = useChange(
    (api, body: object) => api.send('POST', `/developers/${me.identifier}/change_password`, { body }),
    ['/sessions'],
  );
  const status = useRead<MfaStatus>('/mfa');
  const isShown = useHasPasswordSection();
  if (!isShown) return null;
  if (status.data?.step_up.current_password === false) return <NoPassword me={me} />;
  return (
    <Section id="password" title={t.password} hint={t.passwordHint}>
      <StepUpForm
        // A new form after each change, so that the passwords are cleared.
        key={changes}
        action={t.changePassword}
        field={{
          name: 'new_password',
          label: texts.auth.newPassword,
          description: texts.auth.atLeast(passwordMinimum),
        }}
        isHarmless
        onSubmit={async (body) => {
          await change.mutateAsync(body);
          setChanges(changes + 1);
          showSuccess(t.passwordChanged);
        }}
      />
    </Section>
  );
}

/** An account without a password gets one by a password reset. */
function NoPassword({ me }: { me: Developer }) {
  const texts = useTexts().account;
  const t = texts.noPassword;
  const send = useChange(
    (api) => api.send('POST', '/login/password_reset', { body: { email: me.email }, isAnonymous: true }),
    [],
  );
  return (
    <Section
      id="password"
      title={texts.password}
      hint={t.hint}
      actions={
        <Button
          variant="default"
          loading={send.isPending}
          onClick={() => send.mutate(undefined, { onSuccess: () => showSuccess(t.sent) })}
        >
          {t.set}
        </Button>
      }
    >
      {send.error !== null && <ErrorAlert error={send.error} />}
    </Section>
  );
}
