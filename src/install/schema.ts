// Wire shapes of the public install API.

import { z } from 'zod';
import { displayBuildNumber } from '../builds/schema.ts';
import { dateTime, id } from '../lib/shapes.ts';
import { platform } from '../platforms.ts';

const url = (description: string) => z.string().meta({ description });

const publicProject = z
  .object({ name: z.string(), platform, icon_url: z.string().nullable() })
  .meta({ id: 'PublicProject' });

const publicRelease = z
  .object({
    identifier: id(),
    platform,
    version_name: z.string(),
    build_number: z.int(),
    display_build_number: displayBuildNumber,
    size_bytes: z.int(),
    min_os_version: z.string().nullable(),
    release_notes: z.string().nullable().meta({ description: 'Of the release, else of its build' }),
    mandatory: z.boolean(),
    icon_url: z.string().nullable(),
    created_at: dateTime().meta({ description: 'When it was released' }),
    sha256: z.string().meta({ description: 'Fingerprint to compare the downloaded package with' }),
    download_url: url('Answers a redirect to the package'),
    manifest_url: url('Property list for installing over the air; absent where iOS cannot install it').optional(),
    install_url: url('Page to open on the phone'),
  })
  .meta({ id: 'PublicRelease' });

export const publicChannel = z
  .object({
    identifier: id(),
    name: z.string(),
    description: z.string().nullable(),
    project: publicProject,
    organization_name: z.string(),
    install_page_url: url('Page to open on the phone'),
    releases: z.array(publicRelease).meta({ description: 'Current release per platform' }),
  })
  .meta({ id: 'PublicChannel' });

export const installLink = z
  .object({
    capability: z.string().meta({ description: 'Allows installing this release until expires_at' }),
    expires_at: dateTime(),
    install_url: url('Page to open on the phone'),
    download_url: url('Answers a redirect to the package; however often it is asked, one download is counted'),
    manifest_url: url('Property list for installing over the air; absent where iOS cannot install it').optional(),
    itms_url: url('Starts the installation on iOS').optional(),
  })
  .meta({ id: 'InstallLink' });

export const capabilityInstall = z
  .object({
    project: publicProject,
    organization_name: z.string(),
    release: publicRelease,
    expires_at: dateTime().meta({ description: 'When the capability ends' }),
    itms_url: url('Starts the installation on iOS').optional(),
  })
  .meta({ id: 'CapabilityInstall' });

export type PublicRelease = z.input<typeof publicRelease>;
export type PublicChannel = z.input<typeof publicChannel>;
export type InstallLink = z.input<typeof installLink>;
export type CapabilityInstall = z.input<typeof capabilityInstall>;
