// A link in a long list. The router's own link follows each change of the address, which costs more than the rest of a row.
import { useRouter } from '@tanstack/react-router';
import type { ComponentProps, MouseEvent } from 'react';

type Target =
  | { to: '/projects/$projectId/builds/$buildId'; params: { projectId: string; buildId: string } }
  | { to: '/projects/$projectId/channels/$channelId'; params: { projectId: string; channelId: string } }
  | { to: '/projects/$projectId/builds'; params: { projectId: string }; search: { label: string } };

type RowLinkProps = Target & Omit<ComponentProps<'a'>, 'href' | 'target'>;

/** Behaves like the router's link: other keys and buttons do what the browser does with links, and its page is loaded before the click. */
export function RowLink({ to, params, children, ...others }: RowLinkProps) {
  const { search, ...attributes } = { search: undefined, ...others };
  const router = useRouter();
  // Each target is valid by the type of the properties; the router only checks targets one by one.
  const target = { to, params, search } as never;
  const path = to.replace(/\$(\w+)/g, (_, name: string) =>
    encodeURIComponent((params as Record<string, string>)[name] ?? ''),
  );
  const base = router.basepath === '/' ? '' : router.basepath;
  const preload = () => void router.preloadRoute(target).catch(() => undefined);
  function open(event: MouseEvent): void {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.altKey || event.shiftKey) return;
    event.preventDefault();
    void router.navigate(target);
  }
  return (
    <a
      href={`${base}${path}${search === undefined ? '' : router.options.stringifySearch(search)}`}
      onClick={open}
      onFocus={preload}
      onPointerDown={preload}
      {...attributes}
    >
      {children}
    </a>
  );
}
