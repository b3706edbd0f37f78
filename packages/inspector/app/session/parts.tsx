import { useState } from 'preact/hooks';
import type { Media, Part } from '../../src/api/types.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { counted, whole } from '../parts/format.ts';
import { plain } from '../parts/plain.ts';

interface PartsProps {
  readonly parts: readonly Part[];
  /** Loads what the server cut off. */
  readonly onWhole?: (() => void) | undefined;
}

const LONG_LINES = 18;
const LONG_CHARS = 1_600;

/** The parts of a message: words as Markdown, calls and outputs monospaced. */
export function Parts({ parts, onWhole }: PartsProps) {
  if (parts.length === 0) return <p class="soft">(nothing)</p>;
  return (
    <>
      {parts.map((part, at) => (
        <PartBody part={part} onWhole={onWhole} key={at} />
      ))}
    </>
  );
}

function PartBody({ part, onWhole }: { readonly part: Part; readonly onWhole?: (() => void) | undefined }) {
  if (part.type === 'media') return <MediaTag media={part.media} />;
  if (part.type === 'call')
    return (
      <div class="call">
        <p class="small soft">
          calls <code>{plain(part.name)}</code>
        </p>
        {part.input !== '{}' && <Long text={part.input} chars={part.chars} onWhole={onWhole} isCode />}
      </div>
    );
  if (part.type === 'result')
    return (
      <div class="call">
        <p class="small soft">
          {part.name === undefined ? 'output' : <code>{plain(part.name)}</code>} {part.name !== undefined && 'returned'}{' '}
          {part.failed && <span class="tag bad">failed</span>}
        </p>
        {part.text !== '' && <Long text={part.text} chars={part.chars} onWhole={onWhole} isCode />}
        {part.media?.map((media, at) => (
          <MediaTag media={media} key={at} />
        ))}
      </div>
    );
  if (part.type === 'thinking')
    return (
      <details>
        <summary class="small">Thinking</summary>
        <Long text={part.text} chars={part.chars} onWhole={onWhole} />
      </details>
    );
  return <Long text={part.text} chars={part.chars} onWhole={onWhole} />;
}

interface LongProps {
  readonly text: string;
  readonly chars?: number | undefined;
  readonly onWhole?: (() => void) | undefined;
  readonly isCode?: boolean;
}

/** A text that shows its beginning if it is long. */
function Long({ text, chars, onWhole, isCode = false }: LongProps) {
  const [isOpen, setOpen] = useState(false);
  const lines = text.split('\n');
  const isLong = lines.length > LONG_LINES || text.length > LONG_CHARS;
  const shown = isLong && !isOpen ? startOf(lines) : text;
  return (
    <div>
      {isCode ? (
        <pre class="output" tabIndex={isOpen ? 0 : undefined}>
          {plain(shown)}
        </pre>
      ) : (
        <Markdown text={shown} />
      )}
      {isLong && (
        <button type="button" class="plain small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Show less' : `Show all ${counted(lines.length, 'line')}`}
        </button>
      )}
      {chars !== undefined && (isOpen || !isLong) && onWhole && (
        <button type="button" class="plain small" onClick={onWhole}>
          Load all {whole(chars)} characters
        </button>
      )}
    </div>
  );
}

function startOf(lines: readonly string[]): string {
  const start = lines.slice(0, LONG_LINES - 4).join('\n');
  return `${start.slice(0, LONG_CHARS)}${start.length > LONG_CHARS ? '…' : ''}`;
}

function MediaTag({ media: { kind, format, bytes } }: { readonly media: Media }) {
  const size = bytes === 0 ? 'link' : `${whole(Math.ceil(bytes / 1_024))} kB`;
  return (
    <p>
      <span class="tag">
        {kind === 'other' ? 'attachment' : kind} {format === undefined ? '' : plain(format)}, {size}
      </span>
    </p>
  );
}
