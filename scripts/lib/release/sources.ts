// The commit that a release is built from. Its time is the time of every file, so that each build gives the same bytes.
import { projectDir, run } from '../project.ts';

export interface Sources {
  commit: string;
  /** Time of the commit, in seconds. */
  seconds: number;
  /** Whether files differ from the commit. */
  isChanged: boolean;
}

/** Returns the sources, and lets the build of the program use their commit and time. */
export function readSources(env: NodeJS.ProcessEnv = process.env): Sources {
  const git = (...words: string[]): string => {
    const { code, output } = run('git', ['-C', projectDir, ...words]);
    if (code !== 0)
      throw new Error(
        `Releases are built from a clone of the repository, or with TAXIWAY_COMMIT and SOURCE_DATE_EPOCH: ${output.trim()}`,
      );
    return output.trim();
  };
  const isGiven = env.TAXIWAY_COMMIT !== undefined && env.SOURCE_DATE_EPOCH !== undefined;
  const isChanged = !isGiven && git('status', '--porcelain') !== '';
  const commit = env.TAXIWAY_COMMIT ?? `${git('rev-parse', '--short=12', 'HEAD')}${isChanged ? '-changed' : ''}`;
  const seconds = Number(env.SOURCE_DATE_EPOCH ?? git('log', '-1', '--format=%ct'));
  env.TAXIWAY_COMMIT = commit;
  env.SOURCE_DATE_EPOCH = String(seconds);
  return { commit, seconds, isChanged };
}
