/** Whether the system tells what needs the user while the page is not looked at. Given here; taken back only in the browser. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { allowOutside, outsideState } from '../attention/outside.ts';

export function OutsideSetting() {
  const { t } = useTranslation();
  const [state, setState] = useState(outsideState);
  if (state === 'none') return null;
  return (
    <fieldset className="field">
      <legend className="field-label">{t('settings.outside')}</legend>
      {state === 'default' ? (
        <button type="button" className="button" onClick={() => void allowOutside().then(setState)}>
          {t('notice.outside')}
        </button>
      ) : (
        <p className="remark" role="status">
          {t(`settings.outside.${state}`)}
        </p>
      )}
    </fieldset>
  );
}
