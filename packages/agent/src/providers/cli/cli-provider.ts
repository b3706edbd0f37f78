import { createHash } from 'node:crypto';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { promptOf } from '@holdfast/models';
import { fieldsOf, parsedJson } from '@holdfast/sessions/foreign';
import { savedKeys } from '../../config/credentials.ts';
import { defined } from '../../defined.ts';
import { createRedactor } from '../../loop/redactor.ts';
import { realPath } from '../../tools/files/real-path.ts';
import { guardConfig } from '../../tools/protected/protected-files.ts';
import { guarded } from '../guarded.ts';
import { notStarted } from '../not-started.ts';
import type { ExecutionOptions, Provider, ProviderEvent } from '../provider.ts';
import { type CliFailure, failureOf } from './failure.ts';
import type { CliConfig, CliKind, CliReading } from './kind.ts';
import { runProgram } from './process.ts';
import { type CliState, costSince, nextState, stateOf } from './state.ts';

const SIGNALS = ['<TASK_COMPLETE>', '<DONE>'];
const LOST = /no conversation found|session not found|chat not found/i;
const NOISE_CHARS = 2_000;
/** Far more than is kept, so that this cut never matters. */
const READ_CHARS = 64_000;

/** A provider that runs a program which has its own tools and manages its own context. */
export function createCliProvider(kind: CliKind, config: CliConfig = {}): Provider {
  const env = { ...process.env, ...config.env };
  const redact = createRedactor(...secretsOf(env), ...savedKeys(env)).message;
  return {
    name: kind.type,
    async execute(prompt, given = {}) {
      const options = { ...defined({ model: config.model }), ...given };
      const { log, emit } = guarded(options, (line) => `${kind.type}: ${line}`);
      const state = stateOf(options.conversationState, kind.type);
      const refusal = refusalOf(prompt, options, state, kind.type);
      if (refusal !== undefined) return notStarted('invalid_request', refusal, options.conversationState);
      const spent = new AbortController();
      const followed = follow(kind, options, { log, emit }, redact, () => spent.abort());
      const system = options.system ? hash(options.system) : undefined;
      const news = system !== undefined && system !== state?.system ? `${options.system}\n\n` : '';
      const { program = kind.program.name, grace_ms = 2_000 } = config;
      // Its tools are its own, so restore Holdfast's configuration if it changes that.
      const putBack = guardConfig(realPath(options.cwd ?? process.cwd())).start();
      const { cwd, time_limit_ms } = options;
      const args = [...kind.args(options, state?.sessionId), ...(config.args ?? [])];
      const signal = options.signal ? AbortSignal.any([options.signal, spent.signal]) : spent.signal;
      const running = { program, args, env, cwd, time_limit_ms, grace_ms, signal, onLine: followed.line };
      const end = await runProgram({ ...defined(running), input: news + prompt });
      for (const { path, reverted } of putBack())
        log.warn(`it changed ${path}, which ${reverted ? 'was' : 'could not be'} restored`);
      if (end.overlong > 0) log.warn(`${end.overlong} lines were too long to read`);
      const { reading, noise, files } = followed.told();
      const isSpent = end.type === 'stopped' && spent.signal.aborted && !options.signal?.aborted;
      if (reading.warning !== undefined) log.warn(redact(reading.warning));
      const told = failureOf({ ...end, stderr: redact(end.stderr) }, reading, noise, { kind, program, options });
      const failure = isSpent ? SPENT : told;
      const heard = system ?? state?.system;
      return {
        ...outcome(reading, options, failure && { ...failure, error: redact(failure.error) }),
        ...(isSpent || reading.isSpent ? { budget: 'requests' } : {}),
        filesChanged: files,
        ...costSince(reading, state),
        // Drop a session that no longer exists, or every execution would ask for it.
        ...(failure && LOST.test(failure.error) ? {} : nextState(kind.type, reading, state, heard)),
      };
    },
  };
}

/** Reads the program's lines as they come. */
function follow(
  kind: CliKind,
  options: ExecutionOptions,
  { log, emit }: ReturnType<typeof guarded>,
  redact: (text: string) => string,
  onSpent: () => void,
) {
  const read = kind.createReader();
  const rounds = createRounds();
  const files = new Set<string>();
  let reading: CliReading = {};
  let noise = '';
  return {
    line(line: string) {
      const event = parsedJson(line);
      if (typeof event !== 'object' || event === null) {
        if (line.trim() === '') return;
        // Redact before the cut: half a key would not be recognized.
        const clean = redact(line.slice(0, READ_CHARS));
        noise = `${noise}\n${clean.slice(0, NOISE_CHARS)}`.slice(-NOISE_CHARS);
        log.debug(`not an event: ${clean.slice(0, 200)}`);
        return;
      }
      const step = read(fieldsOf(event));
      reading = { ...reading, ...step.reading };
      for (const file of step.files ?? []) files.add(inside(file, options.cwd));
      for (const one of step.events ?? []) {
        if (kind.endless && rounds(one) > (options.max_requests ?? Number.POSITIVE_INFINITY)) onSpent();
        emit(one);
      }
      if (step.reading?.tokenUsage) emit({ type: 'usage-report', usage: step.reading.tokenUsage });
    },
    told: () => ({ reading, noise: noise.trim(), files: [...files] }),
  };
}

const SPENT: CliFailure = { error: 'max_requests was reached before the answer', category: 'timeout' };

/** Counts requests by their calls: a call that starts after another one ended belongs to a new request. */
function createRounds(): (event: ProviderEvent) => number {
  let rounds = 0;
  let isOver = true;
  return ({ type }) => {
    if (type === 'call-start' && isOver) rounds++;
    if (type === 'call-start' || type === 'call-end') isOver = type === 'call-end';
    return rounds;
  };
}

function outcome(reading: CliReading, options: ExecutionOptions, failure: CliFailure | undefined) {
  const { output = '', tokenUsage, requests, cut = false } = reading;
  const completionSignal = (options.completion_signals ?? SIGNALS).find((one) => one !== '' && output.includes(one));
  const all = tokenUsage && promptOf(tokenUsage);
  return defined({
    success: failure === undefined,
    output,
    iterationComplete: failure === undefined && !cut,
    error: failure?.error,
    errorCategory: failure?.category,
    completionSignal,
    tokenUsage,
    cacheShare: tokenUsage && all ? tokenUsage.cacheReadTokens / all : undefined,
    requests,
  });
}

function refusalOf(prompt: string, options: ExecutionOptions, state: CliState | undefined, name: string) {
  if (prompt.trim() === '') return `${name}: the prompt is empty`;
  const { time_limit_ms: limit = 0 } = options;
  if (!(limit >= 0)) return `${name}: time_limit_ms is ${limit}: expected a number, 0 or more`;
  if (options.conversationState !== undefined && !state) {
    return `${name}: conversationState is from another provider: leave it out, or pass one that this provider returned`;
  }
  // A leading dash would make it an option.
  if (options.model?.startsWith('-')) return `${name}: invalid model "${options.model}"`;
  return undefined;
}

/** Environment values whose names say that they are secret. */
function secretsOf(env: NodeJS.ProcessEnv): readonly string[] {
  const names = Object.keys(env).filter((name) => /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i.test(name));
  return names.flatMap((name) => env[name] ?? []);
}

/** A path relative to the working directory; unchanged if outside. */
function inside(file: string, cwd = process.cwd()): string {
  const path = relative(cwd, resolve(cwd, file));
  return path === '' || path.startsWith(`..${sep}`) || isAbsolute(path) ? file : path;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
