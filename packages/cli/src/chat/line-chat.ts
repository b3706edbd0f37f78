import { createInterface, type Interface } from 'node:readline';
import type { Approval, ToolRequest } from '@holdfast/agent/chat';
import type { Context } from '../context.ts';
import { forDrawing } from '../view/guard-output.ts';
import { harmless } from '../view/harmless.ts';
import { plainStyle } from '../view/style.ts';
import type { Listeners, Opened } from './chat.ts';
import { type CommandContext, commandContext } from './commands/command.ts';
import { parseInput } from './commands.ts';
import { choiceOf, choicesFor, givenText, INTERRUPTED, isAllowed, questionLines, refusal } from './input/approval.ts';
import { type AnswerLog, createAnswerLog } from './output/answer-log.ts';
import { createDetails } from './output/details.ts';
import { failureText, isPromptSaved, resultText } from './output/failure-text.ts';
import { createFlow } from './output/flow.ts';
import { asidesLines, resumeLine, savedSession, welcomeRows } from './output/welcome.ts';
import { keepGiven } from './permissions.ts';
import { runShell } from './shell.ts';

const COLUMNS = 80;

/**
 * A line-by-line chat, for terminals that cannot be redrawn and for output to a file; it starts with a prompt unless that is ''.
 * Resolves when the user leaves.
 */
export async function lineChat(opened: Opened, context: Context, listeners: Listeners, prompt: string): Promise<void> {
  const talker = new LineChat(opened, context);
  if (prompt !== '') talker.ask(prompt);
  listeners.approve = (call, signal) => talker.approve(call, signal);
  listeners.onRun = (call) => talker.onRun(call);
  await talker.run();
}

class LineChat {
  readonly #opened: Opened;
  readonly #context: Context;
  readonly #lines: Interface;
  /** Lines typed while the chat was busy. */
  readonly #early: string[] = [];
  #answer: ((line: string | undefined) => void) | undefined;
  #stop: AbortController | undefined;
  #log: AnswerLog | undefined;
  #ended = false;

