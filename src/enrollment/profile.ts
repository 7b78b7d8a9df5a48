// The configuration profile that requests the device's identifier (Apple's "Profile Service"). It doesn't configure
// anything on the device.
import { signProfile } from '../certificates/profile.ts';
import type { Context } from '../core/context.ts';
import { PLIST_BEGIN, plistEntry } from '../lib/xml-text.ts';
import { callbackUrl } from './links.ts';
import { mintChallenge } from './proofs.ts';
import type { Enrollment } from './store.ts';

export const profileMediaType = 'application/x-apple-aspen-config';

/** Only these attributes are requested, not the phone's name, serial number or phone numbers. */
const ASKED_ATTRIBUTES = ['UDID', 'PRODUCT', 'VERSION'] as const;

export interface ProfileWords {
  title: string;
  description: string;
}

/** Returns a signed profile with a new challenge for an open enrollment. */
export async function writeProfile(
  ctx: Context,
  token: string,
  enrollment: Enrollment,
  words: ProfileWords,
): Promise<Buffer> {
  const { server, apple_profile: profile } = ctx.config;
  const id = ctx.ids.next();
  const plist = renderProfile({
    url: callbackUrl(server.base_url, token),
    challenge: mintChallenge(ctx, enrollment.id),
    organization: profile.organization_name,
    // Each enrollment has one profile identifier, so that the phone replaces an earlier download.
    identifier: `${reverseName(server.base_url)}.enroll.${enrollment.id}`,
    uuid: id.toUpperCase(),
    ...words,
  });
  return signProfile(ctx, Buffer.from(plist));
}

interface ProfileContent extends ProfileWords {
  url: string;
  challenge: string;
  organization: string;
  identifier: string;
  uuid: string;
}

/**
 * Returns the profile as an XML property list. Names in it are untrusted: they are escaped, and control characters are
 * removed.
 */
function renderProfile(content: ProfileContent): string {
  const attributes = ASKED_ATTRIBUTES.map((name) => `<string>${name}</string>`).join('');
  return `${PLIST_BEGIN}
<dict>
<key>PayloadContent</key>
<dict>
${plistEntry('URL', content.url)}
<key>DeviceAttributes</key>
<array>${attributes}</array>
${plistEntry('Challenge', content.challenge)}
</dict>
${plistEntry('PayloadOrganization', content.organization)}
${plistEntry('PayloadDisplayName', content.title)}
${plistEntry('PayloadDescription', content.description)}
${plistEntry('PayloadIdentifier', content.identifier)}
${plistEntry('PayloadUUID', content.uuid)}
${plistEntry('PayloadType', 'Profile Service')}
<key>PayloadVersion</key>
<integer>1</integer>
</dict>
</plist>
`;
}

/** Returns `app.example.com` as `com.example.app`, for identifiers. */
function reverseName(baseUrl: string): string {
  const name = new URL(baseUrl).hostname.replace(/[^A-Za-z0-9.-]+/g, '-');
  return name.split('.').reverse().join('.');
}
