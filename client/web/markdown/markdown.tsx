/**
 * The agent's Markdown as a document. The text is a stranger's: raw HTML is dropped, addresses are http, https or mailto, links open
 * elsewhere without a way back, and no image is loaded by itself. Loaded lazily, since it is the heaviest part of the page.
 */
import { memo, useDeferredValue, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import ReactMarkdown, { type Components } from 'react-markdown';
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';
import { Icon } from '../parts/icon.tsx';
import { Revealed } from '../parts/revealed.tsx';
import { OutsideImage } from '../parts/outside-image.tsx';
import { SafeLink, safeAddress } from '../parts/safe-link.tsx';
import { splitBlocks } from './blocks.ts';
import { CodeBlock } from './code-block.tsx';
import { flatten, isSeen, type DocumentNode } from './tree.ts';

const REMARK = [remarkGfm];
const SCHEMA = {
  ...defaultSchema,
  protocols: { href: ['http', 'https', 'mailto'], src: ['https'] },
  // Nothing refers to an id or a class of the page's, so nothing may claim one.
  attributes: { ...defaultSchema.attributes, '*': ['align', 'checked'] },
};

/** The page's own heading is the first; an agent's begin below it, and go three levels deep. */
const COMPONENTS: Components = {
  h1: ({ children }) => <h2>{children}</h2>,
  h2: ({ children }) => <h3>{children}</h3>,
  h3: ({ children }) => <h4>{children}</h4>,
  h4: ({ children }) => <h4>{children}</h4>,
  h5: ({ children }) => <h4>{children}</h4>,
  h6: ({ children }) => <h4>{children}</h4>,
  a: ({ href, children }) => <SafeLink href={href}>{children}</SafeLink>,
  img: ({ src, alt }) => <OutsideImage url={typeof src === 'string' ? src : ''} alt={alt ?? ''} />,
  input: ({ checked }) => <Task done={checked === true} />,
  pre: ({ children }) => <CodeBlock>{children}</CodeBlock>,
  table: ({ children }) => (
    <div className="table-scroll" tabIndex={0} role="group">
      <table>{children}</table>
    </div>
  ),
};

function Task({ done }: { done: boolean }) {
  const { t } = useTranslation();
  return (
    <span className={done ? 'task done' : 'task'} role="img" aria-label={t(done ? 'message.taskDone' : 'message.taskOpen')}>
      {done && <Icon name="check" small />}
    </span>
  );
}

/** So many pieces stay parsed while they are scrolled away. */
const KEPT = 600;
const kept = new Map<string, Piece>();

/** A text as it is drawn, and whether that shows anything. */
interface Piece {
  drawn: ReactElement;
  seen: boolean;
}

function parsed(text: string): Piece {
  const known = kept.get(text);
  if (known) return known;
  let seen = true;
  const look = () => (tree: DocumentNode) => {
    flatten(tree);
    seen = isSeen(tree);
  };
  const drawn = ReactMarkdown({
    children: text,
    remarkPlugins: REMARK,
    rehypePlugins: [[rehypeSanitize, SCHEMA], look],
    components: COMPONENTS,
    urlTransform: (url) => safeAddress(url) ?? '',
  });
  const made = { drawn, seen };
  kept.set(text, made);
  if (kept.size > KEPT) for (const oldest of [...kept.keys()].slice(0, KEPT / 4)) kept.delete(oldest);
  return made;
}

const Block = memo(function Block({ text, atOnce }: { text: string; atOnce: boolean }) {
  // Parsing takes longer than a frame has. A piece that comes in is there as it was written at once, and formatted when there is time.
  const formatted = useDeferredValue(true, atOnce || kept.has(text));
  return formatted ? parsed(text).drawn : <p className="plain">{text}</p>;
});

/** Words at the beginning are seen, whatever becomes of the rest: most texts need not be parsed to know that. */
const BEGINS_SEEN = /^[\s#>*_-]*[\p{L}\p{N}]/u;

/**
 * A Markdown text; one that would show nothing is shown as it was written. A piece that is finished is parsed once, however long the text grows behind it.
 * @param props.atOnce whether new pieces are formatted in the frame they come in: somebody watches them being written
 */
export default function Markdown({ text, atOnce }: { text: string; atOnce: boolean }) {
  const blocks = splitBlocks(text);
  if (!BEGINS_SEEN.test(text) && !blocks.some((block) => parsed(block).seen)) {
    return (
      <p className="plain">
        <Revealed text={text} />
      </p>
    );
  }
  return blocks.map((block, i) => <Block key={i} text={block} atOnce={atOnce} />);
}
