import { z } from 'zod';
import type { CommandEnd } from '../../providers/provider.ts';
import { type AgentTool, defineTool } from '../define.ts';
import { messageOf, ToolFailure } from '../failure.ts';
import { capture } from '../outputs/capture.ts';
import { changeLines, watchFiles } from '../scope/watch.ts';
import type { ToolSetting } from '../setting.ts';
import { endText, streamText } from './command-text.ts';
import { withoutKeys } from './environment.ts';
import { followOutput } from './follow-output.ts';
import { type Ending, runGroup } from './run-group.ts';

/** `run_command`: a shell command in the workspace. */
export function runCommandTool(setting: ToolSetting): AgentTool {
  const { time_limit_ms: most, grace_ms, env, pass_env, workspace, outputs } = setting;
  const schema = z.strictObject({
    command: z.string().trim().min(1).describe('Shell command; runs in the workspace, with no input'),
    time_limit_ms: z.int().min(1).max(most).optional().describe(`At most ${most} (the default)`),
  });
  return defineTool(setting, {
    name: 'run_command',
    description:
      'Runs a shell command and shows its exit code and output. Stops every process it started when it ends.',
    schema,
    asks: true,
    capsItself: true,
    async run({ command, time_limit_ms = most }, { signal, redactor, fileChanged, commandEnded, printed }) {
      refuse(command, setting.allowed_commands);
      const room = Math.max(1, setting.max_output_chars - 400);
      const streams = {
        stdout: capture(outputs, room * 0.6, redactor),
        stderr: capture(outputs, room * 0.4, redactor),
      };
      const newest = followOutput(printed, redactor);
      const changes = await watchFiles(setting);
      const started = performance.now();
      const ending = await runGroup({
        command,
        cwd: workspace.root.path,
        env: withoutKeys(env, pass_env),
        time_limit_ms,
        grace_ms,
        signal,
        onOutput(stream, bytes: Buffer) {
          streams[stream].write(bytes);
          newest.write(bytes);
        },
      })
        .catch((error: unknown) => {
          throw new ToolFailure(`the command could not be started: ${messageOf(error)}`, error);
        })
        .finally(newest.end);
      commandEnded?.(commandEnd(ending));
      const seconds = ((performance.now() - started) / 1_000).toFixed(1);
      const found = await changes();
      for (const path of found.changed) fileChanged(path);
      const text = [
        headline(ending, seconds, time_limit_ms),
        ...streamText('stdout', streams.stdout.end()),
        ...streamText('stderr', streams.stderr.end()),
        ...changeLines(found),
      ].join('\n');
      if (ending.stopped !== undefined) throw new ToolFailure(text);
      return text;
    },
  });
}

// None of these characters lets a shell start another command, write a file or expand anything.
const PLAIN = /^[\w\s./:=@,+%'"-]*$/;

/**
 * True if the list contains the command itself, or a prefix such as `npm test *` followed by plain arguments. Shell syntax
 * (`;`, `|`, `&`, `$`, backticks, `<`, `>`, brackets, line breaks) is never plain. Pure.
 */
export function isAllowedCommand(command: string, allowed: readonly string[]): boolean {
  const asked = command.trim();
  return allowed.some((entry) => {
    if (!entry.endsWith(' *')) return asked === entry.trim();
    const start = entry.slice(0, -2).trim();
    const args = asked.slice(start.length);
    return asked === start || (asked.startsWith(`${start} `) && PLAIN.test(args) && !/[\n\r]/.test(asked));
  });
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
    exitCode: stopped === undefined ? code : null,
    ...(signal === null ? {} : { signal }),
    ...(stopped === 'time' ? { timedOut: true } : {}),
  };
}

function headline({ code, signal, stopped, left }: Ending, seconds: string, limit: number): string {
  const why = {
    time: `: the time limit of ${limit} ms was reached and all its processes were stopped`,
    cancelled: ': cancelled',
  };
  const rest = left && stopped === undefined ? '; processes it left running were stopped' : '';
  return `${endText(code, signal)}${stopped === undefined ? '' : why[stopped]} (${seconds} s)${rest}`;
}
