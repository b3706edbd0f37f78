import { z } from 'zod';
import type { CommandEnd, Tool, ToolContext } from '../providers/provider.ts';
import { messageOf, ToolFailure } from './failure.ts';
import { capped } from './outputs/capture.ts';
import type { OutputStore } from './outputs/outputs.ts';

/** The result of a tool call. Plain data. */
export interface ToolResult {
  readonly text: string;
  readonly is_error: boolean;
  readonly files_changed: readonly string[];
  /** Set by tools that ran a command. */
  readonly command?: CommandEnd;
}

/** A tool whose `call` never throws: a failure is a result too. `run` is the form that providers use. */
export interface AgentTool extends Tool {
  call(input: unknown, context?: Partial<ToolContext>): Promise<ToolResult>;
}

/** A call that may change something, shown to the user for approval. */
export interface Call {
  readonly name: string;
  readonly input: unknown;
}

/** Decides whether a call may run. A string refuses it with that reason; an exception refuses it too. */
export type Approve = (call: Call) => boolean | string | Promise<boolean | string>;

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
  /** Ask for approval first. */
  readonly asks?: boolean;
  /** The tool limits its output to `max_output_chars` itself. */
  readonly caps_itself?: boolean;
  readonly repeatable?: boolean;
  readonly ends?: boolean;
  /** `Tool.mark` for checked input; if it throws, there is no mark. */
  mark?(input: T): string | undefined;
  run(input: T, context: ToolContext): string | Promise<string>;
}

/** Makes a tool from its definition. */
export function defineTool<T>(definition: Definition<T>, caps: Caps): AgentTool {
  const { $schema: _, ...input_schema } = z.toJSONSchema(definition.schema) as Record<string, unknown>;
  const parse = (input: unknown) => {
    const parsed = definition.schema.safeParse(input);
    if (parsed.success) return parsed.data;
    throw new ToolFailure(`${definition.name}: wrong input. ${problems(parsed.error)} ${expected(input_schema)}`);
  };
  const { name, description, asks = false, caps_itself = false, repeatable = false, ends = false } = definition;
  const tool = makeTool({ name, description, input_schema, caps_itself, caps }, async (input, context) => {
    const checked = parse(input);
    if (asks) await ask(caps.approve, { name, input });
    return await definition.run(checked, context);
  });
  const mark: Tool['mark'] = (input) => {
    try {
      return definition.mark?.(parse(input));
    } catch {
      return undefined;
    }
  };
  return { ...tool, repeatable, ends, ...(definition.mark ? { mark } : {}) };
}

/** What a tool looks like from outside. */
export interface Face {
  readonly name: string;
  readonly description: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
  readonly caps_itself?: boolean;
  readonly caps: Caps;
}

/** Makes a tool from a function that checks its own input. */
export function makeTool(
  face: Face,
  run: (input: unknown, context: ToolContext) => string | Promise<string>,
): AgentTool {
  const { name, description, input_schema, caps_itself, caps } = face;
  const call: AgentTool['call'] = async (input, given = {}) => {
    const files = new Set<string>();
    const commands: CommandEnd[] = [];
    const context: ToolContext = {
      call_id: given.call_id ?? '',
      signal: given.signal ?? new AbortController().signal,
      fileChanged(path) {
        files.add(path);
        given.fileChanged?.(path);
      },
      commandEnded(end) {
        commands.push(end);
        given.commandEnded?.(end);
      },
      ...(given.interrupted === undefined ? {} : { interrupted: given.interrupted }),
      ...(given.recall ? { recall: given.recall } : {}),
      ...(given.redactor ? { redactor: given.redactor } : {}),
    };
    const result = (text: string, is_error: boolean): ToolResult => {
      const command = commands.at(-1);
      return {
        text: caps_itself ? text : capped(text, caps.outputs, caps.max_output_chars, given.redactor),
        is_error,
        files_changed: [...files],
        ...(command ? { command } : {}),
      };
    };
    try {
      if (context.signal.aborted) throw new ToolFailure(`${name} was not run: the run was cancelled`);
      return result(await run(input, context), false);
    } catch (error) {
      return result(error instanceof ToolFailure ? error.message : `${name} failed: ${messageOf(error)}`, true);
    }
  };
  const run_: Tool['run'] = async (input, context) => {
    const { text, is_error } = await call(input, context);
    if (is_error) throw new ToolFailure(text);
    return text;
  };
  return { name, description, input_schema, call, run: run_ };
}

/** Throws ToolFailure unless the call is approved. */
export async function ask(approve: Approve | undefined, call: Call): Promise<void> {
  if (approve === undefined) return;
  let answer: boolean | string;
  try {
    answer = await approve(call);
  } catch (error) {
    answer = messageOf(error);
  }
  if (answer === true) return;
  throw new ToolFailure(
    `${call.name} was not approved${typeof answer === 'string' && answer !== '' ? `: ${answer}` : ''}`,
  );
}

function problems(error: z.ZodError): string {
  return error.issues.map((issue) => `${issue.path.join('.') || 'input'}: ${issue.message}.`).join(' ');
}

function expected(schema: Readonly<Record<string, unknown>>): string {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const properties = Object.entries((schema.properties ?? {}) as Record<string, { type?: unknown }>);
  const fields = properties.map(
    ([key, { type }]) => `${key}${required.includes(key) ? '' : '?'}: ${String(type ?? 'any')}`,
  );
  return `Expected { ${fields.join(', ')} }.`;
}
