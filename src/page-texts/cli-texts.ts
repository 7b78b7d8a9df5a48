// The texts of the page with the clients of the server.

export interface CliTexts {
  title: string;
  intro(version: string): string;
  uploader: { title: string; text: string };
  client: { title: string; text: string };
  executables: { title: string; text: string; none: string };
  checksums: { title: string; text: string };
  size: string;
  /** In place of a checksum that is being computed. */
  pending: string;
  download(name: string): string;
}
