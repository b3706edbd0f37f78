import { contentText } from '../content/text.ts';
import type { Dialect } from '../dialect.ts';
import { isHoldfastError } from '../errors.ts';
import { parseHandle } from '../handles/handles.ts';
import { sameValue } from '../json/same-value.ts';
import { memoryArchive } from '../state/archive.ts';
import type { WindowEvent } from '../window/parts.ts';
import type { ConversationWindow } from '../window.ts';
import { jsonClone, show } from './compare.ts';
import { type Demand, refusal } from './demand.ts';
import { ask, type Request, runWindow, tokensIn, type WindowRun, windowWith } from './window-runs.ts';

const HANDLE = /recall (m\d+(?:~\d+)?(?:\.\d+)?(?:@[\w-]+)?)/;
const OLD_WORDS = 'OLD-a41f9c-WORDS';

/** Requirements for a window that uses this dialect. */
export const WINDOW_DEMANDS: readonly Demand[] = [
  {
    name: 'every view is valid',
    fix: 'Find the rule that a copy, a note or two new neighbours broke: the copies of `maskResults`, `maskText` and `withoutThinking` must be as valid as the originals.',
    async *check({ dialect, runs }) {
      for (const { place, requests, error } of await runs()) {
        if (error) yield `${place}, ${error}`;
        for (const { history, view } of requests) {
          const wrong = view && refusal(dialect, view);
          if (wrong) yield `${place}, the view of ${history.length} messages: ${wrong}`;
        }
      }
    },
  },
  {
    name: 'every view is within budget, or OVER_BUDGET says why not',
    fix: '`read` must count a copy by its contents: a masked result is shorter than the original.',
    async *check({ dialect, runs }) {
      let folds = 0;
      for (const { place, requests, config } of await runs()) {
        const most = {
          messages: config.max_messages || Number.POSITIVE_INFINITY,
          tokens: config.max_tokens ?? Number.POSITIVE_INFINITY,
        };
        for (const { history, view, receipt, refusal: refused } of requests) {
          const size = view
            ? { messages: view.length, tokens: tokensIn(dialect, view) }
            : (refused?.details.floor as typeof most);
          const isOver = size.messages > most.messages || size.tokens > most.tokens;
          if (isOver !== (view === undefined))
            yield `${place}, ${history.length} messages: ${view ? 'a view' : 'a floor'} of ${show(size)}`;
          if (receipt) folds++;
        }
      }
      if (folds === 0) yield 'no conversation could be folded at any budget';
    },
  },
  {
    name: 'a view only grows at its end between folds',
    fix: '`read` and the copies must depend only on the message.',
    async *check({ dialect, runs }) {
      for (const { place, requests } of await runs()) {
        let before: readonly string[] = [];
        for (const { history, view, receipt } of requests) {
          if (!view) continue;
          const plain = view.map((message) => JSON.stringify(dialect.withMarkers(message, 0)));
          const at = receipt ? -1 : before.findIndex((text, i) => text !== plain[i]);
          if (at >= 0) yield `${place}, ${history.length} messages: message ${at} of the view changed without a fold`;
          before = plain;
        }
      }
    },
  },
  {
    name: 'the same history gives the same view',
    fix: 'Use no clock, no randomness and no memory; a view that is fitted again must read as before.',
    async *check({ dialect, runs }) {
      for (const run of some(await runs())) {
        const { requests, window } = await runWindow(dialect, copyOf(run), run.config);
        yield* differences(run, requests, 'the second time');
        const last = requests.at(-1);
        if (!last?.view) continue;
        const { view, receipt } = await ask(window, last.history);
        if (receipt || JSON.stringify(view) !== JSON.stringify(last.view))
          yield `${run.place}: fitting the same history again gives another view`;
      }
    },
  },
  {
    name: 'everything can be recalled',
    fix: 'Return copies: the originals must stay unchanged. Places of results in `read` and `maskResults` must agree.',
    async *check({ dialect, runs }) {
      for (const run of await runs()) yield* unrecalled(dialect, run);
    },
  },
  {
    name: 'a window restored from its state continues as before',
    fix: 'Messages must read the same after JSON: no class instances, no identity, no hidden fields.',
    async *check({ dialect, runs }) {
      for (const run of some(await runs())) {
        let count = 0;
        const archive = memoryArchive<unknown>();
        const restore = (window: ConversationWindow) =>
          ++count % 3 === 0 ? windowWith(dialect, run.config, { archive, state: jsonClone(window.state()) }) : window;
        const restored = await runWindow(dialect, run.conversation, run.config, restore, archive);
        if (restored.error) yield `${run.place}, ${restored.error}`;
        yield* differences(run, restored.requests, 'after a restored state');
      }
    },
  },
  {
    name: 'edits of the history are noticed, moved cache markers are not',
    fix: '`withMarkers(message, 0)` must remove the markers and nothing else.',
    async *check({ dialect, fixture, runs }) {
      for (const { place, requests, config } of some(await runs())) {
        const { history } = requests.findLast(({ view }) => view) ?? { history: [] };
        if (history.length === 0) continue;
        const events: WindowEvent[] = [];
        const window = windowWith(dialect, config, { onEvent: (event) => events.push(event) });
        const kept = [...history, fixture.user(OLD_WORDS)];
        if (!(await ask(window, kept)).view) continue;
        if (fixture.marked) {
          await ask(window, kept.with(-1, fixture.marked(fixture.user(OLD_WORDS))));
          if (events.some(({ type }) => type === 'history-rewritten'))
            yield `${place}: a new cache marker counts as an edit`;
        }
        const { view } = await ask(window, kept.with(-1, fixture.user('Other words.')));
        if (!events.some(({ type }) => type === 'history-rewritten')) yield `${place}: an edit is not noticed`;
        if (JSON.stringify(view)?.includes(OLD_WORDS)) yield `${place}: the old text is still in the view`;
      }
    },
  },
];

