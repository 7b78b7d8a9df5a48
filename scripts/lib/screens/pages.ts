// The pages of which pictures are taken: those of the web app from its router, those of the server, and the documentation.
import { readRoutes } from '../routes.ts';
import type { Content } from './content.ts';

/** Pages of the documentation with everything that its layout has. */
const docs = ['index.html', 'start.html', 'ios.html', 'command-line.html', 'all-pages.html'];

export type Visitor = 'admin' | 'nobody' | 'iphone' | 'android';

export interface ScreenPage {
  /** The start of its pictures' names. */
  name: string;
  /** The address, below the server's. */
  path: string;
  visitor: Visitor;
  /** What the page contains instead: an email. */
  html?: string;
}

/** The pages that need a server without accounts. */
export function setupPages(setupPath: string): ScreenPage[] {
  return [
    { name: 'app-setup', path: setupPath, visitor: 'nobody' },
    { name: 'server-setup', path: `${setupPath}?plain`, visitor: 'nobody' },
  ];
}

/** The pages that need a server with its own certificate authority. */
export const trustPages: ScreenPage[] = [{ name: 'server-trust', path: '/trust', visitor: 'iphone' }];

/** The route `$` is that of unknown addresses. */
const nameOf = (path: string) =>
  path === '$'
    ? 'unknown'
    : path
        .replace(/^\/|\/$/g, '')
        .replaceAll('$', '')
        .replaceAll('/', '-') || 'home';

/** All others. Throws for a route with a parameter that the content doesn't have. */
export function listPages({ parameters, tokens, channels, enrollment }: Content): ScreenPage[] {
  const app = readRoutes()
    // A server that was set up has no setup page.
    .filter(({ path }) => path !== '/setup/$token')
    .map(({ path, isEntry }): ScreenPage => {
      const address = path.replaceAll(/\$\w+/g, (name) => {
        const value = name === '$token' ? tokens[path] : parameters[name];
        if (value === undefined) throw new Error(`Add ${name} of the route ${path} to scripts/lib/screens/content.ts`);
        return value;
      });
      return { name: `app-${nameOf(path)}`, path: address, visitor: isEntry ? 'nobody' : 'admin' };
    });
  const { pathname, search } = new URL(enrollment);
  const server: ScreenPage[] = [
    { name: 'install-iphone', path: `/install/channels/${channels.ios}`, visitor: 'iphone' },
    { name: 'install-android', path: `/install/channels/${channels.android}`, visitor: 'android' },
    { name: 'install-ios-on-android', path: `/install/channels/${channels.ios}`, visitor: 'android' },
    { name: 'install-desktop', path: `/install/channels/${channels.ios}`, visitor: 'nobody' },
    { name: 'install-android-on-desktop', path: `/install/channels/${channels.android}`, visitor: 'nobody' },
    { name: 'install-unknown', path: '/install/unknown', visitor: 'iphone' },
    { name: 'install-feedback', path: `/install/channels/${channels.ios}/feedback`, visitor: 'iphone' },
    { name: 'server-cli', path: '/cli', visitor: 'nobody' },
    { name: 'server-api-reference', path: '/api/docs', visitor: 'nobody' },
    { name: 'server-register', path: `${pathname}${search}`, visitor: 'iphone' },
    { name: 'server-not-found', path: '/nothing-here', visitor: 'nobody' },
    { name: 'app-verify-email', path: '/verify?email=grace@example.com', visitor: 'nobody' },
    ...Object.entries(tokens).map(
      ([path, token]): ScreenPage => ({
        name: `server-${nameOf(path)}`,
        path: `${path.replace('$kind', parameters.$kind ?? '').replace('$token', token)}?plain`,
        visitor: 'nobody',
      }),
    ),
  ];
  return [
    ...app,
    ...server,
    ...docs.map(
      (path): ScreenPage => ({
        name: `docs-${path.replace(/\.html$/, '').replaceAll('/', '-')}`,
        path: `/docs/${path}`,
        visitor: 'nobody',
      }),
    ),
  ];
}

/** The emails that were sent, by kind. */
export function mailPages(mails: ReadonlyMap<string, string>): ScreenPage[] {
  return [...mails].map(([kind, html]) => ({ name: `mail-${kind}`, path: '/', visitor: 'nobody', html }));
}
