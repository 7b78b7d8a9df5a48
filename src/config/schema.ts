// The schema of config.toml: every table and key with its default. Tables about storage are in storage-schema.ts.

import * as z from 'zod';
import { languages } from '../languages.ts';
import { captchaProviders, isHostedCaptcha } from '../lib/captcha-providers.ts';
import { tiers } from '../lib/tiers.ts';
import { backup, replication, storage } from './storage-schema.ts';
import {
  addressesAndNetworks,
  checkedText,
  choice,
  cloudHost,
  count,
  days,
  dnsServers,
  filePath,
  flag,
  hostNames,
  httpAddress,
  plainHttpAddress,
  portNumbers,
  requiredHttpAddress,
  secret,
  serverAddress,
  text,
  wholeNumber,
} from './values.ts';

const requestRate = (requests: number, perSeconds: number) =>
  z.strictObject({ requests: count(requests), per_seconds: wholeNumber(1, 86_400, perSeconds) }).prefault({});

const plan = (buildDays: number, auditDays: number, sso: boolean) =>
  z
    .strictObject({
      build_retention_days: days(buildDays),
      keep_current_builds: flag(true),
      audit_retention_days: days(auditDays),
      sso: flag(sso),
    })
    .prefault({});

const server = z.strictObject({
  host: checkedText('a host name or address', (host) => host !== '' && !/[\s/]/.test(host), '127.0.0.1'),
  port: wholeNumber(0, 65_535, 8080),
  base_url: serverAddress('http://localhost:8080'),
  data_dir: filePath('folder', './data'),
  trusted_proxies: addressesAndNetworks(),
  secret_key: z
    .string()
    .max(4096)
    .refine((key) => key === '' || key.length >= 32)
    .meta({ secret: true, expected: 'at least 32 characters' })
    .default(''),
  accel_redirect: checkedText('"" or a path such as "/protected"', (path) => path === '' || /^\/[^\s?#]*$/.test(path)),
  tls: z
    .strictObject({
      mode: choice(['off', 'files', 'acme', 'internal'], 'off'),
      cert_file: text(),
      key_file: text(),
      acme_directory: plainHttpAddress('https://acme-v02.api.letsencrypt.org/directory'),
      acme_email: checkedText(
        '"" or an email address',
        (address) => address === '' || /^[^\s@<>,]+@[^\s@<>,]+$/.test(address),
      ),
      acme_domains: hostNames(),
      http_port: wholeNumber(0, 65_535, 0),
    })
    .prefault({}),
});

const mail = z
  .strictObject({
    transport: choice(['outbox', 'smtp'], 'outbox'),
    language: choice(languages, 'en'),
    from: checkedText(
      'a sender such as "Taxiway <taxiway@example.com>"',
      (from) => /^(?:[^<>\p{Cc}]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u.test(from),
      'Taxiway <taxiway@localhost>',
    ),
    smtp: z
      .strictObject({
        host: checkedText('a host name or address', (host) => !/[\s/@]/.test(host)),
        port: wholeNumber(1, 65_535, 587),
        security: choice(['starttls', 'tls', 'none'], 'starttls'),
        username: text(),
        password: secret(),
      })
      .prefault({}),
  })
  .refine(({ transport, smtp }) => transport !== 'smtp' || smtp.host !== '', {
    path: ['smtp', 'host'],
    params: { expected: 'the host of a mail server, because mail.transport is "smtp"' },
  });

const captcha = z
  .strictObject({
    provider: choice(captchaProviders, 'none'),
    site_key: text(),
    secret: secret(),
    verify_url: plainHttpAddress(),
  })
  .refine(({ provider, site_key }) => !isHostedCaptcha(provider) || site_key !== '', {
    path: ['site_key'],
    params: { expected: 'the public key that the captcha provider gave to this site' },
  })
  .refine(({ provider, secret: value }) => !isHostedCaptcha(provider) || value !== '', {
    path: ['secret'],
    params: { expected: 'the secret that the captcha provider gave to this site' },
  });

// See docs/specification/limits.md#limits.
const limits = z
  .strictObject({
    organizations_per_developer: count(5),
    projects_per_organization: count(50),
    passkeys_per_developer: count(20),
    build_size_bytes: wholeNumber(1, 2 ** 40, 524_288_000),
    icon_size_bytes: wholeNumber(1, 2 ** 26, 1_048_576),
    pending_uploads_per_project: count(25),
    pending_upload_lifetime_minutes: wholeNumber(1, 10_080, 60),
    member_invitation_resend_minutes: wholeNumber(0, 10_080, 5),
    tester_notification_resend_minutes: wholeNumber(0, 10_080, 5),
    transactional_email_minutes: wholeNumber(0, 10_080, 5),
    personal_data_exports_per_day: count(1),
    personal_data_exports_per_month: count(5),
    downloads_per_export_archive: count(20),
    devices_per_organization: count(10_000),
    open_device_enrollments_per_organization: count(500),
    previews_per_project: count(50),
    preview_quiet_days: wholeNumber(1, 365, 7),
    page_size_default: wholeNumber(1, 10_000, 100),
    page_size_maximum: wholeNumber(1, 10_000, 1000),
    audit_events_per_day: count(1000),
    audit_events_per_range: count(5000),
  })
  .refine((value) => value.page_size_default <= value.page_size_maximum, {
    path: ['page_size_default'],
    params: { expected: 'at most limits.page_size_maximum' },
  });

const rateLimits = z.strictObject({
  enabled: flag(true),
  sign_in: requestRate(30, 60),
  sign_up: requestRate(20, 60),
  password_reset: requestRate(10, 60),
  token_exchange: requestRate(60, 60),
  api: requestRate(6000, 60),
  public: requestRate(1200, 60),
  sdk: requestRate(1200, 60),
  feedback: requestRate(60, 3600),
  emails: requestRate(2000, 86_400),
  payment_provider: requestRate(12_000, 60),
});

const billing = z
  .strictObject({
    enabled: flag(false),
    provider: choice(['none', 'paddle'], 'none'),
    currency: checkedText('a currency code such as "USD"', (code) => /^[A-Z]{3}$/.test(code), 'USD'),
    trial_days: wholeNumber(0, 3650, 14),
    starter_credit_cents: wholeNumber(0, 100_000_000, 0),
    download_days_when_suspended: wholeNumber(0, 3650, 30),
    topup_min_cents: wholeNumber(1, 100_000_000, 500),
    topup_max_cents: wholeNumber(1, 100_000_000, 100_000),
    business_self_service: flag(true),
    prices: z
      .strictObject({
        storage_gib_month_cents: wholeNumber(0, 100_000_000, 10),
        download_gib_cents: wholeNumber(0, 100_000_000, 10),
        seat_month_cents: wholeNumber(0, 100_000_000, 0),
        team_month_cents: wholeNumber(0, 100_000_000, 4900),
        business_month_cents: wholeNumber(0, 100_000_000, 19_900),
      })
      .prefault({}),
    paddle: z
      .strictObject({
        api_key: secret(),
        webhook_secret: secret(),
        client_token: checkedText('a client-side token of Paddle such as "live_…", or ""', (token) =>
          /^(?:(?:live|test)_[a-zA-Z0-9]{10,100})?$/.test(token),
        ),
        environment: choice(['sandbox', 'production'], 'production'),
        base_url: plainHttpAddress(),
        checkout_url: plainHttpAddress(),
        tax_category: text('standard'),
        webhook_tolerance_seconds: wholeNumber(1, 86_400, 300),
      })
      .prefault({}),
  })
  .prefault({});

/** Every table and key of config.toml with its default. Unknown keys are rejected. */
export const configSchema = z.strictObject({
  server: server.prefault({}),
  database: z
    .strictObject({
      file: filePath('file', 'taxiway.db'),
      synchronous: choice(['full', 'normal'], 'full'),
      busy_timeout_ms: wholeNumber(0, 600_000, 5000),
      audit_read_timeout_ms: wholeNumber(1, 600_000, 5000),
    })
    .prefault({}),
  storage: storage.prefault({}),
  backup: backup.prefault({}),
  replication: replication.prefault({}),
  mail: mail.prefault({}),
  accounts: z
    .strictObject({
      signup: choice(['open', 'invited', 'closed'], 'open'),
      deletion_grace_days: days(14),
      password_min_length: wholeNumber(8, 128, 12),
      location_database: text(),
    })
    .prefault({}),
  captcha: captcha.prefault({}),
  limits: limits.prefault({}),
  rate_limits: rateLimits.prefault({}),
  plans: z
    .strictObject({
      default_tier: choice(tiers, 'business'),
      team: plan(30, 90, false),
      business: plan(365, 365, true),
    })
    .prefault({}),
  billing,
  sso: z
    .strictObject({
      dns_servers: dnsServers(),
      allow_private_networks: flag(true),
      allow_loopback: flag(false),
    })
    .prefault({}),
  stores: z
    .strictObject({
      timeout_ms: wholeNumber(100, 60_000, 10_000),
      app_store_connect: z
        .strictObject({
          base_url: requiredHttpAddress('https://api.appstoreconnect.apple.com'),
          device_quota: count(100),
        })
        .prefault({}),
      google_play: z
        .strictObject({
          base_url: requiredHttpAddress('https://androidpublisher.googleapis.com'),
          token_url: requiredHttpAddress('https://oauth2.googleapis.com/token'),
        })
        .prefault({}),
    })
    .prefault({}),
  byosa: z
    .strictObject({
      enabled: flag(true),
      azure_authority_host: cloudHost('login.microsoftonline.com'),
      azure_endpoint_suffix: cloudHost('blob.core.windows.net'),
    })
    .prefault({}),
  webhooks: z
    .strictObject({
      allow_private_networks: flag(true),
      allow_loopback: flag(false),
      allow_ports: portNumbers(),
      timeout_ms: wholeNumber(100, 120_000, 10_000),
      max_attempts: wholeNumber(1, 50, 8),
      concurrency: wholeNumber(1, 256, 32),
    })
    .prefault({}),
  apple_profile: z
    .strictObject({
      cert_file: text(),
      key_file: text(),
      chain_file: text(),
      organization_name: text('Taxiway'),
      trusted_device_ca_file: text(),
    })
    .prefault({}),
  log: z
    .strictObject({
      level: choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info'),
      format: choice(['auto', 'pretty', 'json'], 'auto'),
      slow_request_ms: wholeNumber(0, 600_000, 1_000),
      slow_query_ms: wholeNumber(0, 600_000, 100),
    })
    .prefault({}),
  metrics: z.strictObject({ enabled: flag(true), token: secret() }).prefault({}),
  tracing: z
    .strictObject({
      endpoint: httpAddress(),
      authorization: secret(),
      sample_percent: wholeNumber(0, 100, 100),
    })
    .prefault({}),
  updates: z.strictObject({ url: httpAddress() }).prefault({}),
  cli: z.strictObject({ executables: filePath('folder', 'executables') }).prefault({}),
});
