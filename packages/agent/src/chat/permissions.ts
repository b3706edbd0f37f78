import { isAllowedCommand } from '../tools/commands/run-command.ts';
import type { ToolRequest } from './chat.ts';

/** What the user allows without being asked. */
export interface Permission {
  readonly tool: string;
  /** For commands: this one, or, with ` *` at its end, those that begin so and have only plain arguments. Default: every call. */
  readonly command?: string;
}

/** The permissions of a chat. */
export interface Permissions {
  add(permission: Permission): void;
  /** Whether one of them covers the call. */
  allow(call: ToolRequest): boolean;
}

/** Permissions for one process, in memory. */
export function createPermissions(): Permissions {
  const given: Permission[] = [];
  return {
    add: (permission) => void given.push(permission),
    allow: (call) => given.some((permission) => permits(permission, call)),
  };
}

/** Whether a permission covers a call. Shell syntax in a command is never covered by its beginning. Pure. */
export function permits({ tool, command }: Permission, call: ToolRequest): boolean {
  if (tool !== call.name) return false;
  if (command === undefined) return true;
  const asked = commandOf(call);
  return asked !== undefined && isAllowedCommand(asked, [command]);
}

/** Programs that run what their arguments say, and one that is rarely harmless. */
const NEVER =
  /^(?:.*\/)?(?:(?:ba|da|z|fi|k|c|tc)?sh|busybox|env|sudo|doas|su|xargs|nohup|time|timeout|nice|setsid|exec|eval|command|source|\.|watch|ssh|find|parallel|npx|bunx|pnpx|node|deno|bun|python[\d.]*|perl|ruby|php|lua|awk|sed|rm)$/i;
/** Subcommands that run any program: `npm exec`, `docker exec`, `yarn dlx`. */
const EXECUTES = /^(?:exec|x|dlx|eval|shell)$/;
/** One word of a simple command. */
const WORD = /^[\w./:@+-]+$/;
const SUBCOMMAND = /^[a-z][\w:-]*$/i;
/** `npm run build`: the word after `run` is what matters. */
const RUNS = /^run(?:-script)?$/;

/**
 * The command to offer with a call: `npm test *`, or the command itself if it has no subcommand. Undefined for calls that
 * run no command, for shell syntax, and for programs that run their arguments. Pure.
 */
export function offeredCommand(call: ToolRequest): string | undefined {
  const asked = commandOf(call)?.trim();
  if (asked === undefined || !isAllowedCommand(asked, [`${asked.split(/\s/)[0]} *`])) return undefined;
  const words = asked.split(/\s+/);
  const [program = '', second = '', third = ''] = words;
  if (!WORD.test(program) || words.some((word) => NEVER.test(word) || EXECUTES.test(word))) return undefined;
  if (!SUBCOMMAND.test(second)) return asked;
  if (!RUNS.test(second)) return `${program} ${second} *`;
  return SUBCOMMAND.test(third) ? `${program} ${second} ${third} *` : asked;
}

function commandOf({ name, input }: ToolRequest): string | undefined {
  if (name !== 'run_command' || typeof input !== 'object' || input === null) return undefined;
  return 'command' in input && typeof input.command === 'string' ? input.command : undefined;
}