  constructor(opened: Opened, context: Context) {
    this.#opened = opened;
    this.#context = context;
    // Questions and typed text go to standard error, because standard output may be a file.
    const terminal = context.env.TERM !== 'dumb';
    this.#lines = createInterface({
      input: process.stdin,
      output: forDrawing(process.stderr),
      terminal,
      historySize: 0,
    });
    this.#lines.on('line', (line) => (this.#answer ? this.#answer(line) : this.#early.push(line)));
    this.#lines.on('close', () => {
      this.#ended = true;
      this.#answer?.(undefined);
    });
    this.#lines.on('SIGINT', () => this.#interrupt());
  }

  /** Says this first. */
  ask(prompt: string): void {
    this.#early.push(...prompt.split('\n').map((line, at, all) => (at < all.length - 1 ? `${line}\\` : line)));
  }

  async run(): Promise<void> {
    const interrupt = () => this.#interrupt();
    process.on('SIGINT', interrupt);
    this.#print(await welcomeRows(this.#opened, COLUMNS, plainStyle));
    try {
      while (!this.#ended || this.#early.length > 0) {
        const text = await this.#read('> ');
        if (text === undefined) break;
        if (text.trim() === '') continue;
        if ((await this.#handle(text)) === 'leave') break;
      }
    } finally {
      process.off('SIGINT', interrupt);
      this.#lines.close();
    }
    for (const line of asidesLines(this.#opened)) this.#context.tell(line);
    const kept = resumeLine(await savedSession(this.#opened.chat), this.#opened);
    if (kept !== undefined) this.#context.tell(kept);
  }

  /** A line, joined with the next after a trailing backslash; undefined at the end of input. */
  async #read(question: string): Promise<string | undefined> {
    const line = await this.#question(question);
    if (!line?.endsWith('\\')) return line;
    const more = await this.#read('  ');
    return `${line.slice(0, -1)}\n${more ?? ''}`;
  }

  /** Reads a line; undefined at the end of input or on abort. `fresh`: ignores lines typed before the question. */
  async #question(text: string, fresh = false, signal?: AbortSignal): Promise<string | undefined> {
    const early = fresh ? undefined : this.#early.shift();
    if (early !== undefined) return early;
    if (this.#ended || signal?.aborted) return undefined;
    this.#lines.setPrompt(harmless(text));
    this.#lines.prompt();
    return await new Promise<string | undefined>((resolve) => {
      this.#answer = resolve;
      signal?.addEventListener('abort', () => resolve(undefined), { once: true });
    }).finally(() => {
      this.#answer = undefined;
    });
  }

  async #handle(text: string): Promise<'leave' | undefined> {
    const what = parseInput(text);
    try {
      if (what.type === 'unknown') this.#context.tell(what.text);
      else if (what.type === 'command') return await what.command.run(what.args, this.#talk());
      else if (what.type === 'shell') await this.#run(what.command);
      else await this.#say(what.text);
    } catch (error) {
      this.#context.tell(failureText(error));
      if (what.type === 'prompt') this.#context.tell(`not sent: ${harmless(text)}`);
    }
    return undefined;
  }

  async #run(command: string): Promise<void> {
    const stop = new AbortController();
    this.#stop = stop;
    const { cwd, env } = this.#context;
    const print = (rows: readonly string[]) => this.#print(rows);
    try {
      const setup = { cwd, env, signal: stop.signal, style: plainStyle, columns: () => COLUMNS, print };
      this.#opened.asides.add(await runShell(command, setup));
    } finally {
      this.#stop = undefined;
    }
  }

  async #say(typed: string): Promise<void> {
    const text = this.#opened.asides.before(typed);
    const stop = new AbortController();
    this.#stop = stop;
    const log = createAnswerLog({
      columns: () => COLUMNS,
      style: plainStyle,
      now: () => performance.now(),
      // Raw, as in a pipe: lines that were printed cannot become a table.
      flow: createFlow,
      details: createDetails(),
      key: '',
    });
    this.#log = log;
    try {
      const result = await this.#opened.chat.say(text, {
        signal: stop.signal,
        onEvent: (event) => {
          log.onEvent(event);
          this.#print(log.rows());
        },
        onResult: log.onResult,
      });
      this.#print(log.end());
      if (result.success) return this.#opened.asides.clear();
      const isKept = await isPromptSaved(this.#opened.chat, text, result);
      if (isKept) this.#opened.asides.clear();
      this.#context.tell(resultText(result, isKept) ?? '');
      if (!isKept) this.#context.tell(`not sent: ${harmless(typed)}`);
    } finally {
      this.#stop = undefined;
    }
  }

  async approve(call: ToolRequest, signal: AbortSignal): Promise<Approval> {
    this.#log?.ask(call);
    this.#print(this.#log?.rows() ?? []);
    const { permissions } = this.#opened;
    const choices = choicesFor(call);
    this.#print(questionLines(call, choices, permissions.canKeep));
    const answer = await this.#question('Your answer, or a reason: ', true, signal);
    if (answer === undefined) return INTERRUPTED.approval;
    const word = answer.trim().replace(/^(y)es$|^(a)lways$/i, '$1$2');
    const given = choiceOf(choices, word, permissions.canKeep) ?? refusal(word.replace(/^no?$/i, ''));
    keepGiven(given, permissions);
    this.#log?.answered(givenText(given), isAllowed(given));
    return given.approval;
  }

  onRun(call: ToolRequest): void {
    this.#log?.onRun(call);
  }

  #talk(): CommandContext {
    return commandContext(this.#opened, this.#context.cwd, {
      style: plainStyle,
      columns: COLUMNS,
      print: (rows) => this.#print(rows),
      confirm: async (question) => /^y/i.test((await this.#question(`${question} (y/n) `, true))?.trim() ?? ''),
      choose: (question, options, now) => this.#choose(question, options, now),
      fill: (text) => this.#print(['your prompt:', ...harmless(text).split('\n')]),
    });
  }

  async #choose(question: string, options: readonly string[], now: string): Promise<string | undefined> {
    this.#print(options.map((option, i) => `${String(i + 1).padStart(3)}  ${option}${option === now ? ' (now)' : ''}`));
    const answer = (await this.#question(`${question} (a number, or Enter to keep it) `, true))?.trim() ?? '';
    return /^\d{1,4}$/.test(answer) ? options[Number(answer) - 1] : undefined;
  }

  #interrupt(): void {
    if (this.#stop) this.#stop.abort();
    else this.#lines.close();
  }

  #print(rows: readonly string[]): void {
    // Ended here: an empty last row would be taken for the end of the row before.
    if (rows.length > 0) this.#context.print(`${rows.join('\n')}\n`);
  }
}
