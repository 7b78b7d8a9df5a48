// The process as commands see it: data goes to `print`, messages to `say`. Tests replace it.
import type { ProxyEnv } from 'node:http';
import { constants, setPriority, userInfo } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '../lib/error-code.ts';
import { programName } from '../lib/process.ts';

export interface CommandHost {
  /** The name that the program was started with, such as `scripts/taxiway`. */
  readonly program: string;
  /** The version of a client that a server has handed out. It is compared with that of the server; others aren't. */
  readonly clientVersion?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Data, to stdout. */
  print(text: string): void;
  /** Messages, to stderr. */
  say(text: string): void;
  readonly isStdoutTerminal: boolean;
  readonly isStderrTerminal: boolean;
  /** The width of the terminal of messages; undefined if there is none. It can change. */
  readonly stderrColumns: number | undefined;
  /** The terminal for prompts; undefined if there is none. */
  readonly keyboard: NodeJS.ReadableStream | undefined;
  readonly stdin: NodeJS.ReadableStream;
  now(): number;
  sleep(milliseconds: number): Promise<void>;
  /** From 0 up to 1, for jitter. */
  random(): number;
  /** Returns the home folder of the user's account; undefined if there is no account, as in some containers. */
  findAccountHome(): string | undefined;
  /** Leaves the processor to other programs, such as the server, if the system allows it. */
  lowerPriority(): void;
  /** Continues as another account, for good, if the system allows it. */
  becomeAccount(account: { uid: number; gid: number }): void;
  /** Sends all requests of `fetch` through these proxies. Returns false if this version of Node.js can't. */
  useProxies(proxies: ProxyEnv): boolean;
}

/** Returns the host of the current process. */
export function createProcessHost(): CommandHost {
  return {
    program: programName(),
    env: process.env,
    cwd: process.cwd(),
    print: (text) => void process.stdout.write(text),
    say: (text) => void process.stderr.write(text),
    isStdoutTerminal: process.stdout.isTTY === true,
    isStderrTerminal: process.stderr.isTTY === true,
    get stderrColumns() {
      // Terminals that don't know their size say 0.
      return process.stderr.columns || undefined;
    },
    // Opened only by commands that read it: opening it takes 2 ms of each start.
    get keyboard() {
      return process.stdin.isTTY === true && process.stderr.isTTY === true ? process.stdin : undefined;
    },
    get stdin() {
      return process.stdin;
    },
    now: () => Date.now(),
    sleep: (milliseconds) => sleep(milliseconds),
    random: () => Math.random(),
    findAccountHome,
    lowerPriority,
    becomeAccount,
    useProxies,
  };
}

/**
 * Lets a command end with its own exit code, and finish what it does, if nobody reads its output or messages anymore, as with `head`.
 * Output that can't be written for another reason is a failure. Returns a function that sets the exit code of the process.
 */
export function guardOutput(): (code: number) => void {
  let isIncomplete = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || isIncomplete) return;
    isIncomplete = true;
    process.exitCode = 1;
    process.stderr.write(`taxiway: cannot write the output: ${error.message}\n`);
  });
  process.stderr.on('error', () => undefined);
  return (code) => {
    process.exitCode = isIncomplete && code === 0 ? 1 : code;
  };
}

/** Returns a host with some parts replaced. A copy would open stdin. */
export function changeHost(host: CommandHost, parts: Partial<CommandHost>): CommandHost {
  return Object.create(host, Object.getOwnPropertyDescriptors(parts));
}

function findAccountHome(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    return undefined;
  }
}

function becomeAccount({ uid, gid }: { uid: number; gid: number }): void {
  try {
    becomeMember(uid, gid);
    process.setgid?.(gid);
    process.setuid?.(uid);
  } catch (error) {
    // Root of a container may not be allowed to.
    if (codeOf(error) !== 'EPERM') throw error;
  }
}

/** Enters the groups of an account; only its own one if the account has no name, as those of containers. */
function becomeMember(uid: number, gid: number): void {
  try {
    // The types of Node.js lack it.
    (process as { initgroups?: (user: number, group: number) => void }).initgroups?.(uid, gid);
  } catch (error) {
    if (codeOf(error) !== 'ERR_UNKNOWN_CREDENTIAL') throw error;
    process.setgroups?.([gid]);
  }
}

function lowerPriority(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The command works without it.
  }
}

let isProxied = false;

/** Node.js has this since 24.14. The JavaScript client also runs in older versions, where the module can't be found like this. */
function useProxies(proxies: ProxyEnv): boolean {
  const http = process.getBuiltinModule?.('node:http');
  if (http?.setGlobalProxyFromEnv === undefined) return false;
  if (!isProxied) http.setGlobalProxyFromEnv(proxies);
  isProxied = true;
  return true;
}

/** Replaces control characters in untrusted text, so that it can't control the terminal. */
export function plainText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\u{fffd}');
}
