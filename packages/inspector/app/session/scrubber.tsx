import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Call, CallList, SentRequest, SessionDetail } from '../../src/api/types.ts';
import { counted, money, tokens, whole } from '../parts/format.ts';
import { plain } from '../parts/plain.ts';
import { Loading, Problem } from '../parts/state.tsx';
import { useKeys } from '../shell/keys.ts';
import { useResource } from '../shell/resource.ts';

interface ScrubberProps {
  readonly session: SessionDetail;
  readonly list: CallList;
  readonly at: number;
  readonly onCall: (call: number) => void;
}

/** Goes through the calls, and shows what was sent. */
export function Scrubber({ session: { id, model }, list: { calls, total: last }, at, onCall }: ScrubberProps) {
  const [showsRequest, setRequest] = useState(false);
  const to = (call: number) => onCall(Math.max(1, Math.min(last, call)));
  useKeys({
    ArrowLeft: () => to(at - 1),
    ArrowRight: () => to(at + 1),
    Home: () => to(1),
    End: () => to(last),
  });
  const call = useCall(id, calls, at);
  const place = useRef<HTMLElement>(null);
  const isAsked = useRef(false);
  // With the request open, this part scrolls away with the page, and may be far above.
  const bringUp = () => {
    if (isAsked.current) place.current?.scrollIntoView();
    isAsked.current = false;
  };
  const requests = call?.requests ?? 0;
  return (
    <section class="card stack scrubber" aria-label="Calls" ref={place}>
      <div class="row">
        <button type="button" aria-label="Previous call" disabled={at <= 1} onClick={() => to(at - 1)}>
          ←
        </button>
        <input
          class="grow"
          type="range"
          min={1}
          max={last}
          value={at}
          aria-label="Call"
          aria-valuetext={`call ${at} of ${last}`}
          onInput={({ currentTarget }) => to(Number(currentTarget.value))}
        />
        <button type="button" aria-label="Next call" disabled={at >= last} onClick={() => to(at + 1)}>
          →
        </button>
        <button type="button" disabled={at >= last} onClick={() => to(last)}>
          Newest
        </button>
        <button
          type="button"
          aria-expanded={showsRequest}
          disabled={requests === 0}
          onClick={() => {
            isAsked.current = !showsRequest;
            setRequest(!showsRequest);
          }}
        >
          {showsRequest ? 'Hide the request' : 'Show the exact request'}
        </button>
      </div>
      <p class="nums" role="status">
        <b>
          Call {whole(at)} of {whole(last)}
        </b>{' '}
        <span class="soft">{call ? about(call, model) : '…'}</span>
      </p>
      {call && requests === 0 && <p class="soft small">The exact request of this call was not stored.</p>}
      {call?.rewound && (
        <p class="soft small">The history was rewound since, so some of what this call saw is not below.</p>
      )}
      {showsRequest && requests > 0 && <RequestText id={id} call={at} count={requests} onShown={bringUp} key={at} />}
    </section>
  );
}

/** A call of the list, which has all of them unless they are more than a chart can show. */
function useCall(id: string, calls: readonly Call[], at: number): Call | undefined {
  const listed = calls.find(({ call }) => call === at);
  const { data } = useResource<Call>(listed ? undefined : `sessions/${encodeURIComponent(id)}/calls/${at}`);
  return listed ?? data;
}

/** `usual`: the model that the head of the page names. */
function about(call: Call, usual: string | undefined): string {
  const { sent, messages, viewTokens, historyTokens, cost, model, tokens: used, time } = call;
  const cached = used.cacheRead + used.cacheWrite + used.input;
  return [
    `sent ${tokens(viewTokens)}${historyTokens === undefined ? '' : ` of ${tokens(historyTokens)}`} tokens`,
    ...(sent === undefined ? [] : [`${counted(sent, 'message')} for ${whole(messages)} of the history`]),
    ...(cached === 0 ? [] : [`${Math.round((100 * used.cacheRead) / cached)}% from the cache`]),
    ...(cost === undefined ? [] : [money(cost)]),
    ...(model !== undefined && model !== usual ? [plain(model)] : []),
    new Date(time).toLocaleString(),
  ].join(' · ');
}

const STEP = 60_000;

interface RequestProps {
  readonly id: string;
  readonly call: number;
  readonly count: number;
  readonly onShown: () => void;
}

/** The body of a request as it was sent, or indented for reading. */
function RequestText({ id, call, count, onShown }: RequestProps) {
  const [n, setN] = useState(1);
  const { data, error, reload } = useResource<SentRequest>(
    `sessions/${encodeURIComponent(id)}/requests/${call}?n=${n}`,
  );
  const [isRaw, setRaw] = useState(false);
  const [most, setMost] = useState(STEP);
  const isThere = data !== undefined;
  // Not earlier: the browser keeps the rows below in place while the text comes in above them.
  useLayoutEffect(() => {
    if (isThere) onShown();
  }, [isThere, onShown]);
  if (error !== undefined) return <Problem error={error} retry={reload} />;
  if (!data) return <Loading what="the request" />;
  const text = isRaw ? data.body : indented(data.body);
  return (
    <div class="stack">
      <div class="row small soft">
        {count > 1 && (
          <label class="row">
            Request
            <select value={n} onChange={({ currentTarget }) => setN(Number(currentTarget.value))}>
              {Array.from({ length: count }, (_, at) => (
                <option value={at + 1} key={at}>
                  {at + 1} of {count}
                </option>
              ))}
            </select>
          </label>
        )}
        <span>
          {whole(data.body.length)} characters, {data.masked ? 'as sent but for masked keys' : 'byte for byte as sent'}
        </span>
        <label class="row">
          <input type="checkbox" checked={isRaw} onChange={() => setRaw(!isRaw)} /> as sent, without indentation
        </label>
      </div>
      <pre class="output request" tabIndex={0}>
        {plain(text.slice(0, most))}
      </pre>
      {text.length > most && (
        <button type="button" class="plain" onClick={() => setMost(most * 4)}>
          Show more ({whole(text.length - most)} characters left)
        </button>
      )}
    </div>
  );
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
