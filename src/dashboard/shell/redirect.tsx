// Goes elsewhere as soon as it is drawn; for addresses with a query, which the router's own component does not take.
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';

export function Redirect({ href }: { href: string }) {
  const navigate = useNavigate();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, however often the parent is drawn meanwhile
  useEffect(() => void navigate({ href, replace: true }), []);
  return null;
}
