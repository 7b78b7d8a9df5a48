// What an invitation offers to people who aren't signed in: an account with the invited address, or the way to sign in.

import { Anchor, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useNavigate, useRouter } from '@tanstack/react-router';
import type { InvitationPreview, InvitationSignUpOffer } from '../../../invitations/schema.ts';
import type { TokenResponse } from '../../../sign-in/schema.ts';
import { useApi } from '../../api/hooks.ts';
import { FormBody, useForm } from '../../components/form.tsx';
import { useServerInfo } from '../../shell/server-info.ts';
import { useTexts } from '../../texts/locale.ts';

interface JoinProps {
  preview: InvitationPreview;
  offer: InvitationSignUpOffer;
  token: string;
  /** The path of this page, to return to after signing in. */
  here: string;
  onJoined(): void;
}

export function Join(props: JoinProps) {
  const t = useTexts().auth.invitation;
  const router = useRouter();
  const navigate = useNavigate();
  const { offer, here } = props;
  const { email } = offer;
  const signIn = `/sign-in?back=${encodeURIComponent(here)}&email=${encodeURIComponent(email)}`;
  if (offer.sso_login_url !== null) {
    const target = new URL(offer.sso_login_url, location.href);
    const base = router.options.basepath ?? '/';
    target.searchParams.set('relay_state', base === '/' ? here : base + here);
    return (
      <Stack>
        <Text size="sm">{t.needsSso(email)}</Text>
        <Button component="a" href={target.href}>
          {t.sso}
        </Button>
      </Stack>
    );
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

function JoinForm({ preview, offer: { email, also }, token, onJoined }: JoinProps) {
  const texts = useTexts().auth;
  const t = texts.invitation;
  const api = useApi();
  const { passwordMinimum } = useServerInfo();
  const form = useForm({
    values: { display_name: nameOf(email), password: '' },
    async submit(account) {
      const body = { ...account, invite_token: token, cookies: true };
      const path = `/invites/${preview.kind}/sign-up`;
      api.noteTokens(await api.send<TokenResponse>('POST', path, { body, isAnonymous: true }));
      onJoined();
    },
  });
  return (
    <FormBody form={form} submit={t.join} isWide>
      <TextInput
        label={texts.email}
        type="email"
        autoComplete="username"
        value={email}
        readOnly
        className="tw-fixed-input"
      />
      <TextInput label={texts.displayName} autoComplete="name" {...form.text('display_name')} />
      <PasswordInput
        label={texts.newPassword}
        autoComplete="new-password"
        autoFocus
        {...form.text('password', texts.atLeast(passwordMinimum))}
      />
      {also.length > 0 && <Text size="sm">{t.also(also)}</Text>}
    </FormBody>
  );
}

/** Suggests a name: `nia.newcomer@example.com` is Nia Newcomer. */
function nameOf(email: string): string {
  const words = (email.split('@')[0] ?? '').split('+')[0]?.split(/[._-]+/) ?? [];
  return words
    .filter((word) => word !== '')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
}
