// The texts of the page that offers the server's own certificate authority.
import type { ProfileDialogs } from './dialog-texts.ts';

export interface TrustTexts {
  title: string;
  /** The reason for the page. `host` is the server's host name. */
  reason(host: string): string;
  fingerprintTitle: string;
  fingerprintHint: string;
  ios: SystemSteps;
  /** What iOS shows, word for word, and descriptions of the drawings for people who can't see them. */
  pictures: ProfileDialogs & {
    trust: { label: string; title: string; hint: string };
  };
  android: SystemSteps;
  mac: SystemSteps;
  windows: SystemSteps;
  linux: SystemSteps;
  afterTitle: string;
  after: string;
  open: string;
}

export interface SystemSteps {
  title: string;
  button: string;
  /** `authority` is the name of the certificate as shown on phones. */
  steps(authority: string): readonly string[];
}
