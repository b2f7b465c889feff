/**
 * `lineup-relay/agent`: write an agent in TypeScript.
 *
 * @example
 * import { LineUpAgent, readSetup } from 'lineup-relay/agent';
 *
 * const agent = new LineUpAgent({ ...(await readSetup()), name: 'Echo' }); // what "lineup setup" stored
 * agent.onText((chat, { payload }) => chat.say(`You said: ${payload.content}`));
 * await agent.start();
 *
 * @module
 */
export { LineUpAgent } from './lineup-agent.ts';
export { TokenError, type AgentEnd, type AgentEvent, type LineUpAgentOptions } from './agent-options.ts';
export { AgentBusyError } from './agent-claim.ts';
export { readSetup, SetupError, type Setup } from './setup.ts';
export type { Handlers, NewDevice } from './agent-conversation.ts';
export type { CallOptions, Chat } from './chat.ts';
export { UnansweredError, type Answer, type QuestionArguments, type QuestionKind, type QuestionResult, type Unanswered } from './answers.ts';
export { CallConflictError } from './calls.ts';
export type { Canvas, Stroke } from './canvas.ts';
export type { Surface, SurfaceApp } from './surface.ts';
export type { Device, DeviceTool } from './devices.ts';
export { Closing, Stopped } from './run.ts';
export { NetworkError, RelayError, UnsendableError } from '../core/errors.ts';
export { RelayHttp } from '../core/http.ts';
export type { Message } from '../core/frames.ts';
