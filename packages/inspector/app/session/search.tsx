import { handleTarget } from 'holdfast';
import { useRef, useState } from 'preact/hooks';
import type { Recall, SearchHit, SearchResult } from '../../src/api/types.ts';
import { counted, sentence, whole } from '../parts/format.ts';
import { Marked } from '../parts/marked.tsx';
import { plain } from '../parts/plain.ts';
import { Loading, Problem } from '../parts/state.tsx';
import { useKeys } from '../shell/keys.ts';
import { useResource } from '../shell/resource.ts';
import { MessageHead } from './entry.tsx';
import { Parts } from './parts.tsx';

interface SearchProps {
  readonly id: string;
  readonly onMessage: (index: number) => void;
}

const WAIT_MS = 200;

/** Searches the whole history, folded or not, and recalls what is behind a handle. */
export function Search({ id, onMessage }: SearchProps) {
  const [words, setWords] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const waiting = useRef(0);
  useKeys({
    '/': () => field.current?.focus(),
    Escape: () => (document.activeElement as HTMLElement | null)?.blur(),
  });
  const type = (value: string) => {
    clearTimeout(waiting.current);
    waiting.current = setTimeout(() => setWords(value.trim()), WAIT_MS) as unknown as number;
  };
  return (
    <search class="stack">
      <input
        type="search"
        ref={field}
        aria-label="Search this session, or recall a handle"
        placeholder="Search this session for words, or recall a handle such as m12 ( / )"
        onInput={({ currentTarget }) => type(currentTarget.value)}
      />
      {words !== '' &&
        (handleTarget(words) ? (
          <Recalled id={id} handle={words} />
        ) : (
          <Hits id={id} words={words} onMessage={onMessage} />
        ))}
    </search>
  );
}

function Hits({ id, words, onMessage }: SearchProps & { readonly words: string }) {
  const path = `sessions/${encodeURIComponent(id)}/search?q=${encodeURIComponent(words)}`;
  const { data, error, reload } = useResource<SearchResult>(path);
  if (error !== undefined) return <Problem error={error} retry={reload} />;
  if (!data) return <Loading what="matches" />;
  return (
    <div class="card stack">
      <p class="small soft" role="status">
        {data.hits.length === 0
          ? 'Nothing in this session has these words.'
          : `${counted(data.hits.length, 'passage')}, best first`}
      </p>
      <ul class="hits">
        {data.hits.map((hit) => (
          <Hit id={id} hit={hit} words={words} onMessage={onMessage} key={`${hit.index} ${hit.lines.from}`} />
        ))}
      </ul>
    </div>
  );
}

function Hit({ id, hit, words, onMessage }: SearchProps & { readonly hit: SearchHit; readonly words: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li class="stack">
      <div class="found-line">
        <button type="button" class="plain handle" onClick={() => onMessage(hit.index)}>
          {plain(hit.handle)}
        </button>
        <span>
          {hit.fate === 'folded' || hit.fate === 'shortened' ? <span class="tag fold">{hit.fate}</span> : null}
        </span>
        <span class="words">
          <Marked text={hit.snippet} words={words} />
        </span>
        <button type="button" class="plain small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Close' : 'Recall'}
        </button>
      </div>
      {isOpen && (
        <>
          <p class="small soft">{linesText(hit)}</p>
          <pre class="output" tabIndex={0}>
            <Marked text={hit.text} words={words} />
          </pre>
          <Recalled id={id} handle={hit.handle} />
        </>
      )}
    </li>
  );
}

function linesText({ lines: { from, to } }: SearchHit): string {
  return from === to
    ? `Line ${whole(from)}, then the whole message`
    : `Lines ${whole(from)} to ${whole(to)}, then the whole message`;
}

/** The originals behind a handle, as the model gets them. */
export function Recalled({ id, handle }: { readonly id: string; readonly handle: string }) {
  const path = `sessions/${encodeURIComponent(id)}/recall/${encodeURIComponent(handle)}`;
  const { data, error, status, reload } = useResource<Recall>(path);
  if (status === 404 && error !== undefined)
    return (
      <p class="card small soft" role="status">
        {plain(sentence(error))}
      </p>
    );
  if (error !== undefined) return <Problem error={error} retry={reload} />;
  if (!data) return <Loading what={handle} />;
  return (
    <div class="recalled stack">
      {data.messages.map((message) => (
        <div key={message.index}>
          <MessageHead message={message} />
          <Parts parts={message.parts} />
        </div>
      ))}
    </div>
  );
}
