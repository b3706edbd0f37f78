import type { ExecutionResult } from '@holdfast/agent';
import type { Approval, ToolRequest } from '@holdfast/agent/chat';
import type { Key } from 'ink';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { readOutput } from '../sessions/output-files.ts';
import type { Frames } from '../view/frames.ts';
import { flushed, forDrawing } from '../view/guard-output.ts';
import { harmless } from '../view/harmless.ts';
import { countInterrupts } from '../view/interrupts.ts';
import { terminalStyle } from '../view/style.ts';
import { wrapText } from '../view/text.ts';
import type { Listeners, Opened } from './chat.ts';
import { type ChatInterface, type CommandContext, commandContext } from './commands/command.ts';
import { type Input, parseInput } from './commands.ts';
import { approval, type Given, givenText, INTERRUPTED, isAllowed } from './input/approval.ts';
import { type Stroke, strokesOf } from './input/keys.ts';
import { openHistory } from './input/prompt-history.ts';
import { createPromptLine } from './input/prompt-line.ts';
import { choice, type Question, yesOrNo } from './input/question.ts';
import { type AnswerLog, createAnswerLog } from './output/answer-log.ts';
import { createDetails } from './output/details.ts';
import { failureText, isPromptSaved, resultText } from './output/failure-text.ts';
import { type LiveParts, liveRows, promptRows } from './output/live-rows.ts';
import { type Highlight, loadHighlight } from './output/markdown/highlight.ts';
import { createMarkdownFlow } from './output/markdown/markdown-flow.ts';
import { failureRows } from './output/rows.ts';
import { createWatcher } from './output/status-line.ts';
import { farewellRows, welcomeRows } from './output/welcome.ts';
import { keepGiven } from './permissions.ts';
import { runShell } from './shell.ts';

const FRAME_MS = 100;
/** A key pressed this soon after another is typing, not the answer to a question that just appeared. */
const TYPING_MS = 600;
/** The first keys, if they come this soon after the first frame, were typed before it. */
const EARLY_MS = 1_500;

/** A chat in a redrawn terminal, which starts with a prompt unless that is ''. Resolves when the user leaves. */
export async function terminalChat(
  opened: Opened,
  context: Context,
  listeners: Listeners,
  prompt: string,
): Promise<void> {
  const talker = new TerminalChat(opened, context);
  if (prompt !== '') talker.ask(prompt);
  listeners.approve = (call, signal) => talker.approve(call, signal);
  listeners.onRun = (call) => talker.onRun(call);
  listeners.warn = (line) => talker.warn(line);
  await talker.run();
}

class TerminalChat {
  readonly #opened: Opened;
  readonly #context: Context;
  readonly #style;
  readonly #line;
  readonly #watcher = createWatcher();
  readonly #details = createDetails();
  readonly #talk: CommandContext;
  #highlight: Highlight | undefined;
  #frames: Frames | undefined;
  #waiting: string[] = [];
  #queue: string[] = [];
  /** Wakes the main loop. */
  #wake: () => void = () => {};
  #question: Question | undefined;
  #answer: { readonly log: AnswerLog; readonly stop: AbortController; sending: string | undefined } | undefined;
  /** Stops a command of the shell. */
  #command: AbortController | undefined;
  /** The running command. */
  #busy: string | undefined;
  #leaving = false;
  /** Ctrl-C was pressed with nothing to interrupt. */
  #warned = false;
  #typed = Number.NEGATIVE_INFINITY;
  #began = 0;
  /** A key was pressed. */
  #heard = false;
  #tick = 0;

  constructor(opened: Opened, context: Context) {
    this.#opened = opened;
    this.#context = context;
    this.#style = terminalStyle(context.env);
    this.#line = createPromptLine(openHistory(opened.home), opened.models);
    this.#talk = commandContext(opened, context.cwd, this.#face());
  }

  /** Says this first. */
  ask(prompt: string): void {
    this.#enter(prompt);
  }

