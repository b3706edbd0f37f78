import type { Readable } from 'node:stream';
import type { ExecutionResult } from '@holdfast/agent';
import type { ToolRequest } from '@holdfast/agent/chat';
import { aboutOf } from '@holdfast/agent/run';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { reportFailure, WrongUse } from '../failure.ts';
import { clean } from '../view/clean.ts';
import { flushed } from '../view/guard-output.ts';
import { harmless, jsonLine } from '../view/harmless.ts';
import { retryPhrase } from '../view/phrases.ts';
import { aboutIn } from '../view/run/log-lines.ts';
import { plainStyle } from '../view/style.ts';
import { wrapText } from '../view/text.ts';
import type { Listeners, Opened } from './chat.ts';
import { commandContext } from './commands/command.ts';
import { type Input, parsePipedInput } from './commands.ts';
import { failureText, isPromptSaved, resultText } from './output/failure-text.ts';
import { restoredRows } from './output/rows.ts';
import { resumeLine } from './output/welcome.ts';

const MOST_BYTES = 10_000_000;
const COLUMNS = 100;
const CALL_COLUMNS = 60;
const NOBODY =
  'Not run: there is no one to ask, and this call changes something: run holdfast chat in a terminal, or pass --yolo';

/** Reads all of standard input as one prompt; '' if it is empty. Throws WrongUse if it is too long. */
export async function readPrompt(stdin: Readable): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stdin) {
    parts.push(Buffer.from(part));
    size += parts.at(-1)?.length ?? 0;
    if (size > MOST_BYTES)
      throw new WrongUse(`standard input is over ${MOST_BYTES} bytes: ask a question, and name the files to read`);
  }
  return Buffer.concat(parts).toString('utf8').replace(/\r\n?/g, '\n').trimEnd();
}

/** Answers one prompt on standard output: the text, or in JSON the result, or each event and the result. */
export async function printedChat(
  opened: Opened,
  context: Context,
  listeners: Listeners,
  prompt: string,
): Promise<void> {
  const { chat } = opened;
  const refused: ToolRequest[] = [];
  listeners.approve = async (call) => {
    refused.push(call);
    // The user did not refuse it, so this is no refusal.
    throw new Error(NOBODY);
  };
  for (const line of opened.notice) context.tell(line);
  if (chat.restored && chat.session !== undefined)
    for (const row of restoredRows(chat.session, chat.restored, COLUMNS, plainStyle)) context.tell(row);
  const what = parsePipedInput(prompt);
  if (what.type === 'command') await runCommand(what, opened, context);
  else await answer(what.text, opened, context, refused);
  const kept = isJson(opened) ? undefined : resumeLine(chat.session, opened);
  if (kept !== undefined) context.tell(kept);
  await flushed(process.stdout);
}

async function runCommand(
  { command, args }: Extract<Input, { type: 'command' }>,
  opened: Opened,
  context: Context,
): Promise<void> {
  const rows: string[] = [];
  const face = {
    style: plainStyle,
    columns: COLUMNS,
    print: (more: readonly string[]) => void rows.push(...more),
    confirm: async () => true,
    fill: (text: string) => void rows.push(...wrapText(text, COLUMNS)),
  };
  const json = isJson(opened);
  const end = (failed: { readonly error?: string }) => {
    const text = rows.join('\n');
    if (json) context.print(jsonLine({ type: 'command-end', command: `/${command.name}`, text, ...failed }));
    else if (text !== '') context.print(text);
  };
  try {
    await command.run(args, commandContext(opened, context.cwd, face));
  } catch (error) {
    end({ error: failureText(error) });
    return context.end(await reportFailure(error, context));
  }
  end({});
}

async function answer(text: string, opened: Opened, context: Context, refused: readonly ToolRequest[]): Promise<void> {
  const { chat, flags } = opened;
  const stop = new AbortController();
  const end = () => stop.abort();
  process.on('SIGINT', end).on('SIGTERM', end).on('SIGHUP', end);
  context.onOutputClosed(end);
  let result: ExecutionResult;
  try {
    result = await chat.say(text, {
      signal: stop.signal,
      onEvent: (event) => {
        if (flags.outputFormat === 'stream-json') context.print(jsonLine(event));
        else if (event.type === 'request-retry') context.tell(retryPhrase(event));
      },
    });
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end).off('SIGHUP', end);
  }
  if (isJson(opened)) {
    const { conversationState: _, ...plain } = result;
    const calls = refused.map(({ id, name, input }) => ({ id, name, input }));
    const more = calls.length === 0 ? {} : { refused: calls };
    context.print(jsonLine({ type: 'chat-end', session: chat.session, ...more, result: plain }));
  } else if (result.output !== '') context.print(harmless(result.output));
  if (refused.length > 0) context.tell(refusedLine(refused));
  if (result.success) return;
  context.tell(resultText(result, await isPromptSaved(chat, text, result), true) ?? '');
  context.end(codeOf(result));
}

function refusedLine(calls: readonly ToolRequest[]): string {
  const names = calls.map(({ name, input }) => `${clean(name)} ${aboutIn(aboutOf(input), CALL_COLUMNS)}`.trim());
  return `not run, as there is no one to ask: ${[...new Set(names)].join(', ')}; --yolo allows all calls`;
}

function isJson({ flags: { outputFormat = 'text' } }: Opened): boolean {
  return outputFormat !== 'text';
}

function codeOf({ errorCategory, budget }: ExecutionResult): ExitCode {
  if (budget) return EXIT.outOfBudget;
  return errorCategory === 'cancelled' ? EXIT.interrupted : EXIT.failed;
}
