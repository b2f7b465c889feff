/** The judge itself is judged: every promise has a history that breaks it. */
import { describe, expect, it } from 'vitest';
import type { Delivered, Sender } from '../../src/protocol/envelope.ts';
import { History } from '../history-checker.ts';

const agent = { kind: 'agent', id: 'ag' } as const;
const phone = { kind: 'app', id: 'dv' } as const;
const other = { kind: 'app', id: 'dv2' } as const;

const message = (id: string, content = id) => ({ id, type: 'text', payload: { content } });
const frame = (id: string, seq: number, content = id, sender: Sender = phone): Delivered => ({ v: 1, sender, seq, ...message(id, content) });
const result = (id: string, seq: number): Delivered => ({
  ...frame(id, seq),
  type: 'tool.result',
  sender: { kind: 'relay' },
  payload: { call_id: 'c' },
});

function story() {
  const history = new History();
  return { history, agent: history.observer('agent', agent), phone: history.observer('phone', phone) };
}

function sent(history: History, id: string, seq: number): void {
  history.sends(phone, message(id));
  history.acked(phone, id, seq);
}

describe('a history that keeps every promise', () => {
  it('has no violations', () => {
    const { history, agent: at } = story();
    sent(history, 'a', 1);
    sent(history, 'b', 2);
    history.sends(phone, message('never acknowledged'));
    at.receives(frame('a', 1));
    at.receives(frame('b', 2));
    expect(history.violations()).toEqual([]);
  });

  it('may lose what it announced', () => {
    const { history, agent: at } = story();
    sent(history, 'a', 1);
    sent(history, 'b', 2);
    at.gap(2);
    at.receives(frame('b', 2));
    expect(history.violations()).toEqual([]);
  });

  it('may not be over', () => {
    const { history } = story();
    sent(history, 'a', 1);
    expect(history.violations(false)).toEqual([]);
  });

  it('may restore out of order', () => {
    const { history, agent: at } = story();
    sent(history, 'a', 1);
    sent(history, 'b', 2);
    at.receives(frame('b', 2));
    at.receives(frame('a', 1), true);
    expect(history.violations()).toEqual([]);
  });
});

describe('a broken promise is named', () => {
  it.each<[string, RegExp, (tale: ReturnType<typeof story>) => void]>([
    ['a lost message', /agent never received app:dv a/, ({ history }) => sent(history, 'a', 1)],
    ['an invention', /nobody sent/, ({ agent: at }) => at.receives(frame('a', 1))],
    [
      'other content',
      /other content/,
      ({ history, agent: at }) => {
        sent(history, 'a', 1);
        at.receives(frame('a', 1, 'changed'));
      },
    ],
    [
      'a doubled message',
      /twice/,
      ({ history, agent: at }) => {
        sent(history, 'a', 1);
        at.receives(frame('a', 1));
        at.receives(frame('a', 1), true);
      },
    ],
    [
      'falling seqs',
      /seq 1 after 2/,
      ({ history, agent: at }) => {
        sent(history, 'a', 1);
        sent(history, 'b', 2);
        at.receives(frame('b', 2));
        at.receives(frame('a', 1));
      },
    ],
    [
      'two messages with one seq',
      /seq 1 is/,
      ({ history }) => {
        sent(history, 'a', 1);
        sent(history, 'b', 1);
      },
    ],
    [
      'one message with two seqs',
      /has seq 5, elsewhere 1/,
      ({ history, agent: at }) => {
        sent(history, 'a', 1);
        at.receives(frame('a', 5));
      },
    ],
    [
      'two acks that differ',
      /acknowledged as 1 and as 2/,
      ({ history }) => {
        sent(history, 'a', 1);
        history.acked(phone, 'a', 2);
      },
    ],
    ['an ack of nothing', /never sent/, ({ history }) => history.acked(phone, 'x', 1)],
    [
      'a sender out of order',
      /sent a before b/,
      ({ history }) => {
        sent(history, 'a', 2);
        sent(history, 'b', 1);
      },
    ],
    [
      'a refused message that arrives',
      /which was refused/,
      ({ history, agent: at }) => {
        history.sends(phone, message('a'));
        history.refused(phone, 'a', 'wrong_target');
        at.receives(frame('a', 1));
      },
    ],
    [
      'a message for somebody else',
      /not meant for it/,
      ({ history, phone: at }) => {
        history.sends(agent, message('a'), [other]);
        at.receives(frame('a', 1, 'a', agent));
      },
    ],
    [
      'a second result',
      /two results/,
      ({ agent: at }) => {
        at.receives(result('r1', 1));
        at.receives(result('r2', 2));
      },
    ],
    [
      'a second prompt',
      /prompt of call c 2 times/,
      ({ phone: at }) => {
        at.isAsked('c');
        at.isAsked('c');
      },
    ],
  ])('%s', (_name, expected, tell) => {
    const tale = story();
    tell(tale);
    expect(tale.history.violations().join('\n')).toMatch(expected);
  });
});
