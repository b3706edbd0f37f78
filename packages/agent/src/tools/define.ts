import { z } from 'zod';
import { attempt } from '../attempt.ts';
import { defined } from '../defined.ts';
import type { CommandEnd, FileChange, Tool, ToolContext } from '../providers/provider.ts';
import { messageOf, ToolFailure } from './failure.ts';
import { capped } from './outputs/capture.ts';
import type { OutputStore } from './outputs/outputs.ts';

/** The result of a tool call. Plain data. */
export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
  readonly filesChanged: readonly string[];
  /** Set by tools that ran a command. */
  readonly command?: CommandEnd;
}

/** A tool whose `call` never throws: a failure is a result too. `run` is the form that providers use. */
export interface AgentTool extends Tool {
  call(input: unknown, context?: Partial<ToolContext>): Promise<ToolResult>;
}

/** Decides whether a call that may change something may run. A string, or an exception, refuses it with that reason. */
export type Approve = (call: {
  readonly name: string;
  readonly input: unknown;
}) => boolean | string | Promise<boolean | string>;

/** Settings shared by all tools. */
export interface Caps {
  readonly outputs: OutputStore;
  /** Longest result in characters; the rest is kept behind a handle. */
  readonly max_output_chars: number;
  readonly approve?: Approve;
}

/** How a tool is written: checked input, text out, ToolFailure for whatever it cannot do. */
export interface Definition<T> {
  readonly name: string;
  readonly description: string;
  readonly schema: z.ZodType<T>;
  /** Shown to the model instead of `schema`. */
  readonly input_schema?: Tool['input_schema'];
  /** Ask for approval first. */
  readonly asks?: boolean;
  /** The tool limits its output to `max_output_chars` itself. */
  readonly capsItself?: boolean;
  readonly repeatable?: boolean;
  readonly ends?: boolean;
  /** `Tool.mark` for checked input; if it throws, there is no mark. */
  mark?(input: T): string | undefined;
  /** `Tool.change` for checked input; if it throws, there is none. */
  change?(input: T): FileChange | undefined;
  run(input: T, context: ToolContext): string | Promise<string>;
}

/** Makes a tool from its definition. */
export function defineTool<T>(caps: Caps, definition: Definition<T>): AgentTool {
  const { name, description, schema, asks, capsItself, repeatable = false, ends = false } = definition;
  const input_schema = definition.input_schema ?? jsonSchema(schema);
  const parse = (input: unknown) => {
    const parsed = schema.safeParse(input);
    if (parsed.success) return parsed.data;
    throw new ToolFailure(`${name}: wrong input. ${problems(parsed.error)} ${expected(input_schema)}`);
  };
  const call: AgentTool['call'] = async (input, given = {}) => {
    const files = new Set<string>();
    let command: CommandEnd | undefined;
    const context: ToolContext = {
      ...given,
      callId: given.callId ?? '',
      signal: given.signal ?? new AbortController().signal,
      fileChanged(path) {
        files.add(path);
        given.fileChanged?.(path);
      },
      commandEnded(end) {
        command = end;
        given.commandEnded?.(end);
      },
    };
    const result = (given: string, isError: boolean): ToolResult => {
      const text = capsItself ? given : capped(given, caps.outputs, caps.max_output_chars, context.redactor);
      return defined({ text, isError, filesChanged: [...files], command });
    };
    try {
      if (context.signal.aborted) throw new ToolFailure(`${name} was not run: the run was cancelled`);
      const checked = parse(input);
      if (asks) await approval(caps.approve, name, input);
      return result(await definition.run(checked, context), false);
    } catch (error) {
      return result(error instanceof ToolFailure ? error.message : `${name} failed: ${messageOf(error)}`, true);
    }
  };
  const run: Tool['run'] = async (input, context) => {
    const { text, isError } = await call(input, context);
    if (isError) throw new ToolFailure(text);
    return text;
  };
  const { mark, change } = definition;
  return defined({
    ...{ name, description, input_schema, call, run, repeatable, ends },
    mark: mark && ((input: unknown) => attempt(() => mark(parse(input)))),
    change: change && ((input: unknown) => attempt(() => change(parse(input)))),
  });
}

/** Throws ToolFailure unless the call is approved. */
async function approval(approve: Approve | undefined, name: string, input: unknown): Promise<void> {
  if (approve === undefined) return;
  let answer: boolean | string;
  try {
    answer = await approve({ name, input });
  } catch (error) {
    answer = messageOf(error);
  }
  if (answer === true) return;
  throw new ToolFailure(`${name} was not approved${answer ? `: ${answer}` : ''}`);
}

function jsonSchema(schema: z.ZodType): Tool['input_schema'] {
  const { $schema: _, ...rest } = z.toJSONSchema(schema) as Record<string, unknown>;
  return rest;
}

function problems(error: z.ZodError): string {
  return error.issues.map((issue) => `${issue.path.join('.') || 'input'}: ${issue.message}.`).join(' ');
}

function expected(schema: Tool['input_schema']): string {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const properties = Object.entries((schema.properties ?? {}) as Record<string, { type?: unknown }>);
  const fields = properties.map(
    ([key, { type }]) => `${key}${required.includes(key) ? '' : '?'}: ${String(type ?? 'any')}`,
  );
  return `Expected { ${fields.join(', ')} }.`;
}