/** Every fifth run: each budget once, and each conversation at several. */
function some<T>(runs: readonly T[]): T[] {
  return runs.filter((_, i) => i % 5 === 0);
}

function copyOf<M>({ conversation }: WindowRun<M>): WindowRun<M>['conversation'] {
  return { ...conversation, history: jsonClone(conversation.history) };
}

function* differences<M>(run: WindowRun<M>, requests: readonly Request<M>[], when: string): Generator<string> {
  const outcome = (request: Request<M> | undefined) =>
    JSON.stringify([request?.view, request?.receipt, request?.refusal?.message]);
  const at = run.requests.findIndex((request, i) => outcome(request) !== outcome(requests[i]));
  if (at >= 0) yield `${run.place}, ${run.requests[at]?.history.length} messages: another view or receipt ${when}`;
}

/** What cannot be recalled: messages by their handles, and results by the handles in the view. */
async function* unrecalled<M>(dialect: Dialect<M>, { place, window, requests }: WindowRun<M>): AsyncGenerator<string> {
  const { history, view } = requests.findLast((request) => request.view) ?? { history: [], view: [] };
  for (const [i, message] of history.entries()) {
    const back = await recall(window, `m${i}`);
    if (JSON.stringify(back.messages) !== JSON.stringify([message])) yield `${place}: m${i} recalls ${show(back)}`;
  }
  for (const message of view ?? []) {
    for (const { id, content } of dialect.read(message).results) {
      // A reminder after the result has handles of other results.
      const [own = ''] = contentText(content).split('[Reminder:');
      const [, handle] = HANDLE.exec(own) ?? [];
      if (handle === undefined) continue;
      const { from, part } = parseHandle(handle);
      const original = history.slice(from, from + 1).flatMap((one) => dialect.read(one).results);
      const { messages = [], ...back } = await recall(window, handle);
      const recalled =
        part === undefined ? messages.flatMap((one) => dialect.read(one).results)[0]?.content : back.content;
      if (!sameValue(recalled, original.find((result) => result.id === id)?.content))
        yield `${place}: ${handle} is the handle for the result of ${id}, but recalls ${show(recalled)}`;
    }
  }
}

async function recall<M>(
  window: WindowRun<M>['window'],
  handle: string,
): Promise<{ messages?: readonly M[]; content?: unknown; error?: string }> {
  try {
    return await window.recall(handle);
  } catch (error) {
    if (isHoldfastError(error)) return { error: error.message };
    throw error;
  }
}
