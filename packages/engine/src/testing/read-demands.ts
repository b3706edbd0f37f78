import type { Dialect, MediaSizes, Reading } from '../dialect.ts';
import { sameValue } from '../json/same-value.ts';
import { callsDiffer, jsonClone, readAll, resultsDiffer, show, textOfAll } from './compare.ts';
import { PNG } from './conversations.ts';
import { type Demand, eachMessage, eachSaid } from './demand.ts';

/** Requirements for `read` and `text`. */
export const READ_DEMANDS: readonly Demand[] = [
  {
    name: 'every method is pure',
    fix: 'Return changed copies, leave the input unchanged, and return the same every time.',
    *check(subject) {
      for (const { message, place } of eachMessage(subject)) {
        for (const [name, call] of methodsOf(subject.dialect, message)) {
          const input = jsonClone(message);
          const first = call(input);
          if (!sameValue(input, message)) yield `${place}: ${name} changed its input to ${show(input)}`;
          else if (!sameValue(call(input), first)) yield `${place}: ${name} returns something else the second time`;
        }
      }
    },
  },
  {
    name: 'read returns the role',
    fix: 'Return role "tool" for every message with results, otherwise "user", "assistant" or "system".',
    *check(subject) {
      for (const { said, place } of eachSaid(subject)) {
        const { roles } = readAll(subject.dialect, said.messages);
        const wanted = said.kind === 'results' ? 'tool' : said.kind;
        if (roles.length !== 1 || roles[0] !== wanted) yield `${place}: role ${roles.join(' and ')}, not ${wanted}`;
      }
    },
  },
  {
    name: 'read lists the calls',
    fix: 'Return id, name and arguments (JSON text or an object) of every call, in order.',
    *check(subject) {
      for (const { said, place } of eachSaid(subject)) {
        const wrong = callsDiffer(readAll(subject.dialect, said.messages).calls, said.calls);
        if (wrong) yield `${place}: ${wrong}`;
      }
    },
  },
  {
    name: 'read lists the results',
    fix: "Return the call's id, the content (text or a list of blocks, without any wrapper) and whether it failed for every result, in order.",
    *check(subject) {
      for (const { said, place } of eachSaid(subject)) {
        const { results } = readAll(subject.dialect, said.messages);
        const wrong = resultsDiffer(results, said.results);
        if (wrong) yield `${place}: ${wrong}`;
        for (const { id, error } of results)
          if (error !== said.failed) yield `${place}: result ${id} reads error: ${error}, not ${said.failed}`;
      }
    },
  },
  {
    name: 'read finds text, thinking and cache markers',
    fix: 'Set `words` for text besides calls and results, `thinking` for thinking, and count every marker in `markers`.',
    *check(subject) {
      const { dialect, fixture } = subject;
      for (const { said, place } of eachSaid(subject)) {
        const { words, thinking, markers } = readAll(dialect, said.messages);
        if (words !== (said.text !== '')) yield `${place}: words: ${words}, but its text is ${show(said.text)}`;
        if (thinking !== said.thinking) yield `${place}: thinking: ${thinking}, not ${said.thinking}`;
        if (markers > 0 !== said.marked) yield `${place}: ${markers} markers, it has ${said.marked ? 'some' : 'none'}`;
      }
      for (const { message, place } of eachMessage(subject)) {
        const marked = fixture.marked?.(jsonClone(message));
        if (marked && !sameValue(marked, message) && dialect.read(marked).markers === 0)
          yield `${place}, marked: no marker is read`;
      }
    },
  },
  {
    name: 'read sets joined and firm only if needed',
    fix: 'Set `joined` only if the API refuses the message without the next one, `firm` only if it stands for more than its text.',
    *check(subject) {
      for (const { said, place } of eachSaid(subject)) {
        const readings = said.messages.map((message) => subject.dialect.read(message));
        if (readings.at(-1)?.joined) yield `${place}: the last message is joined to the next one`;
        if (readings.some(({ firm }) => firm)) yield `${place}: firm, although it is an ordinary message`;
      }
    },
  },
  {
    name: 'read counts every character, and no base64',
    fix: 'Add up text, names and arguments of calls, and contents of results in `chars`; count media in `media` by formula.',
    *check(subject) {
      for (const { said, place } of eachSaid(subject)) {
        const { chars, media } = readAll(subject.dialect, said.messages);
        const least = [said.text, ...said.calls.map(({ name, input }) => name + Object.values(input)[0])]
          .concat(said.results.map(({ content }) => content))
          .reduce((sum, text) => sum + text.length, 0);
        const json = JSON.stringify(said.messages);
        const isImage = json.includes(PNG);
        const most = json.length + 40 * (said.calls.length + said.messages.length) - (isImage ? PNG.length : 0);
        if (chars < least) yield `${place}: ${chars} characters counted, there are at least ${least}`;
        if (chars > most) yield `${place}: ${chars} characters counted, at most ${most} are sent as text`;
        if (media > 0 !== isImage) yield `${place}: media: ${media}, but there is ${isImage ? 'an' : 'no'} image`;
      }
    },
  },
  {
    name: 'read counts images and their base64',
    fix: 'Return `mediaSizes` for messages with images: how many, and the characters of their base64. It is used to keep `limits`.',
    *check(subject) {
      for (const { said, place } of eachSaid(subject)) {
        const sizes = said.messages.flatMap((message) => subject.dialect.read(message).mediaSizes ?? []);
        const [images, bytes] = [sumOf(sizes, 'images'), sumOf(sizes, 'bytes')];
        const wanted = JSON.stringify(said.messages).includes(PNG) ? 1 : 0;
        const isLong = bytes >= wanted * PNG.length && bytes <= wanted * (PNG.length + 100);
        if (images !== wanted || !isLong)
          yield `${place}: ${images} images of ${bytes} characters, there are ${wanted} of ${wanted * PNG.length}`;
      }
    },
  },
  {
    name: 'text returns the text',
    fix: 'Return all text of the message and nothing else, joined by line breaks.',
    *check(subject) {
      for (const { said, place } of eachSaid(subject)) {
        const text = textOfAll(subject.dialect, said.messages);
        const isImage = JSON.stringify(said.messages).includes(PNG);
        if (isImage ? !text.includes(said.text) || text.length > said.text.length + 100 : text !== said.text)
          yield `${place}: text is ${show(text)}, not ${show(said.text)}`;
      }
    },
  },
  {
    name: 'invalid messages are refused without throwing',
    fix: 'Let `read` skip fields of the wrong type, and let `validate` refuse them.',
    *check({ dialect }) {
      for (const odd of ODD) {
        for (const [name, call] of [
          ['read', () => dialect.read(jsonClone(odd) as never)],
          ['validate', () => dialect.validate([jsonClone(odd) as never])],
          ['recognizes', () => dialect.recognizes(odd)],
        ] as const) {
          try {
            call();
          } catch (error) {
            yield `${name}(${show(odd)}) threw ${String(error)}`;
          }
        }
      }
      if (dialect.validate([{} as never]).length === 0) yield 'validate([{}]) found nothing to refuse';
    },
  },
];

