import { contentText } from '../content/text.ts';
import type { Dialect, Reading } from '../dialect.ts';
import { sameValue } from '../json/same-value.ts';
import { callsDiffer, jsonClone, lostLeaves, resultsDiffer, show } from './compare.ts';
import { type Demand, eachMessage } from './demand.ts';

const MASK = '[… 512 characters: recall m7 …] "$&"';

/** Requirements for the methods that return a changed copy of a message. */
export const CHANGE_DEMANDS: readonly Demand[] = [
  {
    name: 'maskResults changes only the results at the given places',
    fix: 'Copy the message, replace the contents of these results with the text, and keep ids, failures and everything else.',
    *check(subject) {
      const { dialect } = subject;
      for (const { message, place } of eachMessage(subject)) {
        const before = dialect.read(message);
        for (const parts of choices(before.results.length)) {
          const texts = new Map(parts.map((part) => [part, `${MASK} ${part}`]));
          const masked = dialect.maskResults(message, texts);
          const wanted = before.results.map(({ id, content }, part) => ({ id, content: texts.get(part) ?? content }));
          const wrong =
            resultsDiffer(dialect.read(masked).results, wanted) ??
            otherwiseChanged(dialect, message, masked) ??
            lostBeside(
              message,
              masked,
              before.results.filter((_, part) => texts.has(part)).map(({ content }) => content),
            );
          if (wrong) yield `${place}, places ${parts.join(' and ')} of ${before.results.length}: ${wrong}`;
        }
      }
    },
  },
  {
    name: 'maskCalls changes only the arguments at the given places',
    fix: 'Copy the message, replace the arguments of these calls, and keep ids, names and everything else.',
    *check(subject) {
      const { dialect } = subject;
      if (!dialect.maskCalls) return;
      for (const { message, place } of eachMessage(subject)) {
        const before = dialect.read(message);
        for (const parts of choices(before.calls.length)) {
          const short = (input: unknown) =>
            typeof input === 'string' ? JSON.stringify({ text: MASK }) : { text: MASK };
          const inputs = new Map(parts.map((part) => [part, short(before.calls[part]?.input)]));
          const masked = dialect.maskCalls(message, inputs);
          const { calls, results } = dialect.read(masked);
          // A call that cannot be shortened stays as it is.
          const wanted = before.calls.map((call, part) =>
            inputs.has(part) && !sameValue(calls[part]?.input, call.input)
              ? { ...call, input: inputs.get(part) }
              : call,
          );
          const wrong =
            callsDiffer(calls, wanted) ??
            resultsDiffer(results, before.results) ??
            otherwiseChanged(dialect, message, masked);
          if (wrong) yield `${place}, places ${parts.join(' and ')} of ${before.calls.length}: ${wrong}`;
        }
      }
    },
  },
  {
    name: 'maskText changes only the text',
    fix: 'Copy the message, replace its text, and keep role, calls and results.',
    *check(subject) {
      const { dialect } = subject;
      for (const { message, place } of eachMessage(subject)) {
        const before = dialect.read(message);
        if (!before.words) continue;
        const masked = dialect.maskText(message, MASK);
        const after = dialect.read(masked);
        const text = dialect.text(masked);
        const wrong =
          (text === MASK ? undefined : `its text is ${show(text)}, not ${show(MASK)}`) ??
          roleDiffers(after, before) ??
          callsDiffer(after.calls, before.calls) ??
          resultsDiffer(after.results, before.results);
        if (wrong) yield `${place}: ${wrong}`;
      }
    },
  },
  {
    name: 'append adds a text at the end of user messages and results, and changes nothing else',
    fix: 'Copy the message with the text inside its last result, or in a block after the user’s words; return undefined for an assistant or system message.',
    *check(subject) {
      const { dialect } = subject;
      for (const { message, place } of eachMessage(subject)) {
        const longer = dialect.append?.(message, MASK);
        if (longer === undefined) continue;
        const before = dialect.read(message);
        const after = dialect.read(longer);
        const ids = ({ results }: Reading) => results.map(({ id, error }) => `${id} ${error}`).join();
        const last = JSON.stringify(longer).lastIndexOf(JSON.stringify(MASK).slice(1, -1));
        const shown = textsIn(dialect, longer);
        const lost = textsIn(dialect, message).filter((text) => !shown.some((one) => one.startsWith(text)));
        if (/assistant|system/.test(before.role)) yield `${place}: a message of the ${before.role} got longer`;
        const wrong =
          roleDiffers(after, before) ??
          callsDiffer(after.calls, before.calls) ??
          (ids(after) === ids(before) ? undefined : `its results are ${ids(after)}, not ${ids(before)}`) ??
          (last < 0 ? 'the text is not in it' : undefined) ??
          (lost.length > 0 ? `it lost ${show(lost)}` : undefined) ??
          (after.markers === before.markers ? undefined : 'it has other cache markers') ??
          (after.chars < before.chars + MASK.length ? 'the text is not counted' : undefined);
        if (wrong) yield `${place}: ${wrong}`;
      }
    },
  },
  {
    name: 'withoutThinking removes thinking and nothing else',
    fix: 'Copy the message without its thinking; return undefined only if it contains nothing else.',
    *check(subject) {
      const { dialect } = subject;
      for (const { message, place } of eachMessage(subject)) {
        const before = dialect.read(message);
        const isAll = before.thinking && !before.words && before.calls.length === 0;
        const bare = dialect.withoutThinking(message);
        if (bare === undefined || isAll) {
          if ((bare === undefined) !== isAll) yield `${place}: left ${show(bare)} of ${show(message)}`;
          continue;
        }
        if (dialect.read(bare).thinking) yield `${place}: it still reads as thinking`;
        if (!before.thinking && !sameValue(dialect.read(bare), before))
          yield `${place}: changed, although it has no thinking`;
        const wrong = contentsDiffer(dialect, message, bare);
        if (wrong) yield `${place}: ${wrong}`;
      }
    },
  },
  {
    name: 'withMarkers keeps the last cache markers',
    fix: 'Copy the message without its first markers, so that `keep` are left, and keep everything else; if there are no more than that, return the same object.',
    *check(subject) {
      const { dialect, fixture } = subject;
      for (const { message, place, said } of eachMessage(subject)) {
        const { markers } = dialect.read(message);
        if (dialect.withMarkers(message, markers) !== message)
          yield `${place}: not the same object, although nothing has to be removed`;
        const marked = said.marked ? undefined : fixture.marked?.(jsonClone(message));
        if (marked) yield* markerProblems(dialect, message, marked, place);
      }
    },
  },
  {
    name: 'note is a message of the user or the assistant',
    fix: 'Return a message of that role whose text is the note: no system message, no marker, no call.',
    *check({ dialect }) {
      for (const role of ['user', 'assistant'] as const) {
        const note = dialect.note(role, MASK);
        const { calls, results, words, thinking, markers, joined, firm, ...reading } = dialect.read(note);
        if (reading.role !== role) yield `the note of role ${role} reads as ${reading.role}`;
        if (!words || dialect.text(note) !== MASK) yield `the text of the note is ${show(dialect.text(note))}`;
        if (calls.length + results.length + markers > 0 || thinking || joined || firm)
          yield `the note contains more than its text: ${show(note)}`;
        if (reading.chars < MASK.length) yield `the note's characters are not counted: ${reading.chars}`;
      }
    },
  },
];

