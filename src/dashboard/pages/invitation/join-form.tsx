// What an invitation offers to people who aren't signed in: an account with the invited address, or the way to sign in.

import { Anchor, Button, Divider, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { InvitationPreview, InvitationSignUpOffer } from '../../../invitations/schema.ts';
import type { RegistrationBegin } from '../../../second-factors/schema.ts';
import type { TokenResponse } from '../../../sign-in/schema.ts';
import { useApi } from '../../api/hooks.ts';
import { createPasskey, createsPasskeys, hasPasskeys } from '../../api/passkeys.ts';
import { FormBody, useForm } from '../../components/form.tsx';
import { explainRefusedInvitation } from '../../components/lock-errors.ts';
import { ContinueToProvider } from '../../components/required-login.tsx';
import { formatDay } from '../../components/times.ts';
import { useServerInfo } from '../../shell/server-info.ts';
import { useLocale, useTexts } from '../../texts/locale.ts';

interface JoinProps {
  preview: InvitationPreview;
  offer: InvitationSignUpOffer;
  token: string;
  /** The path of this page, to return to after signing in. */
  here: string;
  onJoined(): void;
}

export function Join(props: JoinProps) {
  const t = useTexts().invitation;
  const navigate = useNavigate();
  const { offer, here } = props;
  const { email } = offer;
  const signIn = `/sign-in?back=${encodeURIComponent(here)}&email=${encodeURIComponent(email)}`;
  if (offer.sso_login_url !== null) {
    return <ContinueToProvider loginUrl={offer.sso_login_url} email={email} />;
  }
  if (offer.account === 'existing' || !offer.is_open) {
    return (
      <Stack>
        <Text size="sm">{offer.account === 'existing' ? t.hasAccount(email) : t.closed(email)}</Text>
        <Button onClick={() => void navigate({ href: signIn })}>{t.signIn}</Button>
      </Stack>
    );
  }
  return (
    <Stack>
      <JoinForm {...props} />
      <Text size="sm" ta="center">
        {t.orSignIn}{' '}
        <Anchor component="button" type="button" className="tw-link" onClick={() => void navigate({ href: signIn })}>
          {t.signInShort}
        </Anchor>
      </Text>
    </Stack>
  );
}

/**
 * Asks for the name and for how the account signs in: with a passkey or a password. The passkey is first on devices that can
 * create one themselves; on others it needs a second device.
 */
function JoinForm({ preview, offer: { email, also }, token, onJoined }: JoinProps) {
  const { language, texts: all } = useLocale();
  const { auth: texts, invitation: t } = all;
  const passkeyTexts = all.account.passkeys;
  const api = useApi();
  const { passwordMinimum } = useServerInfo();
  const isPasskeyFirst = useIsPasskeyFirst();
  const byPasskey = useRef(false);
  const passkeyButton = useRef<HTMLButtonElement>(null);
  const [isByPasskey, setByPasskey] = useState(false);
  const [isCanceled, setCanceled] = useState(false);
  const path = `/invites/${preview.kind}/sign-up`;
  const form = useForm({
    values: { display_name: nameOf(email), password: '' },
    async submit({ display_name, password }) {
      setCanceled(false);
      const person = { invite_token: token, display_name };
      if (!byPasskey.current) {
        join(await post<TokenResponse>(path, { ...person, password, cookies: true }));
        return;
      }
      const { challenge_id, options } = await post<RegistrationBegin>(`${path}/passkey/begin`, person);
      const credential = await createPasskey(options);
      if (credential === undefined) {
        setCanceled(true);
        return;
      }
      const name = passkeyTexts.defaultName(formatDay(Date.now(), language));
      const body = { ...person, challenge_id, credential, name, cookies: true };
      join(await post<TokenResponse>(`${path}/passkey/finish`, body));
    },
  });

  async function post<Body>(to: string, body: object): Promise<Body> {
    try {
      return await api.send<Body>('POST', to, { body, isAnonymous: true });
    } catch (error) {
      throw explainRefusedInvitation(error, t, { title: t.invalidTitle, text: t.invalid });
    }
  }

  function join(tokens: TokenResponse): void {
    api.noteTokens(tokens);
    onJoined();
  }

  /** Submits the form with a passkey instead of the password. */
  function submitWithPasskey(): void {
    if (form.isSending) return;
    byPasskey.current = true;
    setByPasskey(true);
    void form.onSubmit().finally(() => {
      byPasskey.current = false;
      setByPasskey(false);
    });
  }

  useEffect(() => {
    // The button lost the focus while it was disabled.
    if (isCanceled && !isByPasskey) passkeyButton.current?.focus();
  }, [isCanceled, isByPasskey]);

  const passkey = hasPasskeys() && (
    <>
      <Button
        ref={passkeyButton}
        variant="default"
        fullWidth
        leftSection={<IconFingerprint size={18} />}
        loading={isByPasskey}
        disabled={form.isSending && !isByPasskey}
        autoFocus={isPasskeyFirst === true}
        onClick={submitWithPasskey}
      >
        {passkeyTexts.create}
      </Button>
      <Text size="xs" c="dimmed">
        {passkeyTexts.hint}
      </Text>
      {isCanceled && (
        <Text size="sm" role="alert">
          {t.passkeyCanceled}
        </Text>
      )}
    </>
  );
  const or = passkey !== false && <Divider label={texts.signIn.or} />;
  return (
    <>
      <FormBody
        form={{ ...form, isSending: form.isSending && !isByPasskey }}
        submit={t.join}
        isWide
        isDisabled={isByPasskey}
      >
        <TextInput
          label={texts.email}
          type="email"
          autoComplete="username"
          value={email}
          readOnly
          className="tw-fixed-input"
        />
        <TextInput label={texts.displayName} autoComplete="name" {...form.text('display_name')} />
        {also.length > 0 && <Text size="sm">{t.also(also)}</Text>}
        {isPasskeyFirst === true && passkey}
        {isPasskeyFirst === true && or}
        <PasswordInput
          key={String(isPasskeyFirst)}
          label={texts.newPassword}
          autoComplete="new-password"
          autoFocus={isPasskeyFirst === false}
          {...form.text('password', texts.atLeast(passwordMinimum))}
        />
      </FormBody>
      {isPasskeyFirst === false && or}
      {isPasskeyFirst === false && passkey}
    </>
  );
}

/** Returns whether this device can create a passkey itself, or undefined until that is known. */
function useIsPasskeyFirst(): boolean | undefined {
  const [isFirst, setFirst] = useState(hasPasskeys() ? undefined : false);
  useEffect(() => {
    let isMounted = true;
    void createsPasskeys().then((value) => {
      if (isMounted) setFirst(value);
    });
    return () => {
      isMounted = false;
    };
  }, []);
  return isFirst;
}

/** Suggests a name: `nia.newcomer@example.com` is Nia Newcomer. */
function nameOf(email: string): string {
  const words = (email.split('@')[0] ?? '').split('+')[0]?.split(/[._-]+/) ?? [];
  return words
    .filter((word) => word !== '')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
}