function sumOf(sizes: readonly MediaSizes[], key: 'images' | 'bytes'): number {
  return sizes.reduce((sum, mediaSizes) => sum + mediaSizes[key], 0);
}

/** Objects that a caller may pass by mistake. */
const ODD: readonly object[] = [
  {},
  { role: 'user' },
  { role: 'assistant', content: [null] },
  { role: 'tool', content: [3, {}] },
  { role: 'user', content: {} },
  { role: 'model', parts: [null] },
  { type: 'message' },
  { role: 3, content: null },
];

/** Each method, with arguments that suit the message. */
function methodsOf<M>(dialect: Dialect<M>, message: M): readonly (readonly [string, (input: M) => unknown])[] {
  const { calls, results, words }: Reading = dialect.read(message);
  const texts = new Map(results.map((_, part) => [part, `masked ${part}`]));
  return [
    ['read', (input) => dialect.read(input)],
    ['text', (input) => dialect.text(input)],
    ['withoutThinking', (input) => dialect.withoutThinking(input)],
    ['withMarkers', (input) => dialect.withMarkers(input, 0)],
    ['validate', (input) => dialect.validate([input], { part: true })],
    ['recognizes', (input) => dialect.recognizes(input)],
    ...(words ? [['maskText', (input: M) => dialect.maskText(input, 'shorter')] as const] : []),
    ...(calls.length > 0 && dialect.maskCalls
      ? [['maskCalls', (input: M) => dialect.maskCalls?.(input, new Map([[0, calls[0]?.input]]))] as const]
      : []),
    ...(results.length > 0
      ? ([
          ['maskResults', (input: M) => dialect.maskResults(input, texts)],
          ['quote', (input: M) => dialect.quote(input, new Set([0]))],
        ] as const)
      : []),
  ];
}
