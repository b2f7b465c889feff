/** The bar that the host draws above what it shows in the dock or in the whole window: what it is, full screen, close. */
import type { ReactNode } from 'react';
import { Icon } from '../parts/icon.tsx';

interface PanelBarProps {
  label: ReactNode;
  active: boolean;
  whole: boolean;
  /** Whether there is a dock to go back to. */
  wide: boolean;
  /** The id of what the bar opens and folds. */
  bodyId: string;
  /** Names of the two buttons; null where it may not fill the window. */
  sizing: string | null;
  closing: string;
  /** Brings it up. @param whole in the whole window */
  onShow: (whole?: boolean) => void;
  /** Takes it off the screen; it stays open. */
  onLeave: () => void;
  onClose: () => void;
}

export function PanelBar({ label, active, whole, wide, bodyId, sizing, closing, onShow, onLeave, onClose }: PanelBarProps) {
  return (
    <header className="surface-bar">
      {whole ? (
        <div className="surface-label">{label}</div>
      ) : (
        <button
          type="button"
          className="surface-label"
          aria-expanded={active}
          aria-controls={active ? bodyId : undefined}
          onClick={() => (active ? onLeave() : onShow())}
        >
          {label}
        </button>
      )}
      {sizing !== null && (
        <button
          type="button"
          className="icon-button"
          aria-label={sizing}
          title={sizing}
          onClick={() => (whole && !wide ? onLeave() : onShow(!whole))}
        >
          <Icon name={whole ? (wide ? 'shrink' : 'fold') : 'expand'} />
        </button>
      )}
      <button type="button" className="icon-button" aria-label={closing} title={closing} onClick={onClose}>
        <Icon name="close" />
      </button>
    </header>
  );
}
