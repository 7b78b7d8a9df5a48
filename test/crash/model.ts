// The expected state of one project according to the responses.

export interface BuildState {
  /** Unique in the project; version name and build number follow from it. */
  number: number;
  sha256: string;
  size: number;
  notes: string | null;
  isRevoked: boolean;
}

export interface ReleaseState {
  /** Names the release in the model: `auto-<number>` or its notes. */
  key: string;
  number: number;
  state: 'active' | 'disabled' | 'rolled_back';
}

/** Everything visible, in the order it was made. */
export interface ProjectState {
  builds: readonly BuildState[];
  /** On the channel that takes every build by itself, and on the other. */
  auto: readonly ReleaseState[];
  manual: readonly ReleaseState[];
  /** SHA-256 of the icon. */
  icon: string | null;
}

export const emptyProject: ProjectState = { builds: [], auto: [], manual: [], icon: null };

/** A build and, in the same step, its release on the channel that takes every build. */
export function withBuild(state: ProjectState, build: BuildState): ProjectState {
  const release: ReleaseState = { key: `auto-${build.number}`, number: build.number, state: 'active' };
  return { ...state, builds: [...state.builds, build], auto: [...state.auto, release] };
}

export function withBuildChange(
  state: ProjectState,
  number: number,
  change: Partial<Pick<BuildState, 'notes' | 'isRevoked'>>,
): ProjectState {
  return {
    ...state,
    builds: state.builds.map((build) => (build.number === number ? { ...build, ...change } : build)),
  };
}

/** Without the build and its releases. */
export function withoutBuild(state: ProjectState, number: number): ProjectState {
  const isOther = (thing: { number: number }): boolean => thing.number !== number;
  return {
    ...state,
    builds: state.builds.filter(isOther),
    auto: state.auto.filter(isOther),
    manual: state.manual.filter(isOther),
  };
}

export function withRelease(state: ProjectState, key: string, number: number): ProjectState {
  return { ...state, manual: [...state.manual, { key, number, state: 'active' }] };
}

export function withReleaseState(state: ProjectState, key: string, wanted: ReleaseState['state']): ProjectState {
  const change = (release: ReleaseState): ReleaseState =>
    release.key === key ? { ...release, state: wanted } : release;
  return { ...state, auto: state.auto.map(change), manual: state.manual.map(change) };
}

export function withoutRelease(state: ProjectState, key: string): ProjectState {
  const isOther = (release: ReleaseState): boolean => release.key !== key;
  return { ...state, auto: state.auto.filter(isOther), manual: state.manual.filter(isOther) };
}

/** The releases a channel can serve, newest first: active, of builds that are not revoked. */
export function servable(state: ProjectState, channel: 'auto' | 'manual'): ReleaseState[] {
  const revoked = new Set(state.builds.filter((build) => build.isRevoked).map((build) => build.number));
  return state[channel].filter((release) => release.state === 'active' && !revoked.has(release.number)).reverse();
}
