/** A question of the agent's that waits for the user: the frame that all of them share. */
import { useId, type ComponentType } from 'react';
import { useTranslation } from 'react-i18next';
import type { Payloads } from '../../../src/protocol/messages.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';
import type { Entry } from '../model/entry.ts';
import { objectField } from '../model/timeline.ts';
import type { Answer, Question } from '../model/tool-desk.ts';
import { useConversation, useConversationPart } from '../parts/contexts.ts';
import { Icon } from '../parts/icon.tsx';
import { Revealed } from '../parts/revealed.tsx';
import { useAsleep } from '../parts/use-asleep.ts';
import { ChoiceBody } from './choice-body.tsx';
import { ConfirmBody } from './confirm-body.tsx';
import { InputBody } from './input-body.tsx';

/** What the body of a card gets. */
export interface CardBodyProps<T extends Question['tool']> {
  arguments: Extract<Question, { tool: T }>['arguments'];
  /** The result that is on its way; null while nothing was answered. */
  sending: JsonObject | null;
  /** The id of the question's heading, for labels. */
  questionId: string;
  onAnswer: (answer: Answer) => void;
}

const BODIES: { [T in Question['tool']]: ComponentType<CardBodyProps<T>> } = { choice: ChoiceBody, confirm: ConfirmBody, input: InputBody };

/** Questions longer than this many characters are set as text. */
const LONG = 240;

export function CallCard({ entry, question }: { entry: Entry; question: Question }) {
  const { t } = useTranslation();
  const store = useConversation();
  const agent = useConversationPart((view) => view.agent.name);
  const questionId = useId();
  const asleep = useAsleep<HTMLElement>();
  const call = entry.payload as Payloads['tool.call'];
  const sending = entry.call?.status === 'sending' ? objectField(entry.call.answer ?? {}, 'result') : null;
  const refused = entry.call?.refused;
  const Body = BODIES[question.tool] as ComponentType<CardBodyProps<Question['tool']>>;
  const text = question.arguments.question;
  return (
    <section className="card" ref={asleep} aria-labelledby={questionId} aria-busy={sending !== null || undefined}>
      <header className="card-head">
        <div className="card-words">
          <p className="card-asks">
            <span role="status">{sending ? t('call.sending') : t('call.asks', { agent })}</span>
          </p>
          <p className={text.length > LONG ? 'card-question long' : 'card-question'} id={questionId} dir="auto">
            <Revealed text={text} />
          </p>
        </div>
        <button
          type="button"
          className="icon-button card-dismiss"
          aria-label={t('call.dismiss')}
          title={t('call.dismiss')}
          disabled={sending !== null}
          onClick={() => void store.outgoing.answer(call, { tool: 'dismissed' })}
        >
          <Icon name="close" />
        </button>
      </header>
      <Body
        arguments={question.arguments}
        sending={sending}
        questionId={questionId}
        onAnswer={(answer) => void store.outgoing.answer(call, answer)}
      />
      {refused && (
        <p className="problem" role="alert">
          {t('call.refused', { message: refused.message })}
        </p>
      )}
    </section>
  );
}
