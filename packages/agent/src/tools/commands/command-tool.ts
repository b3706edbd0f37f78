import { spawn } from 'node:child_process';
import type { Tool, ToolContext } from '../../providers/provider.ts';
import { realPath } from '../files/real-path.ts';
import type { Guard } from '../protected/guard-files.ts';
import { guardConfig } from '../protected/protected-files.ts';
import { endText } from './command-text.ts';
import { withoutKeys } from './environment.ts';
import { signalGroup } from './process-group.ts';

/** A program that agents may run: no shell reads what a model says. */
export interface CommandToolConfig {
  readonly about: string;
  /** The program and its arguments; `{name}` stands for an argument of the call. */
  readonly command: readonly string[];
  /** The arguments of a call, each with its description for the model. */
  readonly arguments: Readonly<Record<string, string>>;
  /** Seconds. */
  readonly timeout: number;
}

/** Where programs run, and which files they must leave as they are. */
export interface CommandToolsOptions {
  /** The folder in which the programs run. */
  readonly folder: string;
  /** Its configuration, and that of the folders above it, is restored after each call. */
  readonly workspace: string;
  /** More files to restore. */
  readonly protected?: readonly string[];
}

/** One tool for each program, by name. */
export function commandTools(
  programs: Readonly<Record<string, CommandToolConfig>>,
  { folder, workspace, protected: files = [] }: CommandToolsOptions,
): Tool[] {
  const guard = guardConfig(realPath(workspace), files);
  return Object.entries(programs).map(([name, program]) => commandTool(name, program, folder, guard));
}

const MOST_CHARS = 20_000;
/** `{host}` in a part of a command. */
const SLOT = /\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** A tool that runs a program. Each argument of a call is exactly one argument of the program, whatever it contains. */
export function commandTool(name: string, config: CommandToolConfig, cwd: string, guard?: Guard): Tool {
  const names = commandSlots(config.command);
  const properties = Object.fromEntries(
    names.map((one) => [one, { type: 'string', description: config.arguments[one] ?? one }]),
  );
  return {
    name,
    description: config.about,
    input_schema: { type: 'object', properties, required: names, additionalProperties: false },
    parallel: true,
    async run(input, context) {
      const command = filled(config.command, given(name, names, input));
      const putBack = guard?.start();
      try {
        return await output(name, { ...config, command }, cwd, context);
      } finally {
        putBack?.();
      }
    },
  };
}

/** The names of the `{arguments}` of a command, in order. Pure. */
export function commandSlots(command: readonly string[]): string[] {
  return [...new Set(command.flatMap((part) => [...part.matchAll(SLOT)].map(([, slot = '']) => slot)))];
}

function given(name: string, names: readonly string[], input: unknown): Map<string, string> {
  const values = (input ?? {}) as Readonly<Record<string, unknown>>;
  return new Map(
    names.map((one) => {
      const value = values[one];
      if (typeof value !== 'string' || value.trim() === '' || value.includes('\0'))
        throw new Error(`${name}: "${one}" is ${JSON.stringify(value) ?? 'missing'}: give a text`);
      // A program would take it for an option.
      if (value.startsWith('-')) throw new Error(`${name}: "${one}" begins with "-": give it without`);
      return [one, value];
    }),
  );
}

function filled(command: readonly string[], values: ReadonlyMap<string, string>): string[] {
  return command.map((part) => part.replaceAll(SLOT, (slot, name: string) => values.get(name) ?? slot));
}

function output(name: string, config: CommandToolConfig, cwd: string, context: ToolContext): Promise<string> {
  const { command, timeout } = config;
  const [program = '', ...args] = command;
  const { signal, commandEnded = () => {} } = context;
  return new Promise((resolve, reject) => {
    const env = withoutKeys(process.env, []);
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let text = '';
    let rest = 0;
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (words: string) => {
        const room = MOST_CHARS - text.length;
        text += words.slice(0, room);
        rest += Math.max(0, words.length - room);
      });
    const settle = (done: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
      done();
    };
    const end = (why: string) => {
      signalGroup(child, 'SIGKILL');
      // A process that left the group may hold the pipes indefinitely.
      for (const stream of [child.stdout, child.stderr]) stream.destroy();
      settle(() => reject(new Error(`${name}: ${why}`)));
    };
    const cancel = () => end('it was stopped');
    const late = () => {
      commandEnded({ exitCode: null, signal: 'SIGKILL', timedOut: true });
      end(`not done in ${timeout} s`);
    };
    const timer = setTimeout(late, timeout * 1_000);
    signal.addEventListener('abort', cancel);
    if (signal.aborted) cancel();
    child.once('error', (error: NodeJS.ErrnoException) => {
      const said = error.code === 'ENOENT' ? `there is no program ${program} here` : error.message;
      settle(() => reject(new Error(`${name}: ${said}`)));
    });
    child.once('close', (code, by) => {
      const more = rest > 0 ? `\n… (${rest} characters more)` : '';
      const told = `${code === 0 ? '' : `${endText(code, by)}\n`}${text.trim() || '(no output)'}${more}`;
      settle(() => {
        commandEnded({ exitCode: code, ...(by === null ? {} : { signal: by }) });
        resolve(told);
      });
    });
  });
}
