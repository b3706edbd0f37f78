import type { HistoryMessage, NoteLine } from '../../src/api/types.ts';
import { plain } from '../parts/plain.ts';
import { Parts } from './parts.tsx';

const WHY = {
  pinned: 'pinned',
  first: 'the task',
  since: 'since the last fold',
  newest: 'newest at the fold',
  room: 'there was room',
} as const;

interface EntryProps {
  readonly message: HistoryMessage;
  readonly state: 'kept' | 'shortened' | 'folded';
  /** The line of the note that speaks for it. */
  readonly line: NoteLine | undefined;
  readonly onWhole: () => void;
}

/** A message on the left, and on the right what the model sees of it. */
export function Entry({ message, state, line, onWhole }: EntryProps) {
  return (
    <>
      <div class="said">
        <MessageHead message={message} />
        <Parts parts={message.parts} onWhole={onWhole} />
      </div>
      {state === 'folded' ? (
        <div class="seen gone">
          <p class="row small">
            <span class="tag fold">folded</span>
            <span class="soft">
              recall <code>{plain(message.handle)}</code>
            </span>
          </p>
          {line && (
            <p class="small">
              The note says: <q>{plain(line.text)}</q>
            </p>
          )}
        </div>
      ) : (
        <div class={`seen ${state === 'kept' && !message.view ? 'same' : 'changed'}`}>
          <SeenHead message={message} state={state} />
          <Parts parts={message.view ?? message.parts} onWhole={onWhole} />
          {message.reminder !== undefined && !message.view && (
            <div class="reminder">
              <p class="small soft">reminder: folded lines that came back</p>
              <pre>{plain(message.reminder)}</pre>
            </div>
          )}
        </div>
      )}
    </>
  );
}

/** Who spoke, and the handle. */
export function MessageHead({
  message,
}: {
  readonly message: Pick<HistoryMessage, 'role' | 'name' | 'handle' | 'pinned'>;
}) {
  const { role, name, handle, pinned } = message;
  return (
    <p class="row small">
      <b class={`role ${role}`}>{plain(name ?? role)}</b>
      <code class="soft">{plain(handle)}</code>
      {pinned && <span class="tag pin">pinned</span>}
    </p>
  );
}

function SeenHead({ message, state }: Pick<EntryProps, 'message' | 'state'>) {
  const { fate, reminder } = message;
  const why = fate.type === 'kept' && fate.why !== undefined ? WHY[fate.why] : undefined;
  return (
    <p class="row small">
      {state === 'shortened' ? (
        <span class="tag fold">shortened</span>
      ) : (
        <span class="soft">{why === undefined ? 'as it is' : `as it is: ${why}`}</span>
      )}
      {reminder !== undefined && <span class="tag pin">with a reminder</span>}
    </p>
  );
}
