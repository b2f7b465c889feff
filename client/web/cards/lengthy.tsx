/** The words on a control, of any length: long ones begin cut, and a button beside the control shows them whole. */
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Revealed } from '../parts/revealed.tsx';
import { capped } from '../parts/visible-text.ts';

/** Longer ones begin cut, in UTF-16 units. */
const MOST = 300;

/** @param props.children makes the control around its words */
export function Lengthy({ text, children }: { text: string; children: (words: ReactNode) => ReactNode }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const control = children(<Revealed text={open ? text : capped(text, MOST)} />);
  if (text.length <= MOST) return control;
  return (
    <>
      {control}
      <button type="button" className="text-button lengthy-more" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? t('message.less') : t('message.more')}
      </button>
    </>
  );
}
