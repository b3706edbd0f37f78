import { useRef, useState } from 'preact/hooks';
import { plain } from '../parts/plain.ts';
import { useKeys } from '../shell/keys.ts';
import type { Conversation } from './use-talk.ts';

/** Where a person types, stops, resumes and answers. */
export function Composer({ conversation }: { readonly conversation: Conversation }) {
  const { isBusy, turn, send, stop, status, talk } = conversation;
  const [text, setText] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  useKeys({
    '/': () => field.current?.focus(),
    Escape: () => (document.activeElement as HTMLElement | null)?.blur(),
  });
  const submit = async () => {
    if (isBusy || text.trim() === '') return;
    setText('');
    // Refused words can be sent again.
    if (!(await send(text))) setText((typed) => typed || text);
    field.current?.focus();
  };
  const isQuestion = turn?.type === 'pause';
  const isInterrupted = !isBusy && talk.said.length > 0 && (turn?.type === 'agent' || turn?.type === 'group');
  const asker = plain(turn?.agent ?? 'the crew');
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {isInterrupted && (
        <p class="row small">
          This request was interrupted; {asker} is next.
          <button type="button" onClick={() => send()}>
            Resume
          </button>
        </p>
      )}
      {isQuestion && <p class="small">{asker} asked you. Your answer continues the request.</p>}
      <div class="row">
        <textarea
          class="grow"
          ref={field}
          rows={2}
          value={text}
          aria-label={isQuestion ? 'Your answer' : 'Your message'}
          placeholder={isQuestion ? `Answer ${asker}` : 'Message the crew (Enter sends)'}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            void submit();
          }}
        />
        {isBusy ? (
          <button type="button" class="stop" disabled={status === 'stopping'} onClick={stop}>
            Stop
          </button>
        ) : (
          <button type="submit" class="primary">
            {isQuestion ? 'Answer' : 'Send'}
          </button>
        )}
      </div>
    </form>
  );
}
