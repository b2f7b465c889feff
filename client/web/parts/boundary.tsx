/** Catches what a part of the page throws while it is drawn, so that the rest of the page stays. The browser's console still hears of it. */
import { Component, type ReactNode } from 'react';

interface Props {
  /** What is shown in the part's place. */
  fallback: ReactNode | ((error: unknown) => ReactNode);
  /** What is drawn: when it is another one, it is tried again. */
  about?: unknown;
  children: ReactNode;
}

interface State {
  failed: { error: unknown } | null;
  about: unknown;
}

export class Boundary extends Component<Props, State> {
  override state: State = { failed: null, about: this.props.about };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { failed: { error } };
  }

  static getDerivedStateFromProps({ about }: Props, state: State): Partial<State> | null {
    return Object.is(about, state.about) ? null : { failed: null, about };
  }

  override render(): ReactNode {
    const { fallback, children } = this.props;
    const { failed } = this.state;
    if (!failed) return children;
    return typeof fallback === 'function' ? fallback(failed.error) : fallback;
  }
}
