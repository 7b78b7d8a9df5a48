// Addresses of commits, branches, tags and pull requests in the web pages of repositories. Pure, shared with the web app.

interface Source {
  commit: string | null;
  branch: string | null;
  tag: string | null;
  pull_request: number | null;
  repository_url: string | null;
  run_url: string | null;
}

/** Undefined for what is missing, and for repositories whose pages aren't known. */
export interface SourceLinks {
  repository: string | undefined;
  commit: string | undefined;
  branch: string | undefined;
  tag: string | undefined;
  pullRequest: string | undefined;
  run: string | undefined;
}

/** The paths below a repository; names are encoded. */
interface Paths {
  commit: string;
  branch: string;
  tag: string;
  pullRequest: string;
}

const paths: Record<'github' | 'gitlab' | 'bitbucket' | 'gitea', Paths> = {
  github: { commit: 'commit', branch: 'tree', tag: 'tree', pullRequest: 'pull' },
  gitlab: { commit: '-/commit', branch: '-/tree', tag: '-/tags', pullRequest: '-/merge_requests' },
  bitbucket: { commit: 'commits', branch: 'branch', tag: 'commits/tag', pullRequest: 'pull-requests' },
  gitea: { commit: 'commit', branch: 'src/branch', tag: 'src/tag', pullRequest: 'pulls' },
};

/** Returns the paths of a host. A self-hosted server is recognized by its name. Bitbucket Data Center isn't, because it has other paths. */
function pathsOf(host: string): Paths | undefined {
  const labels = host.split('.');
  const isCalled = (...names: string[]) => labels.some((label) => names.includes(label));
  if (isCalled('github')) return paths.github;
  if (isCalled('gitlab')) return paths.gitlab;
  if (host === 'bitbucket.org') return paths.bitbucket;
  return isCalled('gitea', 'forgejo', 'codeberg') ? paths.gitea : undefined;
}

/** Returns the address if it can be opened without risk: http or https without a user name or password. */
function safeUrl(text: string | null): URL | undefined {
  const url = text === null ? null : URL.parse(text);
  const isSafe =
    url !== null && ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === '';
  return isSafe ? url : undefined;
}

const encodePath = (name: string): string => name.split('/').map(encodeURIComponent).join('/');

/** Returns the addresses of a source. Checks everything again, because older servers and other clients may have stored it. */
export function linkSource(source: Source): SourceLinks {
  const repository = safeUrl(source.repository_url);
  const run = safeUrl(source.run_url)?.href;
  const root = repository && `${repository.origin}${repository.pathname}`.replace(/\/+$/, '').replace(/\.git$/, '');
  const known = repository && pathsOf(repository.hostname.toLowerCase());
  const isRepository = repository !== undefined && repository.pathname.split('/').filter(Boolean).length >= 2;
  const to = (kind: keyof Paths, name: string | null): string | undefined =>
    known === undefined || !isRepository || name === null || /(?:^|\/)\.{1,2}(?:\/|$)/.test(name)
      ? undefined
      : `${root}/${known[kind]}/${encodePath(name)}`;
  return {
    repository: root,
    commit: to('commit', source.commit),
    branch: to('branch', source.branch),
    tag: to('tag', source.tag),
    pullRequest: to('pullRequest', source.pull_request === null ? null : String(source.pull_request)),
    run,
  };
}
