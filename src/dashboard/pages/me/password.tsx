// Changes the password.
import { useState } from 'react';
import type { Developer } from '../../../accounts/schema.ts';
import type { MfaStatus } from '../../../second-factors/schema.ts';
import { useChange, useRead } from '../../api/api-context.ts';
import { Section } from '../../parts/page.tsx';
import { StepUpForm } from '../../parts/step-up.tsx';
import { sayDone } from '../../parts/toasts.ts';
import { useFacts } from '../../shell/facts.ts';
import { useTexts } from '../../texts/languages.ts';

export function PasswordSection({ me }: { me: Developer }) {
  const texts = useTexts();
  const t = texts.account;
  const { passwordMinimum } = useFacts();
  const [changes, setChanges] = useState(0);
  const change = useChange(
    (api, body: object) => api.send('POST', `/developers/${me.identifier}/change_password`, { body }),
    ['/sessions'],
  );
  const status = useRead<MfaStatus>('/mfa');
  // Without a password there is none to change: a reset by mail sets the first one.
  if (status.data?.step_up.current_password === false) return null;
  return (
    <Section title={t.password} hint={t.passwordHint}>
      <StepUpForm
        // A new form after each change: its passwords are no longer needed.
        key={changes}
        action={t.changePassword}
        field={{
          name: 'new_password',
          label: texts.entry.newPassword,
          description: texts.entry.atLeast(passwordMinimum),
        }}
        isHarmless
        onSubmit={async (body) => {
          await change.mutateAsync(body);
          setChanges(changes + 1);
          sayDone(t.passwordChanged);
        }}
      />
    </Section>
  );
}
