import { expect, it } from 'vitest';
import { srcdocOf } from './srcdoc.ts';

it('hands style and script over as data, whatever they hold', () => {
  const context = { theme: 'light', locale: 'en', safeArea: { top: 0, right: 0, bottom: 0, left: 0 } } as const;
  const bundle = { html: '<p>Hi', css: '</style><b>"', js: 'const a = "</script><!--&amp;";' };
  const document = srcdocOf({ bundle, state: { city: '北京 "x"' }, context }, 'bridge()');
  const [, attribute = ''] = /data-opening="([^"]*)">bridge\(\)<\/script>/.exec(document) ?? [];
  expect(JSON.parse(attribute.replaceAll('&quot;', '"').replaceAll('&amp;', '&'))).toEqual({
    bundle: { ...bundle, html: '' },
    state: { city: '北京 "x"' },
    context,
  });
  expect(document.endsWith('<body><p>Hi')).toBe(true);
});