  async run(): Promise<void> {
    const { createFrames } = await import('../view/frames.ts');
    const { stdout, stdin } = process;
    // Before drawing: until ink listens, typed keys would be echoed between the rows, and Enter would be a line feed.
    stdin.setRawMode(true);
    // Code in answers has no colours until this is loaded.
    void loadHighlight().then((loaded) => {
      this.#highlight = loaded;
    });
    await this.#watcher.refresh(this.#opened.chat);
    const welcome = await welcomeRows(this.#opened, Math.max(1, (stdout.columns || 80) - 1), this.#style);
    // Keys typed so far were echoed; the input line shows them again.
    forDrawing(stdout).write('\r\u001b[K');
    stdout.write(`${welcome.join('\n')}\n`);
    const frames = createFrames({
      // A sent prompt must not appear while the input line still shows it.
      mostFrames: 1_000,
      onKey: (input, key) => this.#keys(input, key),
      onPaste: (text) => this.#pasted(text),
      live: (columns, rows) => liveRows(this.#parts(), columns - 1, rows, this.#style),
    });
    this.#frames = frames;
    this.#began = performance.now();
    const interrupts = countInterrupts(
      () => this.#stroke({ type: 'interrupt' }),
      () => {},
    );
    const leave = () => {
      this.#context.end(EXIT.interrupted);
      this.#leave();
    };
    process.on('SIGTERM', leave).on('SIGHUP', leave);
    this.#context.onOutputClosed(leave);
    const timer = setInterval(() => {
      this.#tick += 1;
      if (this.#answer || this.#busy) this.#draw();
    }, FRAME_MS);
    try {
      await this.#loop();
    } finally {
      clearInterval(timer);
      interrupts.stop();
      process.off('SIGTERM', leave).off('SIGHUP', leave);
      this.#draw();
      await frames.end();
      const rows = await farewellRows(this.#opened, this.#line, this.#queue, frames.columns - 1, this.#style);
      if (rows.length > 0) stdout.write(`${rows.join('\n')}\n`);
      await flushed(stdout);
    }
  }

  async #loop(): Promise<void> {
    while (!this.#leaving) {
      const next = this.#queue.shift();
      if (next === undefined) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        continue;
      }
      await this.#handle(parseInput(next), next);
      await this.#watcher.refresh(this.#opened.chat);
      this.#draw();
    }
  }

  /** On failure, the text goes back into the input line. */
  async #handle(what: Input, text: string): Promise<void> {
    try {
      if (what.type !== 'prompt') this.#print(['', ...promptRows(text, this.#columns, this.#style.colours.bold)]);
      if (what.type === 'unknown') this.#print(failureRows(what.text, this.#columns, this.#style));
      else if (what.type === 'command') {
        this.#busy = `/${what.command.name}`;
        if ((await what.command.run(what.args, this.#talk)) === 'leave') this.#leaving = true;
      } else if (what.type === 'shell') await this.#run(what.command);
      else await this.#say(what.text);
    } catch (error) {
      this.#line.fill(this.#queue.splice(0).join('\n'));
      if (what.type === 'prompt') this.#line.fill(text);
      this.#print(failureRows(failureText(error), this.#columns, this.#style));
    } finally {
      this.#busy = undefined;
    }
  }

  /** A command of the user; the model gets its output with the next prompt. */
  async #run(command: string): Promise<void> {
    this.#busy = `${command.split('\n')[0]} · Esc interrupts`;
    const stop = new AbortController();
    this.#command = stop;
    const { cwd, env } = this.#context;
    const setup = { cwd, env, signal: stop.signal, style: this.#style, columns: () => this.#columns };
    try {
      this.#opened.asides.add(await runShell(command, { ...setup, print: (rows) => this.#print(rows) }));
    } finally {
      this.#command = undefined;
    }
  }

  async #say(typed: string): Promise<void> {
    const { asides, chat, home } = this.#opened;
    const text = asides.before(typed);
    const stop = new AbortController();
    const log = createAnswerLog({
      columns: () => this.#columns,
      height: () => this.#rows,
      style: this.#style,
      now: () => performance.now(),
      flow: () => createMarkdownFlow(this.#style, () => this.#highlight),
      details: this.#details,
      key: 'Ctrl-O shows all',
      stored: (handle) => readOutput(home, chat.session ?? '', handle),
    });
    const answer = { log, stop, sending: typed as string | undefined };
    this.#answer = answer;
    this.#draw();
    // Print the prompt as sent once an event arrives: from then on it is on disk.
    const acknowledge = () => {
      if (answer.sending === undefined) return;
      this.#waiting.push('', ...promptRows(answer.sending, this.#columns, this.#style.colours.bold));
      answer.sending = undefined;
    };
    let result: ExecutionResult;
    try {
      result = await chat.say(text, {
        signal: stop.signal,
        onEvent: (event) => {
          acknowledge();
          this.#watcher.onEvent(event);
          log.onEvent(event);
        },
        onResult: log.onResult,
      });
      if (result.success) acknowledge();
    } finally {
      this.#waiting.push(...log.end());
      this.#answer = undefined;
    }
    if (result.success) return asides.clear();
    this.#line.fill(this.#queue.splice(0).join('\n'));
    const isKept = await isPromptSaved(chat, text, result);
    if (isKept) {
      acknowledge();
      asides.clear();
    } else this.#line.fill(typed);
    this.#print(failureRows(resultText(result, isKept) ?? '', this.#columns, this.#style));
  }

  async approve(call: ToolRequest, signal: AbortSignal): Promise<Approval> {
    if (signal.aborted) return INTERRUPTED.approval;
    this.#answer?.log.ask(call);
    const { permissions } = this.#opened;
    const given = await this.#ask<Given>((answer) => {
      signal.addEventListener('abort', () => answer(INTERRUPTED), { once: true });
      return approval(call, permissions.canKeep, answer, () => performance.now());
    });
    keepGiven(given, permissions);
    this.#answer?.log.answered(givenText(given), isAllowed(given));
    this.#draw();
    return given.approval;
  }

  onRun(call: ToolRequest): void {
    this.#answer?.log.onRun(call);
  }

  warn(line: string): void {
    this.#print(wrapText(harmless(`warning: ${line}`), this.#columns).map(this.#style.colours.yellow));
  }

  async #ask<T>(make: (answer: (value: T) => void) => Question): Promise<T> {
    try {
      return await new Promise<T>((resolve) => {
        this.#question = make(resolve);
        this.#draw();
      });
    } finally {
      this.#question = undefined;
      this.#draw();
    }
  }

  #keys(input: string, key: Key): void {
    // Keys typed before the screen was ready arrive together, with a line feed for Enter.
    const isEarly = !this.#heard && performance.now() - this.#began < EARLY_MS && input.length > 1;
    this.#heard = true;
    for (const part of isEarly ? input.split(/(?<=[\r\n])/) : [input])
      for (const stroke of strokesOf(isEarly ? part.replace(/\n$/, '\r') : part, key)) this.#stroke(stroke);
  }

