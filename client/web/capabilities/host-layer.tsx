/** What the host shows above everything else: questions about capabilities, notices, the app center. Loaded when it is first needed. */
import { lazy, useEffect } from 'react';
import { useApp, useView } from '../parts/contexts.ts';
import { Part } from '../parts/part.tsx';
import { useHost } from './host-context.ts';

const ConsentDialog = lazy(() => import('./consent-dialog.tsx'));
const NoticeBar = lazy(() => import('../attention/notice-bar.tsx'));
const CenterSheet = lazy(() => import('../apps/center-sheet.tsx'));

export function HostLayer() {
  const host = useHost();
  const { pairings } = useView(useApp().view);
  const { question, waiting } = useView(host.desk.view);
  const notice = useView(host.notices.view);
  const centerShown = useView(host.centerShown);
  useEffect(() => host.policy.keepOnly(pairings.map(({ key }) => key)), [host, pairings]);
  return (
    <Part>
      {centerShown !== null && <CenterSheet open={centerShown} onClose={() => host.showCenter(false)} />}
      {notice && <NoticeBar key={notice.id} notice={notice} onClose={() => host.notices.close(notice.id)} />}
      {question && <ConsentDialog key={question.request.key} question={question} waiting={waiting} />}
    </Part>
  );
}
