// Loads the configuration of a server command: --config FILE, else ./config.toml, else the defaults.
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type Config, loadConfig } from '../config.ts';
import type { CommandHost } from './host.ts';

export interface ConfigOptions {
  config?: string;
}

/** Adds `--config FILE` to a command. */
export function addConfigOption(command: Command): Command {
  return command.option('--config <file>', 'configuration file (default: ./config.toml if it exists)');
}

/** Loads the configuration named by `--config`. Throws ConfigError. */
export function loadCommandConfig(host: CommandHost, options: ConfigOptions): Config {
  const file = options.config === undefined ? {} : { file: resolve(host.cwd, options.config) };
  return loadConfig({ ...file, env: host.env, cwd: host.cwd });
}
