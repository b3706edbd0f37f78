import type { RequestEntry, SessionEntryType } from '../entry.ts';
import { entriesIn } from '../requests/request-form.ts';
import { readHandle } from './handles.ts';

type Fields = Readonly<Record<string, unknown>>;

/** How far a session has come: entries may refer only to what is before them. */
interface Limits {
  readonly messages: number;
  readonly last: number;
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const isAmount = (value: unknown) => Number.isFinite(value) && Number(value) >= 0;

type Check = readonly [
  isValid: (entry: Fields, head: Limits) => boolean,
  problem: string | ((entry: Fields, head: Limits) => string),
];

const ANY: Check = [() => true, ''];
const PIN: Check = [({ index }) => isCount(index), 'needs the index of a message (0 or more)'];

/** What each type of entry needs, and the error if it is missing. */
const CHECKS: Readonly<Record<SessionEntryType, Check>> = {
  message: [({ message }) => isObject(message), 'has no message: expected the object sent to the provider'],
  fold: [({ fold, receipt }) => isObject(fold) && isObject(receipt), 'needs a fold and its receipt'],
  unfold: ANY,
  refold: ANY,
  usage: [
    ({ tokens, cost = 0 }) =>
      isObject(tokens) && [tokens.input, tokens.output, ...Object.values(tokens), cost].every(isAmount),
    'needs tokens: { input, output }, each a number, 0 or more',
  ],
  result: [
    ({ id, text, failed }) => isText(id) && isText(text) && typeof failed === 'boolean',
    'needs id, text and failed',
  ],
  reminder: [
    ({ at, text }, { messages }) => isCount(at) && at < messages && isText(text),
    'needs at, the index of an earlier message, and text',
  ],
  call: [({ id }) => isText(id), 'needs the id of a call'],
  run: [({ change }) => isObject(change), 'needs change, an object'],
  part: [(entry) => isText(entry.hash) && 'value' in entry, 'needs hash and value'],
  request: [
    (entry, { last }) =>
      isText(entry.hash) &&
      Array.isArray('pieces' in entry ? entry.pieces : entry.body) &&
      entriesIn(entry as RequestEntry).every((seq) => seq <= last),
    'needs hash and body or pieces, which may refer only to earlier entries',
  ],
  title: [({ title }) => isText(title), 'needs a title'],
  pin: PIN,
  unpin: PIN,
  rewind: [
    ({ to }, { messages }) => isCount(to) && to <= messages,
    ({ to }, { messages }) => `rewinds to before message ${String(to)}, but the history has ${messages}`,
  ],
  fork: [
    ({ session, seq, entries }) => isText(session) && isCount(seq) && isCount(entries),
    'needs session, seq and entries',
  ],
  model: [
    ({ provider, model, dialect }) => isText(provider) && isText(model) && isText(dialect),
    'needs provider, model and dialect',
  ],
  handle: [
    (entry, { last }) =>
      isText(entry.handle) &&
      !/\s/.test(entry.handle) &&
      readHandle(entry.handle) !== undefined &&
      ('seq' in entry ? isCount(entry.seq) && entry.seq <= last : isObject(entry.message)),
    'needs a handle such as m41 or m41~1, and the seq of an earlier entry or a message',
  ],
};

const NO_LIMITS: Limits = { messages: Number.MAX_SAFE_INTEGER, last: Number.MAX_SAFE_INTEGER };

/**
 * Why a value cannot be the next entry of a session that has come this far (without `limits`: of any session). Undefined if it
 * can. Pure.
 */
export function entryProblem(entry: unknown, head: Limits = NO_LIMITS): string | undefined {
  if (!isObject(entry)) return 'is not an object: expected { type, … }';
  const { type } = entry;
  if (!isText(type) || !Object.hasOwn(CHECKS, type)) return `has type ${JSON.stringify(type)}, which is unknown`;
  const [isValid, problem] = CHECKS[type as SessionEntryType];
  if (isValid(entry, head)) return undefined;
  return typeof problem === 'string' ? problem : problem(entry, head);
}
