// The part of postject that the build uses.
declare module 'postject' {
  interface InjectOptions {
    sentinelFuse: string;
    overwrite: boolean;
    machoSegmentName?: string;
  }
  /** Adds a resource to an executable file and sets its fuse. */
  export function inject(file: string, resource: string, content: Buffer, options: InjectOptions): Promise<void>;
}
