// Reasons why a file isn't accepted as a package, shared by the server, the command line and the web app.
import { type Platform, platformFacts } from '../platforms.ts';

/** The signature of a zip archive's first entry (APPNOTE.TXT 4.3.7). */
const LOCAL_HEADER = [0x50, 0x4b, 0x03, 0x04];

export type ArchiveProblem = 'not_a_package' | 'damaged';

/** Distinguishes a truncated or damaged package from another kind of file. `head` contains the first bytes of the file. */
export function classifyUnreadable(head: Uint8Array): ArchiveProblem {
  return LOCAL_HEADER.every((byte, index) => head[index] === byte) ? 'damaged' : 'not_a_package';
}

export const packageFindings = {
  not_a_package: "The file isn't an app package.",
  damaged: 'The package is damaged or incomplete. Build or download it again.',
  bundle: "This is an Android App Bundle (.aab), which phones can't install. Build an .apk.",
  wrong_platform: (platform: Platform, found: Platform) =>
    `This is an ${platformFacts[found].name} package; the project is for ${platformFacts[platform].name}.`,
};
