// The sign-in form: passkey (also in autofill), password with two-factor authentication, code by email, and the identity provider of
// the email's domain.
import { Anchor, Button, Divider, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { IconFingerprint, IconMail } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { AuthenticationBegin } from '../../../second-factors/schema.ts';
import type { Service } from '../../../service/schema.ts';
import type { MfaRequired, TokenResponse } from '../../../sign-in/schema.ts';
import { ApiError } from '../../api/errors.ts';
import { useApi, useRead } from '../../api/hooks.ts';
import { hasPasskeys, requestPasskey, supportsAutofill } from '../../api/passkeys.ts';
import { Captcha } from '../../components/captcha.tsx';
import { ErrorAlert } from '../../components/errors.tsx';
import { FormBody, useForm } from '../../components/form.tsx';
import { useServerInfo } from '../../shell/server-info.ts';
import { useTexts } from '../../texts/locale.ts';
import { EmailCodeForm } from './email-code-form.tsx';
import { clearPendingEmail, notePendingEmail, readPendingEmail } from './pending-email.ts';
import { TwoFactorForm } from './two-factor-form.tsx';

interface SignInFormProps {
  /** The page to open afterwards, for identity providers, which leave this page. */
  back: string;
  onSignedIn(): void;
  /** Whether to link to other pages. */
  hasLinks?: boolean;
  email?: string;
  isEmailFixed?: boolean;
  /** Whether identity providers open in a new tab, because this page has input. */
  keepsPage?: boolean;
}

interface SignInValues {
  email: string;
  password: string;
  captcha_token: string;
}

export function SignInForm({
  back,
  onSignedIn,
  hasLinks = true,
  email = '',
  isEmailFixed = false,
  keepsPage = false,
}: SignInFormProps) {
  const t = useTexts().auth;
  const api = useApi();
  const [twoFactor, setTwoFactor] = useState<MfaRequired>();
  const [attempt, setAttempt] = useState(0);
  const { data: service } = useRead<Service>('/service', { isAnonymous: true });
  const { sendsMail } = useServerInfo();
  const [codeFor, setCodeFor] = useState(() => {
    const pending = sendsMail ? readPendingEmail()?.email : undefined;
    return email === '' || pending === email ? pending : undefined;
  });
  const passkey = usePasskey(signedIn);
  const byEmail = useRef(false);
  const login = useSsoLogin(back, keepsPage);
  const needsCaptcha = service !== undefined && service.features.captcha !== 'none' && login.address === undefined;

  const form = useForm<SignInValues>({
    values: { email, password: '', captcha_token: '' },
    submit: (values) => (byEmail.current ? requestCode(values) : signIn(values)),
  });

  async function signIn(values: SignInValues): Promise<void> {
    if ((await login.lookUp(values.email)) !== undefined) return;
    const { captcha_token: token, ...account } = values;
    const body = { ...account, cookies: true, ...(token === '' ? {} : { captcha_token: token }) };
    const request = api.send<TokenResponse | MfaRequired>('POST', '/login', { body, isAnonymous: true });
    answered(await request.catch(renewCaptcha));
  }

  async function requestCode({ email: address, captcha_token: token }: SignInValues): Promise<void> {
    const body = { email: address, ...(token === '' ? {} : { captcha_token: token }) };
    await api.send('POST', '/login/email', { body, isAnonymous: true }).catch(renewCaptcha);
    passkey.abort();
    notePendingEmail({ email: address, back });
    setCodeFor(address);
  }

  /** Submits the form as a request for a code instead of a sign-in with the password. */
  function submitForCode(): void {
    byEmail.current = true;
    void form.onSubmit().finally(() => {
      byEmail.current = false;
    });
  }

  /** The server has used the token of the captcha, whatever it refused. */
  function renewCaptcha(error: unknown): never {
    form.set('captcha_token', '');
    setAttempt((last) => last + 1);
    throw error;
  }

  function answered(answer: TokenResponse | MfaRequired): void {
    if ('mfa_required' in answer) setTwoFactor(answer);
    else signedIn(answer);
  }

  function forgetCode(): void {
    clearPendingEmail();
    setCodeFor(undefined);
  }

  function signedIn(answer: TokenResponse): void {
    passkey.abort();
    clearPendingEmail();
    api.noteTokens(answer);
    onSignedIn();
  }

  // Known before the click, which only then may open a tab.
  // biome-ignore lint/correctness/useExhaustiveDependencies: looked up once, when the form appears
  useEffect(() => void (keepsPage && login.lookUp(email, true)), []);

  if (twoFactor !== undefined) {
    return <TwoFactorForm first={twoFactor} onSignedIn={signedIn} onStartOver={() => setTwoFactor(undefined)} />;
  }
  if (codeFor !== undefined) return <EmailCodeForm email={codeFor} onAnswer={answered} onStartOver={forgetCode} />;
  const isWrong = form.formError instanceof ApiError && form.formError.status === 401;
  return (
    <Stack>
      {hasPasskeys() && <PasskeyButton passkey={passkey} />}
      <FormBody
        form={isWrong ? { ...form, formError: undefined } : form}
        submit={login.address === undefined ? t.signIn.submit : t.signIn.sso}
        isWide
        isDisabled={needsCaptcha && form.values.captcha_token === ''}
      >
        <TextInput
          label={t.email}
          type="email"
          autoComplete="username webauthn"
          required
          withAsterisk={false}
          {...form.text('email')}
          {...(isEmailFixed && { readOnly: true, className: 'tw-fixed-input' })}
          onBlur={() => void login.lookUp(form.values.email, true)}
        />
        {login.address === undefined ? (
          <PasswordInput
            label={t.password}
            autoComplete="current-password"
            required
            withAsterisk={false}
            {...form.text('password')}
            error={isWrong ? t.signIn.incorrect : form.errors.password}
          />
        ) : (
          <Text size="sm">{keepsPage ? t.signIn.ssoTabHint : t.signIn.ssoHint}</Text>
        )}
        {needsCaptcha && <Captcha attempt={attempt} onSolved={(token) => form.set('captcha_token', token)} />}
      </FormBody>
      {sendsMail && login.address === undefined && (
        <Button
          variant="subtle"
          fullWidth
          leftSection={<IconMail size={18} />}
          disabled={form.isSending || (needsCaptcha && form.values.captcha_token === '')}
          onClick={submitForCode}
        >
          {t.signIn.byEmail}
        </Button>
      )}
      {hasLinks && <SignInLinks />}
    </Stack>
  );
}

/**
 * Signs in with a passkey: by its button, and by autofill, which waits from when the form appears. `abort` ends a request that
 * waits for the user.
 */
function usePasskey(onSignedIn: (answer: TokenResponse) => void) {
  const api = useApi();
  const [error, setError] = useState<unknown>();
  const [isCanceled, setCanceled] = useState(false);
  const waiting = useRef<AbortController>(undefined);

  async function signIn(isAutofill: boolean): Promise<void> {
    waiting.current?.abort();
    const controller = new AbortController();
    waiting.current = controller;
    setError(undefined);
    setCanceled(false);
    try {
      const { signal } = controller;
      const body = { cookies: true };
      const { challenge_id, options } = await api.send<AuthenticationBegin>('POST', '/login/passkey/begin', {
        body,
        signal,
        isAnonymous: true,
      });
      const credential = await requestPasskey(options, { signal, isAutofill });
      if (signal.aborted) return;
      if (credential === undefined) {
        setCanceled(!isAutofill);
        return;
      }
      const finish = { body: { challenge_id, credential }, isAnonymous: true };
      onSignedIn(await api.send<TokenResponse>('POST', '/login/passkey/finish', finish));
    } catch (failure) {
      if (!controller.signal.aborted && !isAutofill) setError(failure);
    }
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: autofill is offered once, when the form appears
  useEffect(() => {
    let isMounted = true;
    void supportsAutofill().then((isOffered) => {
      // A request of a form that was replaced would block the one of its successor.
      if (isMounted && isOffered && waiting.current === undefined) void signIn(true);
    });
    return () => {
      isMounted = false;
      waiting.current?.abort();
    };
  }, []);

  return { error, isCanceled, signIn: () => void signIn(false), abort: () => waiting.current?.abort() };
}

function PasskeyButton({ passkey }: { passkey: ReturnType<typeof usePasskey> }) {
  const t = useTexts().auth.signIn;
  return (
    <>
      <Button variant="default" fullWidth leftSection={<IconFingerprint size={18} />} onClick={passkey.signIn}>
        {t.passkey}
      </Button>
      {passkey.isCanceled && (
        <Text size="sm" role="alert">
          {t.passkeyFailed}
        </Text>
      )}
      {passkey.error !== undefined && <ErrorAlert error={passkey.error} />}
      <Divider label={t.or} />
    </>
  );
}

function SignInLinks() {
  const t = useTexts().auth.signIn;
  const { data } = useRead<Service>('/service', { isAnonymous: true });
  return (
    <Stack gap={4} align="center">
      <Anchor component={Link} to="/reset" size="sm" className="tw-link">
        {t.forgot}
      </Anchor>
      {data !== undefined && data.features.signup !== 'closed' && !data.setup_pending && (
        <Text size="sm">
          {t.noAccount}{' '}
          <Anchor component={Link} to="/sign-up" search={true} className="tw-link">
            {t.signUp}
          </Anchor>
        </Text>
      )}
    </Stack>
  );
}

/** Looks up the identity provider of an email address, once for each domain, and opens it. */
function useSsoLogin(back: string, isInNewTab: boolean) {
  const api = useApi();
  const known = useRef(new Map<string, string | undefined>());
  const [address, setAddress] = useState<string>();
  async function lookUp(email: string, lookUpOnly = false): Promise<string | undefined> {
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
    if (url !== undefined && !lookUpOnly) {
      const target = new URL(url, location.href);
      target.searchParams.set('relay_state', back);
      if (isInNewTab) open(target, '_blank', 'noopener');
      else location.assign(target);
    }
    return url;
  }
  return { address, lookUp };
}
