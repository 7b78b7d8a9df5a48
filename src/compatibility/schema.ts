// The API schema of the verdict for a device and a build.
import { profileKinds } from '../inspection/schema.ts';
import { timestampOrNull } from '../lib/clock.ts';
import { dateTime } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { verdictNotes, verdictReasons } from './reasons.ts';
import type { Judgment } from './verdict.ts';

export const installVerdict = z
  .object({
    verdict: z.enum(['yes', 'no', 'unknown']).meta({ description: 'Whether the device can install the build' }),
    reason: z.enum(verdictReasons),
    notes: z.array(z.enum(verdictNotes)).meta({ description: 'Notes about an installable build' }),
    profile_kind: z.enum(profileKinds).nullable(),
    profile_expires_at: dateTime()
      .nullable()
      .meta({ description: "Expiry of the profile. After that iOS can't install or open the build" }),
    needed_system: z.string().nullable().meta({ description: 'Oldest supported system, such as iOS 15.0' }),
    actual_system: z.string().nullable().meta({ description: 'System version of the device, if known exactly' }),
    needed_abis: z.array(z.string()).meta({ description: 'Supported Android architectures; empty for any' }),
  })
  .meta({ id: 'InstallVerdict' });

export type InstallVerdict = z.input<typeof installVerdict>;

/** Converts a verdict to its API shape. */
export function toInstallVerdict(judgment: Judgment): InstallVerdict {
  return {
    verdict: judgment.verdict,
    reason: judgment.reason,
    notes: [...judgment.notes],
    profile_kind: judgment.profileKind,
    profile_expires_at: timestampOrNull(judgment.profileExpiresAt),
    needed_system: judgment.neededSystem,
    actual_system: judgment.actualSystem,
    needed_abis: [...judgment.neededAbis],
  };
}
