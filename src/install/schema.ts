// API schemas of the public install API.

import { displayBuildNumber } from '../builds/schema.ts';
import { dateTime, id, platform } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';

const url = (description: string) => z.string().meta({ description });

const publicProject = z
  .object({ name: z.string(), platform, icon_url: z.string().nullable() })
  .meta({ id: 'PublicProject' });

const publicRelease = z
  .object({
    identifier: id().meta({ description: 'Release; for a share link to one build, the build' }),
    platform,
    version_name: z.string(),
    build_number: z.int(),
    display_build_number: displayBuildNumber,
    size_bytes: z.int(),
    min_os_version: z.string().nullable(),
    release_notes: z.string().nullable().meta({ description: 'Notes of the release, or of its build if it has none' }),
    mandatory: z.boolean(),
    icon_url: z.string().nullable(),
    created_at: dateTime().meta({ description: 'Time of the release; for a share link to one build, of the upload' }),
    sha256: z.string().meta({ description: 'SHA-256 of the package, for checking the download' }),
    download_url: url('Redirects to the package'),
    manifest_url: url("Property list for installing over the air; absent if iOS can't install the build").optional(),
    install_url: url('Page for opening on the phone'),
  })
  .meta({ id: 'PublicRelease' });

export const publicChannel = z
  .object({
    identifier: id(),
    name: z.string(),
    description: z.string().nullable(),
    project: publicProject,
    organization_name: z.string(),
    install_page_url: url('Page for opening on the phone'),
    releases: z.array(publicRelease).meta({ description: 'Current release per platform' }),
  })
  .meta({ id: 'PublicChannel' });

export const installLink = z
  .object({
    capability: z.string().meta({ description: 'Allows installing this release until expires_at' }),
    expires_at: dateTime(),
    install_url: url('Page for opening on the phone'),
    download_url: url('Redirects to the package. Repeated requests count as one download'),
    manifest_url: url("Property list for installing over the air; absent if iOS can't install the build").optional(),
    itms_url: url('Starts the installation on iOS').optional(),
  })
  .meta({ id: 'InstallLink' });

export const capabilityInstall = z
  .object({
    project: publicProject,
    organization_name: z.string(),
    release: publicRelease,
    expires_at: dateTime().meta({ description: 'Expiry of the capability' }),
    itms_url: url('Starts the installation on iOS').optional(),
  })
  .meta({ id: 'CapabilityInstall' });

export type PublicRelease = z.input<typeof publicRelease>;
export type PublicChannel = z.input<typeof publicChannel>;
export type InstallLink = z.input<typeof installLink>;
export type CapabilityInstall = z.input<typeof capabilityInstall>;
