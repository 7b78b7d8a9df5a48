// The stated answers for the shared fixtures, as far as the tests ask for them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findSharedFixtures } from '../support/fixtures.ts';

export interface Truth {
  readonly file: string;
  readonly platform?: 'ios' | 'android';
  readonly expect?: 'accept' | 'reject';
  readonly either_or?: boolean;
  readonly bundle_id?: string;
  readonly label?: string | null;
  readonly version_name?: string | null;
  readonly build_number?: string | null;
  readonly min_os?: string | null;
  readonly target_sdk?: string | null;
  readonly debuggable?: boolean;
  readonly test_only?: boolean;
  readonly split?: string | null;
  readonly permissions?: string[];
  readonly native_abis?: string[];
  readonly installable?: boolean;
  readonly signature?: {
    readonly verifies: boolean;
    readonly schemes: Record<string, boolean>;
    readonly cert_sha256: string[];
    readonly at_min_sdk_28: { readonly verifies: boolean; readonly cert_sha256: string[] };
  };
  readonly supported_platforms?: string[] | null;
  readonly device_family?: number[] | null;
  readonly icon?: {
    readonly max_width: number | null;
    readonly best?: { readonly height: number; readonly rgba_sha256?: string } | null;
    readonly best_raster?: { readonly height: number; readonly format: string } | null;
  };
  readonly icon_expected?: null;
  readonly provisioning?: {
    readonly parses_as_cms: boolean;
    readonly cms_signature_valid?: boolean;
    readonly name?: string;
    readonly uuid?: string;
    readonly team_id?: string;
    readonly team_name?: string;
    readonly type?: string;
    readonly created?: string;
    readonly expires?: string;
    readonly application_identifier?: string;
    readonly device_count?: number | null;
    readonly devices_sorted_sha256?: string | null;
    readonly developer_certificates?: number;
  } | null;
}

/** Truth about the files whose path starts with one of `folders`; empty on a machine without the shared fixtures. */
export function readTruth(...folders: string[]): Truth[] {
  const root = findSharedFixtures();
  if (root === null) return [];
  const all: Truth[] = JSON.parse(readFileSync(join(root, 'truth.json'), 'utf8'));
  return all.filter(({ file }) => folders.some((folder) => file.startsWith(`${folder}/`)));
}

export function readFixture(file: string): Buffer {
  return readFileSync(join(findSharedFixtures() ?? '', file));
}
