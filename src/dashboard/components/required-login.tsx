// The way to an identity provider, for people who must sign in through it.
import { Button, Stack, Text } from '@mantine/core';
import { useRouter, useRouterState } from '@tanstack/react-router';
import { ApiError } from '../api/errors.ts';
import { useTexts } from '../texts/locale.ts';

/** Returns where to sign in if an error says that the organization requires it, or undefined. */
export function requiredLogin(error: unknown): string | undefined {
  if (!(error instanceof ApiError) || error.details.reason !== 'sso_required') return undefined;
  return typeof error.details.login_url === 'string' ? error.details.login_url : undefined;
}

/** Explains that an address signs in through an identity provider, with a button to it. People return to the current page. */
export function ContinueToProvider({ loginUrl, email }: { loginUrl: string; email: string }) {
  const t = useTexts().invitation;
  const base = useRouter().options.basepath ?? '/';
  const here = useRouterState({ select: ({ location }) => location.href });
  const target = new URL(loginUrl, location.href);
  target.searchParams.set('relay_state', base === '/' ? here : base + here);
  return (
    <Stack w="100%" gap="xs">
      <Text size="sm">{t.needsSso(email)}</Text>
      <Button component="a" href={target.href}>
        {t.sso}
      </Button>
    </Stack>
  );
}
