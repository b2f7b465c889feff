/** A small neutral line with an icon. */
import type { ReactNode } from 'react';
import { Icon, type IconName } from '../parts/icon.tsx';

export function QuietLine({ icon, children }: { icon: IconName; children: ReactNode }) {
  return (
    <div className="quiet-line">
      <Icon name={icon} small />
      <span dir="auto">{children}</span>
    </div>
  );
}
