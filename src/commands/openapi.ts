// taxiway openapi: prints the OpenAPI document that the server with this configuration returns.
import { Command } from 'commander';
import { addConfigOption, type ConfigOptions, loadCommandConfig } from './configuration.ts';
import type { CommandHost } from './host.ts';

const EXAMPLES = `
Example:
  taxiway openapi > openapi.json
`;

export function buildOpenapiCommand(host: CommandHost): Command {
  return addConfigOption(new Command('openapi'))
    .description('Prints the OpenAPI 3.1 document of every operation.')
    .option('--json', 'accepted for consistency; the document is always JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (options: ConfigOptions) => {
      const config = loadCommandConfig(host, options);
      const [{ buildOpenApi }, { operations }] = await Promise.all([
        import('../http/openapi.ts'),
        import('../operations.ts'),
      ]);
      host.print(`${JSON.stringify(buildOpenApi(operations, config.server.base_url), null, 2)}\n`);
    });
}
