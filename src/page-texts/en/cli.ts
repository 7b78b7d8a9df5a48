// English texts of the page with the clients of the server.
import type { CliTexts } from '../cli-texts.ts';

export const cli: CliTexts = {
  title: 'Upload from a terminal',
  intro: (version) =>
    `These clients belong to version ${version}, which this server runs. Each reads an access token from TAXIWAY_TOKEN.`,
  uploader: {
    title: 'Shell script',
    text: 'Uploads a package and releases it to a channel. It needs only curl, and runs in any POSIX shell.',
  },
  client: {
    title: 'JavaScript client',
    text: 'All client commands in one file, for Node.js 18 and newer. It warns if the server has another version.',
  },
  executables: {
    title: 'Executables',
    text: 'The same commands without Node.js. The executable is also the server.',
    none: 'The operator of this server hasn’t added executables.',
  },
  checksums: {
    title: 'Checksums',
    text: 'The SHA-256 checksums of all files, for “sha256sum --check --ignore-missing”.',
  },
  size: 'Size',
  pending: 'The checksum is being computed. Reload the page in a moment.',
  download: (name) => `Download ${name}`,
};
