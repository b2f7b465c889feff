/** The code of com.lineup.form: 1.0.0 knows lines of text and choices, 1.1.0 numbers, dates, long texts and switches as well. */
import type { Bundle } from '../../../../src/protocol/bundle.ts';
import css from './form/style.css?raw';
import html from './form/body.html?raw';
import js from './form/app.js?raw';

/** 1.1.0 */
export const form: Bundle = { html, css, js };

/** 1.0.0 */
export const formOfTexts: Bundle = { html, css, js: `const KINDS = ['text', 'select'];\n${js}` };
