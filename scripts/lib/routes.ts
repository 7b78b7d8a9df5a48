// The routes of the web app, as its router declares them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from './project.ts';

export interface Route {
  /** With `$name` for each parameter. */
  path: string;
  /** Whether it is for people who aren't signed in. */
  isEntry: boolean;
}

const prefixes: Record<string, string> = { projectPage: '/projects/$projectId', settingsPage: '/settings' };

/** Returns the routes of all pages, without redirects. */
export function readRoutes(): Route[] {
  const source = readFileSync(join(projectDir, 'src/dashboard/router.tsx'), 'utf8');
  const drawnAtOnce = [...source.matchAll(/=> shell, path: '([^']+)', component/g)].map(([, path = '']) => ({
    path,
    isEntry: false,
  }));
  const later = [...source.matchAll(/\b(entryPage|page|projectPage|settingsPage)\('([^']+)'/g)].map(
    ([, kind = '', path = '']) => ({
      path: path === '/' ? prefixes[kind] || '/' : `${prefixes[kind] ?? ''}${path}`,
      isEntry: kind === 'entryPage',
    }),
  );
  return [...drawnAtOnce, ...later];
}
