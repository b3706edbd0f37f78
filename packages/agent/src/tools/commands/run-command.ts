import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { CommandEnd } from '../../providers/provider.ts';
import { type AgentTool, type Caps, defineTool } from '../define.ts';
import { messageOf, ToolFailure } from '../failure.ts';
import { capture } from '../outputs/capture.ts';
import { changeLines, type Watch, watchFiles } from '../scope/watch.ts';
import { isAllowedCommand } from './command-rules.ts';
import { withoutKeys } from './environment.ts';
import { type Ending, runGroup } from './process-group.ts';

/** How commands are run. */
export interface Commands extends Watch {
  /** Commands that may run; undefined allows all. */
  readonly allowed_commands?: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Variables to pass even though they look like keys. */
  readonly pass_env: readonly string[];
  readonly time_limit_ms: number;
  readonly grace_ms: number;
}

/** `run_command`: a shell command in the workspace. */
export function runCommandTool(commands: Commands, caps: Caps): AgentTool {
  const most = commands.time_limit_ms;
  const schema = z.strictObject({
    command: z.string().trim().min(1).describe('Shell command; runs in the workspace, with no input'),
    time_limit_ms: z.int().min(1).max(most).optional().describe(`At most ${most} (the default)`),
  });
  return defineTool(
    {
      name: 'run_command',
      description:
        'Runs a shell command and shows its exit code and output. Stops every process it started when it ends.',
      schema,
      asks: true,
      caps_itself: true,
      async run({ command, time_limit_ms = most }, context) {
        refuse(command, commands.allowed_commands);
        const room = Math.max(1, caps.max_output_chars - 400);
        const captured = (share: number) => capture(caps.outputs, room * share, context.redactor);
        const streams = { stdout: captured(0.6), stderr: captured(0.4) };
        const changes = await watchFiles(commands);
        const started = performance.now();
        const ending = await runGroup({
          command,
          cwd: commands.workspace.root.path,
          env: withoutKeys(commands.env, commands.pass_env),
          mark: randomBytes(12).toString('hex'),
          time_limit_ms,
          grace_ms: commands.grace_ms,
          signal: context.signal,
          onOutput: (stream, bytes) => streams[stream].write(bytes),
        }).catch((error: unknown) => {
          throw new ToolFailure(`the command could not be started: ${messageOf(error)}`, error);
        });
        context.commandEnded?.(commandEnd(ending));
        const seconds = ((performance.now() - started) / 1_000).toFixed(1);
        const found = await changes();
        for (const path of found.changed) context.fileChanged(path);
        const text = [
          headline(ending, seconds, time_limit_ms),
          ...section('stdout', streams.stdout.end()),
          ...section('stderr', streams.stderr.end()),
          ...changeLines(found),
        ].join('\n');
        if (ending.stopped !== undefined) throw new ToolFailure(text);
        return text;
      },
    },
    caps,
  );
}

function refuse(command: string, allowed: readonly string[] | undefined): void {
  if (command.includes('\0')) throw new ToolFailure('the command contains a NUL byte');
  if (allowed === undefined || isAllowedCommand(command, allowed)) return;
  const list = allowed.map((entry) => JSON.stringify(entry)).join(', ') || 'none';
  throw new ToolFailure(
    `this command is not allowed. Allowed commands: ${list}. Run one command at a time, without ; | & $ < >.`,
  );
}

function commandEnd({ code, signal, stopped }: Ending): CommandEnd {
  return {
    exit_code: stopped === undefined ? code : null,
    ...(signal === null ? {} : { signal }),
    ...(stopped === 'time' ? { timed_out: true } : {}),
  };
}

function headline({ code, signal, stopped, left }: Ending, seconds: string, limit: number): string {
  const how = code === null ? `ended by ${signal}` : `exit code ${code}`;
  const why = {
    time: `: the time limit of ${limit} ms was reached and all its processes were stopped`,
    cancelled: ': cancelled',
  };
  const rest = left && stopped === undefined ? '; processes it left running were stopped' : '';
  return `${how}${stopped === undefined ? '' : why[stopped]} (${seconds} s)${rest}`;
}

function section(name: string, text: string): string[] {
  return text === '' ? [`${name}: empty`] : [`${name}:`, text.trimEnd()];
}
