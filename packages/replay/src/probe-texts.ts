/** Something that is said once, in passing, and still matters later. `{A}` and `{B}` stand for made-up names. */
export interface Probe {
  readonly by: 'user' | 'assistant';
  /** What it states: a decision, a cause, a rule and so on. */
  readonly kind: string;
  readonly text: string;
  /** The words that must still be there together. */
  readonly keys: readonly string[];
}

const BOTH = ['{A}', '{B}'];
const TEXTS: Readonly<Record<Probe['by'], Readonly<Record<string, readonly string[]>>>> = {
  assistant: {
    decision: [
      "I'll build this on {A} rather than {B}, since the latter needs a license we don't have.",
      'After comparing the two, {A} is the better fit, so {B} is off the table.',
      'Settled: {A} owns the retries from here on, and {B} only reports them.',
    ],
    cause: [
      'The crash happens because {A} closes the handle while {B} is still writing.',
      'It turns out that {A} caches the old schema, which is why {B} returns stale rows.',
      'The real problem is in {A}: it drops the locale that {B} relies on.',
    ],
    failed: [
      'Moving {A} into {B} made things worse, so I rolled it back.',
      "Unfortunately {A} can't be mocked through {B}; two attempts ended in a segfault.",
      'Raising the timeout of {A} did not help: {B} still gives up first.',
    ],
    finding: [
      'The benchmark says 3391 requests per second for {A} and half of that for {B}.',
      'Worth remembering: {A} listens on the port that {B} has in its settings, plus one.',
      'The logs show that {A} is called exactly twice for every {B}.',
    ],
    open: [
      'For later: {A} has no tests yet, and {B} still prints to the console.',
      "I haven't migrated {A} so far; that has to wait until {B} is released.",
      'What remains is the cleanup of {A} after {B} has shut down.',
    ],
  },
  user: {
    rule: [
      "Don't change the public interface of {A}, other teams import it through {B}.",
      'Whatever you do, {A} must keep working without {B}.',
      'Please make sure that every commit mentions {A} and none mentions {B}.',
    ],
    correction: [
      'That is not what I meant: {A} should call {B}, not the other way round.',
      'Actually, you mixed them up. The deadline applies to {A}; {B} has none.',
      'Stop, {A} is correct as it is. The bug is in {B}.',
    ],
    fact: [
      'Our production cluster is called {A} and runs in the {B} region.',
      'The invoice that fails is number 58213 for {A}, created by {B}.',
      '{A} is maintained by the people behind {B}; ask them if in doubt.',
    ],
    preference: [
      "I'd rather have {A} than another {B}, if there is a choice.",
      'I like the style of {A} more than what you did in {B}.',
      'If it is equally easy, use {A}, and leave {B} for later.',
    ],
  },
};

/** Three wordings of each kind of statement. */
export const PROBES: readonly Probe[] = (['assistant', 'user'] as const).flatMap((by) =>
  Object.entries(TEXTS[by]).flatMap(([kind, texts]) => texts.map((text) => ({ by, kind, text, keys: BOTH }))),
);
