// taxiway sso-domain: the operator verifies a domain of an organization where DNS cannot.
import { Command } from 'commander';
import { addConfigOption, type ConfigOptions, loadCommandConfig } from './configuration.ts';
import type { CommandHost } from './host.ts';
import { withApp } from './open-app.ts';
import { refusing } from './service-errors.ts';

interface VerifyOptions extends ConfigOptions {
  organization: string;
  domain: string;
  json?: boolean;
}

const EXAMPLE = `
Example:
  taxiway sso-domain verify --organization 0197b6a0-3c1e-7c44-9d0b-3a1f2e5d6c7b --domain example.com

Whoever holds a domain decides who owns the accounts in it: verify only what belongs to the organization.
`;

export function buildSsoDomainCommand(host: CommandHost): Command {
  const verify = addConfigOption(new Command('verify'))
    .description('Verifies a domain on the word of the operator, without asking DNS; claims it first if need be.')
    .requiredOption('--organization <id>', 'organization that the domain belongs to')
    .requiredOption('--domain <name>', 'domain such as example.com')
    .option('--json', 'print the domain as JSON')
    .addHelpText('after', EXAMPLE)
    .action((options: VerifyOptions) => verifyDomain(host, options));
  return new Command('sso-domain')
    .description('Verifies domains of single sign-on, beside a running server or without one.')
    .addCommand(verify)
    .addHelpText('after', EXAMPLE);
}

async function verifyDomain(host: CommandHost, options: VerifyOptions): Promise<void> {
  const [{ verifyDomainByOperator }, { systemContext }] = await Promise.all([
    import('../sso/domains.ts'),
    import('../core/transact.ts'),
  ]);
  const domain = await withApp(loadCommandConfig(host, options), ({ app }) =>
    refusing(() => verifyDomainByOperator(systemContext(app), options.organization.toLowerCase(), options.domain)),
  );
  host.print(options.json === true ? `${JSON.stringify(domain, null, 2)}\n` : `${domain.domain} is verified\n`);
}
