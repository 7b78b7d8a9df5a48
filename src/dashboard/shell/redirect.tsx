// Redirects when it is rendered. For addresses with a query, which the router's own component doesn't support.
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';

export function Redirect({ href }: { href: string }) {
  const navigate = useNavigate();
  // biome-ignore lint/correctness/useExhaustiveDependencies: redirects once, however often the parent renders
  useEffect(() => void navigate({ href, replace: true }), []);
  return null;
}
