import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ApiProblem } from '../shell/api.ts';
import { go, href } from '../shell/route.ts';
import { after, type CrewEvent } from './events.ts';
import {
  type Asked,
  cancel,
  follow,
  type NextTurn,
  newSession,
  type SentEvent,
  stored,
  turnOf,
} from './serve-routes.ts';
import { NOTHING, settled, type Talk, withProblem, withUtterance } from './talk.ts';

/** A conversation with the crew. */
export interface Conversation {
  readonly talk: Talk;
  /** `loading`, `ready`, `working`, `complete`, `refused`…: for the status line. */
  readonly status: string;
  readonly isBusy: boolean;
  readonly turn?: NextTurn;
  readonly error?: string;
  /** Messages before those on show. */
  readonly earlier: number;
  readonly loadEarlier: () => void;
  /** Sends words, or without them resumes what was interrupted. Resolves to false if they were refused. */
  readonly send: (text?: string) => Promise<boolean>;
  readonly stop: () => void;
}

/** A conversation in a session, new or stored, spoken over the routes of `holdfast serve`. */
export function useTalk(id: string | undefined, canTalk: boolean): Conversation {
  const [talk, setTalk] = useState<Talk>(NOTHING);
  const [status, setStatus] = useState('ready');
  const [isBusy, setBusy] = useState(false);
  const [turn, setTurn] = useState<NextTurn | undefined>();
  const [error, setError] = useState<string | undefined>();
  const [earlier, setEarlier] = useState(0);
  const session = useRef<string | undefined>(undefined);
  const asked = useRef<Asked | undefined>(undefined);
  const loaded = useRef<Promise<void>>(Promise.resolve());
  const loadTurn = useCallback(async (name: string) => {
    const next = await turnOf(name);
    if (session.current === name && !asked.current) setTurn(next);
  }, []);
  const load = useCallback(
    async (name: string, before?: number) => {
      try {
        const { said, first } = await stored(name, before);
        if (session.current !== name) return;
        setTalk((now) => ({ ...now, said: before === undefined ? said : [...said, ...now.said] }));
        setEarlier(first);
        if (canTalk) await loadTurn(name);
      } catch (problem) {
        if (session.current !== name) return;
        setError((problem as Error).message);
        setStatus('failed');
      }
      if (session.current === name) setStatus((now) => (now === 'loading' ? 'ready' : now));
    },
    [canTalk, loadTurn],
  );
  // Before the user can type: words must not go to the conversation that was left.
  useLayoutEffect(() => {
    // The address of a conversation that was just begun here.
    if (session.current === id && id !== undefined) return;
    session.current = id;
    // A request of the conversation that was left has no more to say here.
    asked.current?.leave.abort();
    asked.current = undefined;
    setBusy(false);
    setTalk(NOTHING);
    setStatus(id === undefined ? 'ready' : 'loading');
    setTurn(undefined);
    setError(undefined);
    setEarlier(0);
    loaded.current = id === undefined ? Promise.resolve() : load(id);
  }, [id, load]);
  useEffect(() => () => asked.current?.leave.abort(), []);

  const tell = ({ type, data }: SentEvent): boolean => {
    const event = JSON.parse(data);
    if (type === 'problem') {
      setTalk((now) => withProblem(now, 'server', event.detail));
      setStatus('failed');
      return true;
    }
    setTalk((now) => after(now, event as CrewEvent));
    if (event.type === 'hand-off') setStatus(`${event.from} → ${event.to}`);
    if (event.type === 'result') setStatus(event.result.status);
    return event.type === 'result';
  };
  const send = async (text?: string): Promise<boolean> => {
    const own: Asked = { last: '', leave: new AbortController() };
    asked.current = own;
    setBusy(true);
    setStatus('working');
    setTurn(undefined);
    const problem = await ask(own, text).then(
      () => undefined,
      (error: unknown) => error,
    );
    const isReceived = own.last !== '';
    if (asked.current !== own) return isReceived;
    if (own.leave.signal.aborted) setStatus('cancelled');
    else if (problem !== undefined) {
      setStatus(problem instanceof ApiProblem && problem.status > 0 ? 'refused' : 'failed');
      setTalk((now) => withProblem(isReceived ? now : refused(now), 'server', (problem as Error).message));
    }
    asked.current = undefined;
    setTalk((now) => settled(now));
    setBusy(false);
    const { current } = session;
    if (current !== undefined) {
      if (id === undefined && isReceived) go(href(['crew', current]), true);
      loadTurn(current).catch(() => {});
    }
    return isReceived;
  };
  /** Sends a request and shows its events, until it is over or its conversation is left. Throws ApiProblem. */
  const ask = async (own: Asked, text?: string): Promise<void> => {
    const isLeft = () => asked.current !== own;
    // What was said before comes first.
    await loaded.current;
    if (isLeft()) return;
    if (text !== undefined) setTalk((now) => withUtterance(now, { who: 'you', role: 'user', pieces: [text] }));
    const name = session.current ?? (await newSession(text ?? ''));
    if (isLeft()) return;
    session.current = name;
    const input = text === undefined ? {} : { input: text };
    await follow({ session: name, ...input }, own, (sent) => isLeft() || tell(sent));
  };
  const stop = () => {
    setStatus('stopping');
    if (asked.current) void cancel(asked.current);
  };
  const loadEarlier = () => void (session.current !== undefined && load(session.current, earlier));
  const rest = { ...(turn ? { turn } : {}), ...(error === undefined ? {} : { error }) };
  return { talk, status, isBusy, earlier, loadEarlier, send, stop, ...rest };
}

/** Marks the user's newest message as not received. */
function refused(talk: Talk): Talk {
  const at = talk.said.findLastIndex(({ role }) => role === 'user');
  return { ...talk, said: talk.said.map((one, n) => (n === at ? { ...one, isRefused: true } : one)) };
}
