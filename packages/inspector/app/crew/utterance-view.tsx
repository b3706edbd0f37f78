import { Markdown } from '../markdown/markdown.tsx';
import { sentence } from '../parts/format.ts';
import { plain } from '../parts/plain.ts';
import { withoutMarkers } from './markers.ts';
import type { ToolCall, Utterance } from './talk.ts';

/** Something that was said: words as Markdown, tool output monospaced, signals of the crew hidden. */
export function UtteranceView({ said }: { readonly said: Utterance }) {
  const { who, role, pieces, isGrowing = false, isRefused = false } = said;
  return (
    <article class={`bubble ${role}${isRefused ? ' refused' : ''}`} aria-label={plain(who)}>
      <p class="who small">
        <b>{plain(who)}</b>
        {isRefused && <span class="tag bad">not sent</span>}
        {isGrowing && <span class="soft">is writing…</span>}
      </p>
      {pieces.map((piece, at) =>
        typeof piece === 'string' ? (
          <Words text={piece} role={role} isGrowing={isGrowing} key={at} />
        ) : (
          <CallView call={piece} key={at} />
        ),
      )}
    </article>
  );
}

interface WordsProps {
  readonly text: string;
  readonly role: Utterance['role'];
  readonly isGrowing: boolean;
}

function Words({ text, role, isGrowing }: WordsProps) {
  if (role === 'user') return <p class="as-typed">{plain(text)}</p>;
  const shown = role === 'agent' ? withoutMarkers(text, isGrowing) : sentence(text);
  return shown === '' ? null : <Markdown text={shown} />;
}

const SIGNS = { running: '…', done: '✓', failed: '✗' } as const;
const SHORT = 400;

function CallView({ call: { name, input, output, state } }: { readonly call: ToolCall }) {
  return (
    <details class="tool" open={output !== undefined && output.length < SHORT}>
      <summary class="small">
        {SIGNS[state]} <code>{plain(name)}</code>{' '}
        <span class="soft">{state === 'running' ? 'is running' : state === 'failed' ? 'failed' : ''}</span>
      </summary>
      {input !== '{}' && <pre class="output">{plain(input)}</pre>}
      {output !== undefined && <pre class="output">{plain(output)}</pre>}
    </details>
  );
}
