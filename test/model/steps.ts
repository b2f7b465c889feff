/** What may happen to a conversation, as small steps that fast-check can put together and take away again. */
import fc from 'fast-check';

/** Who acts: the agent, two tabs of the phone, the tablet. */
export type Who = 'agent' | 'phone' | 'tab' | 'tablet';
/** Whom the agent means. */
export type To = 'all' | 'phone' | 'tablet';
/** What a client remembers when it connects. */
export type Memory = 'all' | 'some' | 'nothing' | 'another epoch' | 'too much';

/** Which of the things that were made before a step is about: this many back from the newest. */
type Back = { back: number };

/** Something that a client sends. */
export type Sending =
  | { do: 'say'; who: Who; to: To; size: number; http: boolean }
  | ({ do: 'again'; who: Who } & Back)
  | ({ do: 'forge'; who: Who } & Back)
  | { do: 'ask'; kind: 'tool' | 'app'; to: To; within: 'long' | 'short' | 'past' }
  | ({ do: 'ask again' } & Back)
  | ({ do: 'answer'; who: 'phone' | 'tab' | 'tablet'; value: number; http: boolean } & Back)
  | ({ do: 'cancel' } & Back)
  | ({ do: 'edit'; size: number } & Back)
  | { do: 'open'; instance: To }
  | { do: 'patch'; instance: To; size: number }
  | { do: 'close'; instance: To }
  | { do: 'tap'; who: 'phone' | 'tab' | 'tablet'; instance: To; closes: boolean }
  | { do: 'status'; to: To }
  | { do: 'stream' }
  | { do: 'received'; who: Who; share: number };

/** Something that happens to a client, or to the relay. */
export type Happening =
  | { do: 'connect'; who: Who; memory: Memory; cancels: boolean }
  | { do: 'late hello'; who: Who }
  | { do: 'cut'; who: Who }
  | { do: 'deafen'; who: Who }
  /** Somebody asks for history, so what waits is committed. */
  | { do: 'look' }
  | { do: 'crash' };

/** A step between two turns. */
export type Step =
  | Sending
  | Happening
  | { do: 'burst'; of: (Sending | Happening)[] }
  | { do: 'flood'; who: Who; times: number }
  | { do: 'full'; during: Sending | Happening; lasts: boolean }
  /** Only between turns: the object stays awake for what waits to be committed. */
  | { do: 'hibernate' }
  | { do: 'pass'; seconds: number }
  | { do: 'revoke' };

const who = fc.constantFrom<Who>('agent', 'phone', 'tab', 'tablet');
const device = fc.constantFrom('phone' as const, 'tab' as const, 'tablet' as const);
const to = fc.constantFrom<To>('all', 'phone', 'tablet');
const back = fc.nat(4);
const size = fc.constantFrom(1, 1, 40, 300);
const http = fc.constantFrom(false, false, false, true);
const is = <T extends string>(name: T): fc.Arbitrary<T> => fc.constant(name);

const sending: fc.Arbitrary<Sending> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: is('say'), who, to, size, http }) },
  { weight: 2, arbitrary: fc.record({ do: is('again'), who, back }) },
  { weight: 1, arbitrary: fc.record({ do: is('forge'), who, back }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: is('ask'),
      kind: fc.constantFrom('tool' as const, 'app' as const),
      to,
      within: fc.constantFrom('long' as const, 'long' as const, 'short' as const, 'past' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: is('ask again'), back }) },
  { weight: 4, arbitrary: fc.record({ do: is('answer'), who: device, value: fc.nat(1), http, back }) },
  { weight: 1, arbitrary: fc.record({ do: is('cancel'), back }) },
  { weight: 2, arbitrary: fc.record({ do: is('edit'), size, back }) },
  { weight: 2, arbitrary: fc.record({ do: is('open'), instance: to }) },
  { weight: 3, arbitrary: fc.record({ do: is('patch'), instance: to, size }) },
  { weight: 1, arbitrary: fc.record({ do: is('close'), instance: to }) },
  { weight: 2, arbitrary: fc.record({ do: is('tap'), who: device, instance: to, closes: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: is('status'), to }) },
  { weight: 1, arbitrary: fc.record({ do: is('stream') }) },
  { weight: 4, arbitrary: fc.record({ do: is('received'), who, share: fc.constantFrom(1, 1, 0.5) }) },
);

const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: is('connect'),
      who,
      memory: fc.constantFrom<Memory>('all', 'all', 'all', 'some', 'nothing', 'another epoch', 'too much'),
      cancels: fc.constantFrom(false, false, false, true),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: is('late hello'), who }) },
  { weight: 2, arbitrary: fc.record({ do: is('cut'), who }) },
  { weight: 2, arbitrary: fc.record({ do: is('deafen'), who }) },
  { weight: 1, arbitrary: fc.record({ do: is('look') }) },
  { weight: 1, arbitrary: fc.record({ do: is('crash') }) },
);

/** One step. */
export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: sending },
  { weight: 6, arbitrary: happening },
  {
    weight: 6,
    arbitrary: fc.record({
      do: is('burst'),
      of: fc.array(fc.oneof({ weight: 5, arbitrary: sending }, { weight: 1, arbitrary: happening }), { minLength: 2, maxLength: 8 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: is('flood'), who, times: fc.integer({ min: 10, max: 70 }) }) },
  { weight: 1, arbitrary: fc.record({ do: is('full'), during: fc.oneof(sending, happening), lasts: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: is('hibernate') }) },
  { weight: 2, arbitrary: fc.record({ do: is('pass'), seconds: fc.constantFrom(1, 20, 80, 50_000, 90_000) }) },
  { weight: 1, arbitrary: fc.record({ do: is('revoke') }) },
);

/** The limits under which a run takes place: small, so that they matter. */
export const limits = fc.record({
  window_bytes: fc.constantFrom(400, 2_000, 4_194_304),
  retain_messages: fc.constantFrom(20, 10_000),
  retain_days: fc.constantFrom(1, 90),
  open_surfaces: fc.constantFrom(2, 64),
  pending_calls: fc.constantFrom(3, 1_000),
});
