// What every peer has in common: a session in the peer's own shape, driven once per model call.
import { readFileSync } from 'node:fs';

/** The token limit given to every peer that takes one. */
export const LIMIT = 40_000;

/** The message limit given to every peer that takes one. */
export const WINDOW = 40;

/** Replaces a model's summary. All peers get the same one, so that no peer is judged by its model. */
export const SUMMARY =
  'The user asked for a change. The relevant files were read and part of the work was done. Go on from the messages below.';

const versionOf = (name) =>
  JSON.parse(readFileSync(new URL(`./node_modules/${name}/package.json`, import.meta.url), 'utf8')).version;

/**
 * Makes a peer from `open`, which starts a session:
 * - `push(message)` converts one chat message to the peer's shape; never timed;
 * - `run()` is the peer's own work for one model call, and nothing else; timed;
 * - `chat(result)` converts the result of `run` to chat messages; unchanged ones are the objects that were pushed;
 * - `recall(handle)`, if the peer has handles, returns the original messages behind one; never timed.
 * `pure` says that a view depends on the history alone, `simulated` that its speed says nothing.
 *
 * @param {{ name: string, package: string, version?: string, budget: `tokens:${number}` | `messages:${number}` | 'none', summary?: boolean,
 *   stateful?: boolean, simulated?: boolean, pure?: boolean, open: () => { push(message: object): void, run(): object[] | Promise<object[]>, chat(result: object[]): object[],
 *   recall?(handle: string): Promise<object[]> } }} peer
 */
export function definePeer({
  name,
  package: packageName,
  version,
  budget,
  summary = false,
  stateful = false,
  simulated = false,
  pure = false,
  open,
}) {
  return {
    name,
    package: packageName,
    version: version ?? versionOf(packageName),
    budget,
    summary,
    simulated,
    pure,
    /** A policy for one conversation; `length` is the newest view's in the peer's own messages. */
    policy() {
      const session = open();
      let seen = 0;
      return {
        length: 0,
        ...(session.recall && { recall: session.recall }),
        async view(history) {
          for (; seen < history.length; seen++) session.push(history[seen]);
          const result = await session.run();
          this.length = result.length;
          return session.chat(result);
        },
      };
    },
    speed: {
      stateful,
      prepare(history) {
        const session = open();
        for (const message of history) session.push(message);
        return session;
      },
      append: (session, message) => session.push(message),
      run: (session) => session.run(),
      settle: (session, result) => session.chat(result),
    },
  };
}

/** Whether a chat message is an instruction of the application rather than a part of the dialogue. */
export const isSystem = (message) => message.role === 'system' || message.role === 'developer';

/** The arguments of a call as an object, whatever the model wrote. */
export function argumentsOf(call) {
  try {
    const value = JSON.parse(call.function.arguments);
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : { input: value };
  } catch {
    return { input: call.function.arguments };
  }
}

const userCopies = new WeakMap();

/**
 * What a peer that treats mid-conversation system messages as user messages would send: they come back unchanged,
 * except that one at the start of the dialogue becomes a user message.
 */
export function openedByUser(view) {
  const [first, ...rest] = view;
  if (!first || !isSystem(first)) return view;
  if (!userCopies.has(first)) userCopies.set(first, { ...first, role: 'user' });
  return [userCopies.get(first), ...rest];
}

/**
 * Holds the leading system messages separately, for peers that send the system prompt outside the messages.
 * `take(message)` says whether it took the message; `before(view)` puts them in front.
 *
 * @param {'system' | 'user'} lateSystem the role of a mid-conversation system message
 */
export function systemHead(lateSystem) {
  const head = [];
  let open = true;
  return {
    take(message) {
      open &&= isSystem(message);
      if (open) head.push(message);
      return open;
    },
    before: (view) => [...head, ...(lateSystem === 'user' ? openedByUser(view) : view)],
  };
}
