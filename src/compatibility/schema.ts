// The verdict on a device and a build as it is sent.
import { z } from 'zod';
import { timestampOrNull } from '../lib/clock.ts';
import { dateTime } from '../lib/shapes.ts';
import { type Judgement, verdictNotes, verdictReasons } from './verdict.ts';

export const installVerdict = z
  .object({
    verdict: z.enum(['yes', 'no', 'unknown']).meta({ description: 'Whether the device can install the build' }),
    reason: z.enum(verdictReasons),
    notes: z.array(z.enum(verdictNotes)).meta({ description: 'What to know although it can' }),
    profile_kind: z.enum(['development', 'ad-hoc', 'enterprise', 'app-store']).nullable(),
    profile_expires_at: dateTime()
      .nullable()
      .meta({ description: 'From then on the build neither installs nor opens on iOS' }),
    needed_system: z.string().nullable().meta({ description: 'Oldest system it runs on, such as iOS 15.0' }),
    actual_system: z
      .string()
      .nullable()
      .meta({ description: "The device's system version, where it is known exactly" }),
    needed_abis: z.array(z.string()).meta({ description: 'Android architectures it has code for; empty for any' }),
  })
  .meta({ id: 'InstallVerdict' });

export type InstallVerdict = z.input<typeof installVerdict>;

/** A judgement in its wire shape. */
export function toInstallVerdict(judgement: Judgement): InstallVerdict {
  return {
    verdict: judgement.verdict,
    reason: judgement.reason,
    notes: [...judgement.notes],
    profile_kind: judgement.profileKind,
    profile_expires_at: timestampOrNull(judgement.profileExpiresAt),
    needed_system: judgement.neededSystem,
    actual_system: judgement.actualSystem,
    needed_abis: [...judgement.neededAbis],
  };
}
