// Describes the device and browser of a User-Agent header, for the list of sessions.

interface Described {
  device: string | null;
  browser: string | null;
}

export type Describe = (userAgent: string | null) => Described;

/** Loads the parser, which is only needed for lists of sessions. */
export async function loadUserAgentReader(): Promise<Describe> {
  const { default: bowser } = await import('bowser');
  return (userAgent) => {
    if (userAgent === null || userAgent === '') return { device: null, browser: null };
    const { browser, os, platform } = bowser.parse(userAgent);
    const model = [platform.vendor, platform.model].filter(Boolean).join(' ');
    const system = named(os.name, os.versionName ?? os.version);
    const device = [model, system].filter((part) => part !== null && part !== '').join(', ');
    return {
      device: device === '' ? null : device.slice(0, 100),
      browser: userAgent.startsWith('Mozilla/')
        ? named(browser.name, shortVersion(browser.version))
        : firstProduct(userAgent),
    };
  };
}

function named(name: string | undefined, version: string | undefined): string | null {
  if (name === undefined || name === '') return null;
  return version === undefined || version === '' ? name : `${name} ${version}`;
}

/** Shortens `131.0.6778.86` to `131` and `17.4.1` to `17.4`. */
function shortVersion(version: string | undefined): string | undefined {
  return version?.split('.').slice(0, 2).join('.').replace(/\.0$/, '');
}

/** Returns the first product name, because programs other than browsers start with their own name, as in `curl/8.5.0`. */
function firstProduct(userAgent: string): string | null {
  const match = /^([\w.-]{1,40})(?:\/([\w.-]{1,20}))?(?:\s|$)/.exec(userAgent);
  return match === null ? null : named(match[1], match[2]);
}
