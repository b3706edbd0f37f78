import { z } from 'zod';
import type { CommandEnd, Tool, ToolContext } from '../providers/provider.ts';
import { messageOf, ToolFailure } from './failure.ts';
import { capped } from './outputs/capture.ts';
import type { OutputStore } from './outputs/outputs.ts';

/** What came of a call. Plain data. */
export interface ToolResult {
  readonly text: string;
  readonly is_error: boolean;
  readonly files_changed: readonly string[];
  /** Of a tool that ran a command. */
  readonly command?: CommandEnd;
}

/** A tool whose call never throws: what fails is a result, too. `run` is the same as providers take it. */
export interface AgentTool extends Tool {
  call(input: unknown, context?: Partial<ToolContext>): Promise<ToolResult>;
}

/** What somebody is asked before a call that may change something. */
export interface Call {
  readonly name: string;
  readonly input: unknown;
}

/** Says whether a call may be made; a text is the reason why not. What it throws is a no. */
export type Approve = (call: Call) => boolean | string | Promise<boolean | string>;

/** What all tools share. */
export interface Caps {
  readonly outputs: OutputStore;
  /** Most characters of a result; the rest is behind a handle. */
  readonly max_output_chars: number;
  readonly approve?: Approve;
}

/** A tool as it is written: input checked, text out, ToolFailure for what it cannot do. */
export interface Definition<T> {
  readonly name: string;
  readonly description: string;
  readonly schema: z.ZodType<T>;
  /** Whether somebody is asked before. */
  readonly asks?: boolean;
  /** It keeps to `max_output_chars` by itself. */
  readonly caps_itself?: boolean;
  readonly repeatable?: boolean;
  readonly ends?: boolean;
  /** As of a tool, for an input that was checked; what it throws is no mark. */
  mark?(input: T): string | undefined;
  run(input: T, context: ToolContext): string | Promise<string>;
}

/** Makes a tool of a definition. */
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

/** What a tool is, without what it does. */
export interface Face {
  readonly name: string;
  readonly description: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
  readonly caps_itself?: boolean;
  readonly caps: Caps;
}

/** Makes a tool of a function that checks its input itself. */
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
      if (context.signal.aborted) throw new ToolFailure(`${name} was not run: the run has been cancelled`);
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
