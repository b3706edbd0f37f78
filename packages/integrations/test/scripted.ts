import type { Answer, Prompt, RecordedRequest, Script } from '@holdfast/stand-in';

/** A task that the scripted model understands: it reads files called `alpha-1/1.ts` and so on. */
export function readTask(name: string, files: number, at_once = 1): string {
  return `Read ${files} files as ${name}, ${at_once} at a time. Never write to disk.`;
}

/** The model's summary of any conversation. */
export const SUMMARY = 'Files were read, and nothing else.';
export const RECALL_TASK = 'Recall one result that you can no longer see.';

const TASK = /Read (\d+) files as ([a-z]+)-(\d+), (\d+) at a time/g;
/** How a note names the result of a read. */
const HANDLE = /\bread (m\d+(?:~\d+)?(?:\.\d+)?@[0-9a-z]{13})\b/g;

/** A model that does the newest task it sees, whatever was folded before. It depends on the request alone. */
export const scriptedModel: Script = (prompt) => {
  const last = prompt.messages.findLast(({ role, results }) => role === 'user' && results.length === 0);
  // A request for a summary, in which the conversation is quoted.
  if (prompt.tools.length === 0) return { text: SUMMARY };
  if (last?.text.includes(RECALL_TASK)) return recallOnce(prompt);
  const tasks = prompt.messages.flatMap(({ role, text }) => (role === 'user' ? [...text.matchAll(TASK)] : []));
  const [, files = '0', name = '', turn = '', atOnce = '1'] =
    tasks.sort((a, b) => Number(a[3]) - Number(b[3])).at(-1) ?? [];
  const folder = `${name}-${turn}`;
  const read = filesRead(prompt, folder);
  if (read >= Number(files)) return { thinking: 'That was all.', text: `I have read all ${files} files of ${folder}.` };
  const next = Array.from({ length: Math.min(Number(atOnce), Number(files) - read) }, (_, i) => read + i + 1);
  return {
    thinking: `Next is file ${next.join(' and ')} of ${folder}.`,
    calls: next.map((n) => ({ id: `call_${folder}_${n}`, name: 'read_file', input: { path: `${folder}/${n}.ts` } })),
  };
};

function filesRead({ messages }: Prompt, folder: string): number {
  const paths = messages.flatMap(({ calls }) => calls.map(({ input }) => String((input as { path?: string }).path)));
  const numbers = paths.flatMap((path) =>
    path.startsWith(`${folder}/`) ? [Number.parseInt(path.slice(folder.length + 1), 10)] : [],
  );
  return Math.max(0, ...numbers);
}

function recallOnce({ messages, tools, results }: Prompt): Answer {
  const tool = tools.find(({ name }) => name.includes('recall'))?.name;
  if (results.length > 0 || tool === undefined) return { text: 'There it is.' };
  const seen = messages.flatMap(({ text, results: earlier }) => [text, ...earlier.map((result) => result.text)]);
  const handle = [...seen.join('\n').matchAll(HANDLE)].at(-1)?.[1];
  return handle === undefined ? { text: 'No handle.' } : { calls: [{ name: tool, input: { handle } }] };
}

/** About 3,500 characters, different for each path. */
export function fileAt(path: string): string {
  const lines = Array.from(
    { length: 60 },
    (_, i) => `export const value_${i} = compute('${path}', ${i * 37}); // ${i}`,
  );
  return [`// ${path}`, ...lines, `// end of ${path}`].join('\n');
}

/** Tokens of a request's prompt, as the API reported them. */
export function promptTokens({ usage }: RecordedRequest): number {
  const {
    input_tokens = 0,
    cache_creation_input_tokens = 0,
    cache_read_input_tokens = 0,
    prompt_tokens = 0,
    promptTokenCount = 0,
  } = (usage ?? {}) as Record<string, number>;
  return input_tokens + cache_creation_input_tokens + cache_read_input_tokens + prompt_tokens + promptTokenCount;
}

/** What differs between two runs that say the same: cache markers move, and signatures and ids of items are new each time. */
const VARYING = /^(?:cache_control|signature|encrypted_content|thoughtSignature)$/;

/** The messages of a request as text, without what varies. */
export function sentMessages({ body }: RecordedRequest): string[] {
  const { messages, input, contents } = body as Readonly<Record<string, readonly unknown[]>>;
  const varies = (key: string) => VARYING.test(key) || (key === 'id' && input !== undefined);
  return (messages ?? input ?? contents ?? []).map((message) =>
    JSON.stringify(message, (key, value) => (varies(key) ? undefined : value)),
  );
}
