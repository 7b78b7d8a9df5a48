// Catches what a page throws while it is drawn, so that the rest of the app stays.
import { Component, type ReactNode } from 'react';
import { ProblemPage } from '../parts/problem.tsx';

interface State {
  error: unknown;
}

/** Shows the problem in place of its children; another page clears it by another `key`. */
export class Boundary extends Component<{ children: ReactNode }, State> {
  override state: State = { error: undefined };

  static getDerivedStateFromError(error: unknown): State {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children;
    return <ProblemPage error={this.state.error} onRetry={() => location.reload()} />;
  }
}