/** Every text of a message as the reader gets it: words, and each result. */
function textsIn<M>(dialect: Dialect<M>, message: M): string[] {
  const { words, results } = dialect.read(message);
  return [...(words ? [dialect.text(message)] : []), ...results.map(({ content }) => contentText(content))];
}

/** Each place by itself, and all of them. */
function choices(count: number): number[][] {
  const all = Array.from({ length: count }, (_, part) => part);
  return count > 1 ? [...all.map((part) => [part]), all] : count === 1 ? [all] : [];
}

function roleDiffers(after: Reading, before: Reading): string | undefined {
  return after.role === before.role ? undefined : `reads as ${after.role}, not ${before.role}`;
}

/** What else changed in a message whose results were masked. */
function otherwiseChanged<M>(dialect: Dialect<M>, message: M, masked: M): string | undefined {
  const before = dialect.read(message);
  const after = dialect.read(masked);
  const failures = ({ results }: Reading) => results.map(({ error }) => error).join();
  return (
    roleDiffers(after, before) ??
    (failures(after) === failures(before) ? undefined : `failures read ${failures(after)}, not ${failures(before)}`) ??
    wordsDiffer(dialect, message, masked)
  );
}

function wordsDiffer<M>(dialect: Dialect<M>, before: M, after: M): string | undefined {
  const [was, is] = [before, after].map((message) => (dialect.read(message).words ? dialect.text(message) : ''));
  return was === is ? undefined : `its text is ${show(is)}, not ${show(was)}`;
}

function contentsDiffer<M>(dialect: Dialect<M>, before: M, after: M): string | undefined {
  const was = dialect.read(before);
  const is = dialect.read(after);
  return (
    roleDiffers(is, was) ??
    callsDiffer(is.calls, was.calls) ??
    resultsDiffer(is.results, was.results) ??
    wordsDiffer(dialect, before, after)
  );
}

/** What a message lost besides the contents to be removed. */
function lostBeside(before: unknown, after: unknown, gone: readonly unknown[]): string | undefined {
  const texts = gone.map(contentText);
  const types = gone.flatMap((content) => (Array.isArray(content) ? content.map((block) => String(block?.type)) : []));
  const lost = lostLeaves(before, after).filter(
    (leaf) => !texts.some((text) => text.includes(leaf)) && !types.includes(leaf),
  );
  return lost.length === 0 ? undefined : `it lost ${show(lost)}`;
}

function* markerProblems<M>(dialect: Dialect<M>, message: M, marked: M, place: string): Generator<string> {
  const { markers } = dialect.read(marked);
  const whole = JSON.stringify(marked);
  let shared = -1;
  for (let keep = 0; keep <= markers; keep++) {
    const copy = dialect.withMarkers(marked, keep);
    const left = dialect.read(copy).markers;
    if (left !== keep) yield `${place}, with ${markers} markers: ${left} are left, not ${keep}`;
    const wrong = contentsDiffer(dialect, marked, copy) ?? lostBeside(message, copy, []);
    if (wrong) yield `${place}, with ${markers} markers: ${wrong}`;
    // The more of the last markers are kept, the longer the common end.
    const same = commonEnd(whole, JSON.stringify(copy));
    if (left === keep && same <= shared)
      yield `${place}, with ${markers} markers: the ones kept are not the last ${keep}`;
    shared = same;
  }
}

function commonEnd(a: string, b: string): number {
  let length = 0;
  while (length < Math.min(a.length, b.length) && a.at(-1 - length) === b.at(-1 - length)) length++;
  return length;
}
