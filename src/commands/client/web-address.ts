// Addresses of git remotes as addresses that people can open, without what is secret in them.

/** Paths of Azure Repos over SSH: v3/organization/project/repository. */
const AZURE_SSH = /^(?:ssh\.dev\.azure\.com|vs-ssh\.visualstudio\.com)$/i;

/**
 * Returns the https or http address of a git remote: without user name, password, port of SSH, query and `.git`. Undefined for local
 * paths and for protocols that aren't git's.
 */
export function webAddressOf(remote: string): string | undefined {
  const text = remote.trim();
  // What git takes for SSH: user@host:path, without a slash before the colon. One letter is the drive of a Windows path.
  // A host without a user name has a dot, or it's a protocol.
  const scp = /^(?:[^\s/:@]+@(?=[^\s/:@]{2})|(?=[^\s/:@]+\.))([^\s/:@]+):(?!\/\/)\/*(\S+)$/.exec(text);
  if (scp !== null) return scp[2]?.includes('@') === true ? undefined : withPath(`https://${scp[1]}`, scp[2] ?? '');
  const url = URL.parse(text);
  if (url === null || url.hostname === '') return undefined;
  if (url.protocol === 'http:' || url.protocol === 'https:')
    return withPath(`${url.protocol}//${url.host}`, url.pathname);
  const isGit = ['ssh:', 'git:', 'git+ssh:', 'git+https:'].includes(url.protocol);
  return isGit ? withPath(`https://${url.hostname}`, url.pathname) : undefined;
}

function withPath(origin: string, path: string): string | undefined {
  const parts =
    path
      .split(/[?#]/, 1)[0]
      ?.split('/')
      .filter((part) => part !== '') ?? [];
  const [version, organization, project, repository] = parts;
  const host = origin.slice('https://'.length);
  const isAzure = AZURE_SSH.test(host) && version === 'v3' && repository !== undefined;
  const address = isAzure
    ? `https://dev.azure.com/${organization}/${project}/_git/${repository}`
    : `${origin}/${parts.join('/')}`.replace(/\.git$/, '').replace(/\/$/, '');
  return URL.canParse(address) ? address : undefined;
}

/** Returns the address of a page without user name and password. Undefined for anything but http and https. */
export function withoutCredentials(address: string): string | undefined {
  const url = URL.parse(address.trim());
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  if (url.username === '' && url.password === '') return address.trim();
  url.username = '';
  url.password = '';
  return url.href;
}
