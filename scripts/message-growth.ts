// Measures how the messages of a long task grow and writes the tables into docs/analysis-message-growth.md. With
// HOLDFAST_TRANSCRIPTS it also measures recorded conversations.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { toChat } from '@holdfast/replay';
import { type ConversationHistoryConfig, ConversationWindow } from 'holdfast';
import { generateConversation } from '../examples/generate.ts';
import {
  callsIn,
  type Form,
  iterationsOf,
  type Message,
  pairs,
  type Round,
  roundsOf,
  together,
  tokensOf,
} from './message-forms.ts';
import { recordedConversations } from './recorded-folds.ts';

const PAGE = fileURLToPath(new URL('../docs/analysis-message-growth.md', import.meta.url));
const CALLS = [5, 6, 7, 8, 9, 10];
const ITERATIONS = 20;
const SHOWN = [1, 5, 10, 15, 20];
// Used between iterations if the recording has no user message; the executor would send its task again.
const PROMPT =
  'Go on with the task. Read what you need, change what must be changed, run the tests, and say when you are done.';
const ANSWER: Round = { asked: [], answer: { role: 'assistant', content: 'This part is done.' }, results: [] };

/** The size of the last request of an iteration, and the tokens of all requests so far. */
interface Point {
  readonly messages: number;
  readonly tokens: number;
  readonly sent: number;
}

const WAYS: readonly (readonly [string, Form, ConversationHistoryConfig?])[] = [
  ['a pair per call', pairs],
  ['one message each', together],
  ['`max_messages: 100`', together, {}],
  ['`max_tokens: 40_000`', together, { max_tokens: 40_000 }],
];

async function grow(iterations: readonly Round[][], form: Form, config?: ConversationHistoryConfig): Promise<Point[]> {
  const window = config && new ConversationWindow<Message>(config, { logger: { warn() {} } });
  const history: Message[] = [];
  const points: Point[] = [];
  let sent = 0;
  for (const rounds of iterations) {
    const [first] = rounds;
    let view: readonly Message[] = history;
    for (const [i, round] of [...rounds, ANSWER].entries()) {
      const asked = round.asked.length > 0 ? round.asked : round === first ? [PROMPT] : [];
      if (asked.length > 0) history.push({ role: 'user', content: asked.join('\n\n') });
      else if (i === 0) throw new Error('an iteration must start with a prompt');
      if (window) view = (await window.fit(history)).messages;
      const tokens = view.reduce((sum, message) => sum + tokensOf(message), 0);
      window?.observe({ input_tokens: tokens });
      sent += tokens;
      if (round === ANSWER) points.push({ messages: view.length, tokens, sent });
      history.push(...form(round));
    }
  }
  return points;
}

/** The number of messages that one iteration adds: prompt, rounds, answer. */
const added = (rounds: readonly Round[], form: Form) => 2 + rounds.reduce((sum, round) => sum + form(round).length, 0);
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const row = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
const rule = (columns: number) => row(Array(columns).fill('---'));
const thousands = (value: number) => `${(value / 1_000).toFixed(value < 100_000 ? 1 : 0)}k`;

function iterationTable(sessions: readonly Round[][][]): string {
  const rows = [
    row(['tool calls', 'iterations', 'answers', 'a pair per call', 'one message each', 'Chat Completions']),
    rule(6),
  ];
  for (const calls of CALLS) {
    const found = sessions.flat().filter((rounds) => callsIn(rounds) === calls);
    if (found.length === 0) continue;
    const figures = [
      mean(found.map((rounds) => rounds.length)),
      mean(found.map((rounds) => added(rounds, pairs))),
      mean(found.map((rounds) => added(rounds, together))),
      mean(found.map((rounds) => 2 + rounds.length + callsIn(rounds))),
    ];
    rows.push(row([calls, found.length, ...figures.map((figure) => figure.toFixed(1))]));
  }
  return rows.join('\n');
}

async function growthTable(sessions: readonly Round[][][]): Promise<string> {
  const grown: Point[][][] = [];
  for (const [, form, config] of WAYS) {
    const all: Point[][] = [];
    for (const session of sessions) all.push(await grow(session, form, config));
    grown.push(all);
  }
  const cell = (points: readonly Point[][], at: number) => {
    const here = points.flatMap((one) => one[at - 1] ?? []);
    return `${Math.round(mean(here.map((point) => point.messages)))} · ${thousands(mean(here.map((point) => point.tokens)))}`;
  };
  const total = (points: readonly Point[][]) => thousands(mean(points.map((one) => one.at(-1)?.sent ?? 0)));
  return [
    row(['after iteration', ...WAYS.map(([name]) => name)]),
    rule(1 + WAYS.length),
    ...SHOWN.map((at) => row([at, ...grown.map((points) => cell(points, at))])),
    row(['total sent', ...grown.map(total)]),
  ].join('\n');
}

const cut = (rounds: readonly Round[]) => iterationsOf(rounds, CALLS).slice(0, ITERATIONS);
const generated = cut(roundsOf(toChat(generateConversation({ seed: 1, messages: 900, dialect: 'anthropic' }))));
const folder = process.env.HOLDFAST_TRANSCRIPTS;
const recorded = (folder ? recordedConversations(folder, 0) : [])
  .map(({ messages }) => cut(roundsOf(messages)))
  .filter((iterations) => iterations.length === ITERATIONS);

const several = (sessions: readonly Round[][][]) => {
  const rounds = sessions.flat(2).filter(({ results }) => results.length > 0);
  const many = rounds.filter(({ results }) => results.length > 1).length;
  return `${Math.round((100 * many) / rounds.length)}% of the answers with tool calls have more than one call`;
};
let page = readFileSync(PAGE, 'utf8');
const generatedPart = `${several([generated])}.\n\n${iterationTable([generated])}\n\n${await growthTable([generated])}`;
page = between(page, 'growth', generatedPart);
if (recorded.length > 0) {
  const head = `${recorded.length} sessions of coding agents with ${ITERATIONS} iterations or more; figures are means. ${several(recorded)}.`;
  page = between(page, 'growth-recorded', `${head}\n\n${iterationTable(recorded)}\n\n${await growthTable(recorded)}`);
} else console.error('growth: HOLDFAST_TRANSCRIPTS is not set, so the tables of recorded sessions are unchanged');
writeFileSync(PAGE, page);
console.log(page.split('## What was measured')[1]?.split('## Conclusions')[0]);

/** Replaces the text between two markers of the page. */
function between(text: string, mark: string, part: string): string {
  const [before, rest] = text.split(`<!-- ${mark} -->`);
  const after = rest?.split(`<!-- /${mark} -->`)[1];
  if (before === undefined || after === undefined) throw new Error(`${PAGE} has no marker ${mark}`);
  return `${before}<!-- ${mark} -->\n\n${part}\n\n<!-- /${mark} -->${after}`;
}
