// The captcha providers whose widget returns a token, which the provider verifies. ALTCHA has none: the server verifies its solutions.

interface HostedProviderFacts {
  /** Verifies a token. `captcha.verify_url` replaces it. */
  verifyUrl: string;
  /** Whether a token is verified together with the site key. */
  verifiesSiteKey: boolean;
  /** The script of the widget, and the class of the element in which it appears. */
  script: string;
  className: string;
  /** The origins of the widget's files, as in a content security policy. */
  sources: string;
}

const facts = {
  turnstile: {
    verifyUrl: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
    verifiesSiteKey: false,
    script: 'https://challenges.cloudflare.com/turnstile/v0/api.js',
    className: 'cf-turnstile',
    sources: 'https://challenges.cloudflare.com',
  },
  hcaptcha: {
    verifyUrl: 'https://api.hcaptcha.com/siteverify',
    verifiesSiteKey: true,
    script: 'https://js.hcaptcha.com/1/api.js',
    className: 'h-captcha',
    sources: 'https://hcaptcha.com https://*.hcaptcha.com',
  },
} as const satisfies Record<string, HostedProviderFacts>;

export type HostedCaptchaProvider = keyof typeof facts;

export const hostedCaptchaProviders: Readonly<Record<HostedCaptchaProvider, HostedProviderFacts>> = facts;

const hostedNames = Object.keys(facts) as [HostedCaptchaProvider, ...HostedCaptchaProvider[]];

/** What `captcha.provider` can be. */
export const captchaProviders = ['none', 'altcha', ...hostedNames] as const;

export type CaptchaProvider = (typeof captchaProviders)[number];

export function isHostedCaptcha(provider: CaptchaProvider): provider is HostedCaptchaProvider {
  return Object.hasOwn(facts, provider);
}
