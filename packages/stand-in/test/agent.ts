import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type Anthropic from '@anthropic-ai/sdk';
import { anthropic as anthropicDialect, ConversationWindow, openaiChat, openaiResponses } from 'holdfast';
import type OpenAI from 'openai';
import { onTestFinished } from 'vitest';

const STRING = { type: 'string' };
const TOOLS: Record<string, string[]> = {
  read_file: ['path'],
  list_files: ['path'],
  search: ['pattern'],
  edit_file: ['path', 'old_string', 'new_string'],
  run_command: ['command'],
};
const SCHEMAS = Object.entries(TOOLS).map(([name, required]) => ({
  name,
  schema: { type: 'object' as const, properties: Object.fromEntries(required.map((key) => [key, STRING])), required },
}));

/** A folder of sources that goes when the test does. */
export function sources(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'stand-in-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** Tools that do what they are asked in a folder, and count it. */
export function toolsIn(folder: string) {
  const done: string[] = [];
  const run = (id: string, name: string, input: Record<string, string>): string => {
    done.push(id);
    const path = join(folder, input.path ?? '.');
    if (name === 'read_file') return readFileSync(path, 'utf8');
    if (name !== 'edit_file')
      return name === 'list_files' ? readdirSync(path).join('\n') : `did ${JSON.stringify(input)}`;
    const text = readFileSync(path, 'utf8');
    if (text.split(input.old_string ?? '').length !== 2) throw new Error(`${input.path} has no such line, or two`);
    writeFileSync(
      path,
      text.replace(input.old_string ?? '', () => input.new_string ?? ''),
    );
    return 'edited';
  };
  return { done, run };
}

/** An agent of a few lines for one API: returns its final text and the largest request it sent. */
export type Agent = (task: string, run: ReturnType<typeof toolsIn>['run']) => Promise<{ text: string; most: number }>;
type Message = { role: string; content: string };

/** Runs until no tool is asked for. `send` answers a view: its text, its calls, and what to remember of it. */
async function loop<M>(
  window: ConversationWindow<M>,
  history: M[],
  send: (view: M[]) => Promise<{ text: string; add: M[]; results: M[]; usage: object }>,
) {
  let most = 0;
  for (;;) {
    const { messages } = await window.fit(history);
    most = Math.max(most, messages.length);
    const { text, add, results, usage } = await send(messages);
    window.observe(usage as never);
    history.push(...add, ...results);
    if (results.length === 0) return { text, most };
  }
}

const BUDGET = { max_messages: 30, preserve_last_n: 6 };

/** Messages API, with thinking that is bound to its prefix. */
export function claudeAgent(client: Anthropic, model: string): Agent {
  const tools = SCHEMAS.map(({ name, schema }) => ({ name, input_schema: schema }));
  return (task, run) =>
    loop<Anthropic.MessageParam>(
      new ConversationWindow<Anthropic.MessageParam>(BUDGET, {
        dialect: anthropicDialect({ thinking: 'bound' }) as never,
      }),
      [{ role: 'user', content: task }],
      async (messages) => {
        const thinking = { type: 'adaptive' as const };
        const stream = client.messages.stream({
          model,
          max_tokens: 4000,
          thinking,
          tools,
          messages,
          cache_control: { type: 'ephemeral' },
        });
        const { content, usage } = await stream.finalMessage();
        const calls = content.filter((block) => block.type === 'tool_use');
        const blocks = calls.map(({ id, name, input }) => ({
          type: 'tool_result' as const,
          tool_use_id: id,
          content: run(id, name, input as Record<string, string>),
        }));
        const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
        const results = blocks.length > 0 ? [{ role: 'user' as const, content: blocks }] : [];
        return { text, add: [{ role: 'assistant', content }], results, usage };
      },
    );
}

/** Chat Completions. */
export function chatAgent(client: OpenAI, model: string): Agent {
  const tools = SCHEMAS.map(({ name, schema }) => ({
    type: 'function' as const,
    function: { name, parameters: schema },
  }));
  return (task, run) =>
    loop<OpenAI.ChatCompletionMessageParam>(
      new ConversationWindow<OpenAI.ChatCompletionMessageParam>(BUDGET, { dialect: openaiChat() as never }),
      [{ role: 'user', content: task }],
      async (messages) => {
        const { choices, usage } = await client.chat.completions.create({ model, tools, messages });
        const message = choices[0]?.message;
        const calls = (message?.tool_calls ?? []).flatMap((call) => (call.type === 'function' ? [call] : []));
        const results = calls.map(({ id, function: { name, arguments: json } }) => ({
          role: 'tool' as const,
          tool_call_id: id,
          content: run(id, name, JSON.parse(json)),
        }));
        return { text: message?.content ?? '', add: message ? [message] : [], results, usage: usage ?? {} };
      },
    );
}

/** Responses, nothing stored. */
export function responsesAgent(client: OpenAI, model: string): Agent {
  const tools = SCHEMAS.map(({ name, schema }) => ({
    type: 'function' as const,
    name,
    parameters: schema,
    strict: false,
  }));
  return (task, run) =>
    loop<OpenAI.Responses.ResponseInputItem>(
      new ConversationWindow<OpenAI.Responses.ResponseInputItem>(
        { ...BUDGET, max_messages: 60 },
        { dialect: openaiResponses() as never },
      ),
      [{ role: 'user', content: task }] satisfies Message[] as never,
      async (input) => {
        const answer = await client.responses.create({ model, tools, input, store: false });
        const results = answer.output.flatMap((item) => {
          if (item.type !== 'function_call') return [];
          const output = run(item.call_id, item.name, JSON.parse(item.arguments));
          return [{ type: 'function_call_output' as const, call_id: item.call_id, output }];
        });
        return { text: answer.output_text, add: answer.output as never, results, usage: answer.usage ?? {} };
      },
    );
}
