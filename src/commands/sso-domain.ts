// taxiway sso-domain: verifies a domain of an organization without DNS.
import { Command } from 'commander';
import { addConfigOption, type ConfigOptions, loadCommandConfig } from './configuration.ts';
import type { CommandHost } from './host.ts';
import { withApp } from './open-app.ts';
import { withRefusals } from './service-errors.ts';

interface VerifyOptions extends ConfigOptions {
  organization: string;
  domain: string;
  json?: boolean;
}

const EXAMPLE = `
Example:
  taxiway sso-domain verify --organization 0197b6a0-3c1e-7c44-9d0b-3a1f2e5d6c7b --domain example.com

The owner of a domain controls the accounts in it: verify only domains that belong to the organization.
`;

export function buildSsoDomainCommand(host: CommandHost): Command {
  const verify = addConfigOption(new Command('verify'))
    .description('Verifies a domain without a DNS lookup, and claims it if necessary.')
    .requiredOption('--organization <id>', 'organization that the domain belongs to')
    .requiredOption('--domain <name>', 'domain such as example.com')
    .option('--json', 'print the domain as JSON')
    .addHelpText('after', EXAMPLE)
    .action((options: VerifyOptions) => verifyDomain(host, options));
  return new Command('sso-domain')
    .description('Verifies single sign-on domains. Works with or without a running server.')
    .addCommand(verify)
    .addHelpText('after', EXAMPLE);
}

async function verifyDomain(host: CommandHost, options: VerifyOptions): Promise<void> {
  const [{ verifyDomainByOperator }, { systemContext }] = await Promise.all([
    import('../sso/domains.ts'),
    import('../core/transact.ts'),
  ]);
  const domain = await withApp(loadCommandConfig(host, options), ({ app }) =>
    withRefusals(() => verifyDomainByOperator(systemContext(app), options.organization.toLowerCase(), options.domain)),
  );
  host.print(options.json === true ? `${JSON.stringify(domain, null, 2)}\n` : `${domain.domain} verified\n`);
}
