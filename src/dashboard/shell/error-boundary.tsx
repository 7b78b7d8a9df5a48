// Catches errors that a page throws while rendering, so that the rest of the app stays usable.
import { Component, type ReactNode } from 'react';
import { ErrorPage } from '../components/errors.tsx';

interface State {
  error: unknown;
}

/** Shows the error instead of its children. A different `key` resets it. */
export class ErrorBoundary extends Component<{ children: ReactNode }, State> {
  override state: State = { error: undefined };

  static getDerivedStateFromError(error: unknown): State {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children;
    return <ErrorPage error={this.state.error} onRetry={() => location.reload()} />;
  }
}
