/** The code of com.lineup.svg-canvas 1.0.0. */
import type { Bundle } from '../../../../src/protocol/bundle.ts';
import css from './svg-canvas/style.css?raw';
import html from './svg-canvas/body.html?raw';
import js from './svg-canvas/app.js?raw';

export const svgCanvas: Bundle = { html, css, js };