  #stroke(stroke: Stroke): void {
    if (stroke.type !== 'interrupt') this.#warned = false;
    if (!(this.#isForQuestion(stroke) && this.#question?.take(stroke))) this.#act(stroke);
    this.#draw();
  }

  #act(stroke: Stroke): void {
    if (stroke.type === 'text') this.#typed = performance.now();
    if (stroke.type === 'interrupt' || (stroke.type === 'escape' && (this.#answer || this.#command))) this.#interrupt();
    else if (stroke.type === 'leave' && this.#line.isEmpty) this.#leave();
    else if (stroke.type === 'expand') this.#expand();
    else if (stroke.type !== 'escape') {
      const text = this.#line.take(stroke.type === 'leave' ? { type: 'delete' } : stroke);
      if (text !== undefined) this.#enter(text);
    }
  }

  /** Shows in full what was shortened. */
  #expand(): void {
    const rows = this.#details.next(this.#columns, this.#style);
    this.#print(['', ...(rows ?? [this.#style.colours.dim('nothing more to show')])]);
  }

  #isForQuestion(stroke: Stroke): boolean {
    if (!this.#question || stroke.type === 'expand') return false;
    return stroke.type !== 'text' || this.#line.isEmpty || performance.now() - this.#typed > TYPING_MS;
  }

  #pasted(text: string): void {
    if (!this.#question?.paste(text)) this.#line.paste(text);
    this.#draw();
  }

  #enter(text: string): void {
    this.#queue.push(text);
    this.#wake();
  }

  /** Stops the answer; otherwise clears the input line; pressed again, leaves. */
  #interrupt(): void {
    if (this.#answer && !this.#answer.stop.signal.aborted) {
      this.#line.fill(this.#queue.splice(0).join('\n'));
      this.#answer.stop.abort();
    } else if (this.#command && !this.#command.signal.aborted) this.#command.abort();
    else if (!this.#line.isEmpty) this.#line.clear();
    else if (this.#warned) this.#leave();
    else this.#warned = true;
  }

  #leave(): void {
    this.#leaving = true;
    this.#answer?.stop.abort();
    this.#command?.abort();
    // End an open question, so that no command waits for its answer.
    this.#question?.take({ type: 'escape' });
    this.#wake();
  }

  #face(): ChatInterface {
    const self = this;
    return {
      style: this.#style,
      get columns() {
        return self.#columns;
      },
      get height() {
        return self.#rows;
      },
      print: (rows) => this.#print(rows),
      choose: (question, options, now) =>
        this.#ask<string | undefined>((answer) => choice(question, options, now, answer)),
      confirm: (question) => this.#ask((answer) => yesOrNo(question, answer)),
      fill: (text) => this.#line.fill(text),
    };
  }

  get #columns(): number {
    return Math.max(1, (this.#frames?.columns ?? 80) - 1);
  }

  get #rows(): number {
    return this.#frames?.rows ?? 24;
  }

  #print(rows: readonly string[]): void {
    this.#waiting.push(...rows);
    this.#draw();
  }

  #draw(): void {
    const frames = this.#frames;
    if (!frames?.ready) return;
    const rows = this.#waiting;
    this.#waiting = [];
    if (this.#answer && this.#answer.sending === undefined) rows.push(...this.#answer.log.rows());
    frames.draw(rows);
  }

  #parts(): LiveParts {
    const { draft, offered } = this.#line;
    return {
      draft,
      offered,
      queue: this.#queue,
      figures: this.#watcher.figures,
      tick: this.#tick,
      warned: this.#warned,
      busy: this.#busy,
      question: this.#question,
      answer: this.#answer,
    };
  }
}
