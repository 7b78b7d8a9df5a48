// Signing in, in all its ways: passkey (offered while the address is typed), password with a second factor, and the identity
// provider of the address.
import { Anchor, Button, Divider, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { AuthenticationBegin } from '../../../second-factors/schema.ts';
import type { MfaRequired, TokenResponse } from '../../../sign-in/schema.ts';
import { useApi, useRead } from '../../api/api-context.ts';
import { ApiError } from '../../api/errors.ts';
import { askPasskey, hasPasskeys, offersInAutofill } from '../../api/passkeys.ts';
import { Captcha } from '../../parts/captcha.tsx';
import { FormBody, useForm } from '../../parts/form.tsx';
import { Problem } from '../../parts/problem.tsx';
import type { Service } from '../../parts/setup-pending.tsx';
import { useTexts } from '../../texts/languages.ts';
import { SecondStep } from './two-factor.tsx';

interface SignInFormProps {
  /** Where to go afterwards; for identity providers, which leave this page. */
  back: string;
  onSignedIn(): void;
  /** Whether ways to other pages are shown. */
  hasLinks?: boolean;
  email?: string;
}

/** The form. */
export function SignInForm({ back, onSignedIn, hasLinks = true, email = '' }: SignInFormProps) {
  const t = useTexts().entry;
  const api = useApi();
  const [second, setSecond] = useState<MfaRequired>();
  const [wantsCaptcha, setWantsCaptcha] = useState(false);
  const [passkeyError, setPasskeyError] = useState<unknown>();
  const [noPasskey, setNoPasskey] = useState(false);
  const waiting = useRef<AbortController>(undefined);
  const login = useSsoLogin(back);

  const form = useForm({
    values: { email, password: '', captcha_token: '' },
    async submit(values) {
      if ((await login.look(values.email)) !== undefined) return;
      try {
        const { captcha_token: token, ...account } = values;
        const body = { ...account, cookies: true, ...(token === '' ? {} : { captcha_token: token }) };
        const answer = await api.send<TokenResponse | MfaRequired>('POST', '/login', { body, isAnonymous: true });
        if ('mfa_required' in answer) setSecond(answer);
        else signedIn(answer);
      } catch (error) {
        if (error instanceof ApiError && error.fields.some(({ field }) => field === 'captcha_token')) {
          form.set('captcha_token', '');
          setWantsCaptcha(true);
        }
        throw error;
      }
    },
  });

  function signedIn(answer: TokenResponse): void {
    waiting.current?.abort();
    api.noteTokens(answer);
    onSignedIn();
  }

  async function signInByPasskey(isAutofill: boolean): Promise<void> {
    waiting.current?.abort();
    const controller = new AbortController();
    waiting.current = controller;
    setPasskeyError(undefined);
    setNoPasskey(false);
    try {
      const { signal } = controller;
      const body = { cookies: true };
      const { challenge_id, options } = await api.send<AuthenticationBegin>('POST', '/login/passkey/begin', {
        body,
        signal,
        isAnonymous: true,
      });
      const credential = await askPasskey(options, { signal, isAutofill });
      if (signal.aborted) return;
      if (credential === undefined) {
        setNoPasskey(!isAutofill);
        return;
      }
      const finish = { body: { challenge_id, credential }, isAnonymous: true };
      signedIn(await api.send<TokenResponse>('POST', '/login/passkey/finish', finish));
    } catch (error) {
      if (!controller.signal.aborted && !isAutofill) setPasskeyError(error);
    }
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: offered once, when the form appears
  useEffect(() => {
    void offersInAutofill().then((isOffered) => {
      if (isOffered && waiting.current === undefined) void signInByPasskey(true);
    });
    return () => waiting.current?.abort();
  }, []);

  if (second !== undefined) {
    return <SecondStep first={second} onSignedIn={signedIn} onStartOver={() => setSecond(undefined)} />;
  }
  const isWrong = form.rest instanceof ApiError && form.rest.status === 401;
  return (
    <Stack>
      {hasPasskeys() && (
        <>
          <Button
            variant="default"
            fullWidth
            leftSection={<IconFingerprint size={18} />}
            onClick={() => void signInByPasskey(false)}
          >
            {t.signIn.passkey}
          </Button>
          {noPasskey && (
            <Text size="sm" role="alert">
              {t.signIn.passkeyFailed}
            </Text>
          )}
          {passkeyError !== undefined && <Problem error={passkeyError} />}
          <Divider label={t.signIn.or} />
        </>
      )}
      <FormBody
        form={isWrong ? { ...form, rest: undefined } : form}
        submit={login.address === undefined ? t.signIn.submit : t.signIn.sso}
        isWide
        isDisabled={wantsCaptcha && form.values.captcha_token === ''}
      >
        <TextInput
          label={t.email}
          type="email"
          autoComplete="username webauthn"
          required
          withAsterisk={false}
          {...form.text('email')}
          onBlur={() => void login.look(form.values.email, true)}
        />
        {login.address === undefined ? (
          <PasswordInput
            label={t.password}
            autoComplete="current-password"
            required
            withAsterisk={false}
            {...form.text('password')}
            error={isWrong ? t.signIn.incorrect : form.problems.password}
          />
        ) : (
          <Text size="sm">{t.signIn.ssoHint}</Text>
        )}
        {wantsCaptcha && <Captcha onSolved={(token) => form.set('captcha_token', token)} />}
      </FormBody>
      {hasLinks && <SignInLinks />}
    </Stack>
  );
}

function SignInLinks() {
  const t = useTexts().entry.signIn;
  const { data } = useRead<Service>('/service', { isAnonymous: true });
  return (
    <Stack gap={4} align="center">
      <Anchor component={Link} to="/reset" size="sm" className="tw-link">
        {t.forgot}
      </Anchor>
      {data !== undefined && data.features.signup !== 'closed' && !data.setup_pending && (
        <Text size="sm">
          {t.noAccount}{' '}
          <Anchor component={Link} to="/sign-up" className="tw-link">
            {t.signUp}
          </Anchor>
        </Text>
      )}
    </Stack>
  );
}

/** Whether an address signs in elsewhere. The question is about its domain alone, and asked once for each. */
function useSsoLogin(back: string) {
  const api = useApi();
  const known = useRef(new Map<string, string | undefined>());
  const [address, setAddress] = useState<string>();
  async function look(email: string, onlyLook = false): Promise<string | undefined> {
    const domain = email.split('@')[1]?.toLowerCase() ?? '';
    if (!/\.\w+$/.test(domain)) {
      setAddress(undefined);
      return undefined;
    }
    if (!known.current.has(domain)) {
      type Found = { sso: boolean; login_url: string | null };
      const question = api.send<Found>('POST', '/login/sso/discover', { body: { email }, isAnonymous: true });
      const found = await question.catch(() => undefined);
      if (found !== undefined) known.current.set(domain, found.login_url ?? undefined);
    }
    const url = known.current.get(domain);
    setAddress(url);
    if (url !== undefined && !onlyLook) {
      const target = new URL(url, location.href);
      target.searchParams.set('relay_state', back);
      location.assign(target);
    }
    return url;
  }
  return { address, look };
}
