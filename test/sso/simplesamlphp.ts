// Starts a real identity provider, SimpleSAMLphp on PHP's own server, in a folder of its own. One user: zoe, password pw.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { findFreePort } from '../../scripts/lib/ports.ts';
import { makeCertifiedKey } from '../../src/sso/certified-key.ts';

const HOME = process.env.TAXIWAY_SIMPLESAMLPHP ?? '/usr/share/simplesamlphp';
const CONFIG = process.env.TAXIWAY_SIMPLESAMLPHP_CONFIG ?? '/etc/simplesamlphp/config.php';
const POLLING_TIMEOUT_MS = 50_000;

/** Why it cannot be started here, or undefined when it can. */
export function whyNoSimpleSamlPhp(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  if (!folders.some((folder) => existsSync(join(folder, 'php')))) return 'php is not installed';
  return existsSync(join(HOME, 'www')) && existsSync(CONFIG) ? undefined : 'simplesamlphp is not installed';
}

/** What it is told of a service provider. */
interface KnownServiceProvider {
  entityId: string;
  acsUrl: string;
  sloUrl: string;
  /** Bare base64; requests have to be signed by its key. */
  certificate: string;
}

export interface SimpleSamlPhp {
  url: string;
  /** Its metadata, as an administrator would download it. */
  metadata(): Promise<string>;
  trust(provider: KnownServiceProvider): void;
  log(): string;
  stop(): void;
}

const php = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** Starts it on a free port. */
export async function startSimpleSamlPhp(): Promise<SimpleSamlPhp> {
  const folder = mkdtempSync(join(tmpdir(), 'taxiway-idp-'));
  const inside = (...path: string[]) => join(folder, ...path);
  for (const name of ['cert', 'config', 'log', 'metadata', 'tmp']) mkdirSync(inside(name));
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const { certificate, privateKey } = await makeCertifiedKey(new Date());
  writeFileSync(inside('cert', 'idp.crt'), certificate);
  writeFileSync(inside('cert', 'idp.key'), privateKey);
  writeFileSync(inside('config', 'config.php'), configuration(folder, url));
  writeFileSync(inside('config', 'authsources.php'), AUTHENTICATION);
  writeFileSync(inside('metadata', 'saml20-idp-hosted.php'), hosted(url));
  const child = spawn('php', ['-S', `127.0.0.1:${port}`, '-t', join(HOME, 'www')], {
    env: { ...process.env, SIMPLESAMLPHP_CONFIG_DIR: inside('config') },
    stdio: 'ignore',
  });
  await waitFor(url, child);
  return {
    url,
    async metadata() {
      return (await fetch(`${url}/saml2/idp/metadata.php`)).text();
    },
    trust(provider) {
      writeFileSync(inside('metadata', 'saml20-sp-remote.php'), remote(provider));
    },
    log: () =>
      existsSync(inside('log', 'simplesamlphp.log')) ? readFileSync(inside('log', 'simplesamlphp.log'), 'utf8') : '',
    stop() {
      child.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configuration(folder: string, url: string): string {
  const path = (name: string) => php(`${folder}/${name}/`);
  return `${readFileSync(CONFIG, 'utf8')}
$config['baseurlpath'] = ${php(`${url}/`)};
$config['certdir'] = ${path('cert')};
$config['loggingdir'] = ${path('log')};
$config['datadir'] = ${path('tmp')};
$config['tempdir'] = ${path('tmp')};
$config['metadatadir'] = ${path('metadata')};
$config['metadata.sources'] = [['type' => 'flatfile', 'directory' => ${path('metadata')}]];
$config['secretsalt'] = 'salt of a test';
$config['auth.adminpassword'] = 'unused';
$config['enable.saml20-idp'] = true;
$config['module.enable'] = ['exampleauth' => true, 'saml' => true, 'core' => true];
$config['logging.handler'] = 'file';
$config['session.cookie.secure'] = false;
$config['session.cookie.samesite'] = 'Lax';
$config['session.phpsession.savepath'] = ${path('tmp')};
$config['store.type'] = 'phpsession';
$config['trusted.url.domains'] = null;
`;
}

const AUTHENTICATION = `<?php
$config = ['userpass' => ['exampleauth:UserPass',
  'zoe:pw' => ['uid' => ['zoe'], 'email' => ['zoe@example.test'], 'displayName' => ['Zoe of the Tests']]]];
`;

function hosted(url: string): string {
  return `<?php
$metadata[${php(`${url}/metadata`)}] = ['host' => '__DEFAULT__', 'privatekey' => 'idp.key', 'certificate' => 'idp.crt',
  'auth' => 'userpass', 'signature.algorithm' => 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256', 'redirect.sign' => true,
  'redirect.validate' => true, 'SingleSignOnServiceBinding' => ['urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect']];
`;
}

function remote({ entityId, acsUrl, sloUrl, certificate }: KnownServiceProvider): string {
  return `<?php
$metadata[${php(entityId)}] = ['AssertionConsumerService' => ${php(acsUrl)}, 'SingleLogoutService' => ${php(sloUrl)},
  'certData' => ${php(certificate)}, 'validate.authnrequest' => true, 'redirect.sign' => true, 'redirect.validate' => true,
  'NameIDFormat' => 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent', 'simplesaml.nameidattribute' => 'uid'];
`;
}

async function waitFor(url: string, child: ChildProcess): Promise<void> {
  const giveUpAt = Date.now() + POLLING_TIMEOUT_MS;
  while (Date.now() < giveUpAt && child.exitCode === null) {
    const isUp = await fetch(url, { redirect: 'manual' }).then(
      () => true,
      () => false,
    );
    if (isUp) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  child.kill();
  throw new Error('SimpleSAMLphp did not start');
}
