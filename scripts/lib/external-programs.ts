// External programs that some tests need, and the tests that need them.
import { provideAzurite } from './azurite.ts';
import { provideCeph } from './ceph.ts';
import { provideLitestream } from './litestream.ts';
import { provideNginx } from './nginx.ts';
import { providePebble } from './pebble.ts';
import { providePlistutil } from './plistutil.ts';
import { start } from './project.ts';
import { provideSimpleSamlPhp } from './simplesamlphp.ts';

const externalPrograms = [
  { tests: /sso|provider|single/, provide: provideSimpleSamlPhp },
  { tests: /tls|acme/, provide: providePebble },
  { tests: /proxy/, provide: provideNginx },
  { tests: /trust|devices/, provide: providePlistutil },
  { tests: /s3|storage|replica/, provide: provideCeph },
  { tests: /azur|byosa|storage/, provide: provideAzurite },
  { tests: /replica/, provide: provideLitestream },
];

/** Installs the external programs of the tests with these words in their path, or of all tests. Returns why some are missing. */
export function provideExternalPrograms(filters: readonly string[]): string[] {
  return externalPrograms
    .filter(({ tests }) => filters.length === 0 || filters.some((filter) => tests.test(filter)))
    .flatMap(({ provide }) => provide() ?? []);
}

/** Does the same in another process, beside other work: installing mostly waits for the network. */
export async function startProviding(filters: readonly string[]): Promise<void> {
  await start(process.execPath, [import.meta.filename, ...filters]);
}

// The phase that needs them tries again, and reports what is missing.
if (import.meta.main) provideExternalPrograms(process.argv.slice(2));
