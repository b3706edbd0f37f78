// Compares each named strategy with the literal form of its design and writes the table into docs/strategies.md.
// Needs HOLDFAST_TRANSCRIPTS_MORE.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type ChatMessage, literalsIn, messageSize, type Policy, replay, summarize } from '@holdfast/replay';
import { type ConversationHistoryConfig, ConversationWindow } from 'holdfast';
import { recordedConversations } from './recorded-folds.ts';

type Chat = readonly ChatMessage[];

const sizeOf = (messages: Chat) => messages.reduce((sum, message) => sum + messageSize(message), 0);
const literal = (view: (history: Chat) => Chat) => () => ({ view });

/** The first message, the newest of the middle and the last 20: 100 in total. */
function sliding(history: Chat): Chat {
  if (history.length <= 100) return history;
  return [...history.slice(0, 1), ...history.slice(1, -20).slice(-79), ...history.slice(-20)];
}

/** Cuts results before the newest user message to 2000 characters; over 40 messages: the first 2, a marker, the newest. */
function governed(history: Chat): Chat {
  const asked = history.findLastIndex(({ role }) => role === 'user');
  const cut = history.map((message, i) => {
    const { role, content } = message;
    if (role !== 'tool' || i > asked || !content || content.length <= 2_000) return message;
    return { ...message, content: `${content.slice(0, 2_000)}[…truncated, ${content.length} chars]` };
  });
  if (cut.length <= 40) return cut;
  const content = `[Earlier conversation trimmed — ${cut.length - 40} messages removed to stay within context budget]`;
  return [...cut.slice(0, 2), { role: 'user', content }, ...cut.slice(-38)];
}

/** Over 80,000 tokens: a list of earlier tools and files, then the last 8 messages. */
function twoTier(history: Chat): Chat {
  if (sizeOf(history) <= 80_000) return history;
  const tools = new Set<string>();
  const files = new Set<string>();
  for (const { content, tool_calls = [] } of history.slice(0, -8)) {
    const said = [content ?? '', ...tool_calls.map((call) => call.function.arguments)].join(' ');
    for (const call of tool_calls) {
      tools.add(call.function.name);
      for (const name of literalsIn(said)) if (name.includes('.') && files.size < 15) files.add(name);
    }
  }
  const content = `## Earlier Conversation Summary\nMessages: ${history.length - 8}\nTools used: ${[...tools].join(', ')}\nFiles explored: ${[...files].join(', ')}`;
  return [{ role: 'user', content }, ...history.slice(-8)];
}

const own = (config: ConversationHistoryConfig) => () => {
  const window = new ConversationWindow<ChatMessage>(config, { logger: { warn() {} } });
  return {
    async view(history: Chat) {
      const { messages } = await window.fit(history);
      window.observe({ input_tokens: sizeOf(messages) });
      return messages;
    },
  };
};

const POLICIES: readonly (readonly [string, () => Policy])[] = [
  ['send everything', literal((history) => history)],
  ['literal sliding window of 100', literal(sliding)],
  ["`strategy: 'sliding'`", own({ strategy: 'sliding' })],
  ['literal governed', literal(governed)],
  ["`strategy: 'governed'`", own({ strategy: 'governed' })],
  ['literal two-tier', literal(twoTier)],
  ["`strategy: 'two-tier'`", own({ strategy: 'two-tier' })],
  ['literal rolling window of 50', literal((history) => history.slice(-50))],
  ["`strategy: 'rolling'`", own({ strategy: 'rolling' })],
  ["`strategy: 'fold'`, 40,000 tokens", own({ max_tokens: 40_000 })],
];

const folder = process.env.HOLDFAST_TRANSCRIPTS_MORE;
if (!folder) {
  console.error('literal: set HOLDFAST_TRANSCRIPTS_MORE to a folder of recorded conversations');
  process.exit(1);
}
const conversations = recordedConversations(folder, 40_000);
const all = await Promise.all(conversations.map((one) => replay(one, () => ({ view: (history) => history }))));
const rows = ['| policy | cost | coverage | spans | invalid | rewrites | largest |', '|---|---|---|---|---|---|---|'];
for (const [name, policy] of POLICIES) {
  const results = [];
  for (const one of conversations) results.push(await replay(one, policy));
  const { relativeCost, coverage = 100, spans = 100, invalid, rewrites, total } = summarize(results, all);
  const shares = [invalid, rewrites].map((share = 0) => `${share.toFixed(1)}%`);
  const figures = [relativeCost?.toFixed(2), coverage.toFixed(1), spans.toFixed(1), ...shares];
  rows.push(`| ${[name, ...figures, `${Math.round(total.peak / 1_000)}k`].join(' | ')} |`);
}
const table = `${conversations.length} recorded conversations, each over 40,000 tokens, measured by \`npm run literal\`:\n\n${rows.join('\n')}`;
console.log(table);
const page = fileURLToPath(new URL('../docs/strategies.md', import.meta.url));
const [before = '', rest = ''] = readFileSync(page, 'utf8').split('<!-- literal -->');
const after = rest.split('<!-- /literal -->')[1] ?? '';
writeFileSync(page, `${before}<!-- literal -->\n\n${table}\n\n<!-- /literal -->${after}`);
