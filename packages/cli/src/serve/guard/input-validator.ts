import type { CrewMessage } from '@holdfast/crew';
import type { z } from '@hono/zod-openapi';
import { createSchemas, INPUT_LIMITS, type InputLimits, type Schemas } from '../api/input-schemas.ts';
import { excessIn } from './json-scan.ts';
import { type FieldProblem, RequestProblem } from './problem.ts';

/** A valid request. */
export interface ValidRequest {
  readonly input?: string;
  /** A copy, which the caller may change. */
  readonly history?: CrewMessage[];
  readonly session?: string;
}

/** Checks all input before it reaches a model: size, nesting, types, roles, lengths and characters. */
export class InputValidator {
  readonly limits: InputLimits;
  readonly schemas: Schemas;

  constructor(limits: Partial<InputLimits> = {}) {
    this.limits = { ...INPUT_LIMITS, ...limits };
    this.schemas = createSchemas(this.limits);
  }

  /** The request in a body. Throws RequestProblem with each invalid field. */
  validateRequest(body: string): ValidRequest {
    const request = this.validate(this.schemas.request, body);
    if (request.history !== undefined && request.session !== undefined)
      throw refused('history', 'a session has its own history: send only one of the two');
    if (request.input === undefined && request.session === undefined) throw refused('input', 'is required');
    const { history, ...rest } = request;
    return { ...rest, ...(history ? { history: history.map(withContent) } : {}) } as ValidRequest;
  }

  /** Any body by its schema. Throws RequestProblem. */
  validate<T>(schema: z.ZodType<T>, body: string): T {
    return this.#parse(schema, this.#json(body));
  }

  #json(body: string): unknown {
    const { maxDepth, maxValues } = this.limits;
    const excess = excessIn(body, maxDepth, maxValues);
    if (excess === 'depth') throw refused('body', `must not be nested more than ${maxDepth} levels deep`);
    if (excess === 'values') throw refused('body', `must have at most ${maxValues} values in all lists and objects`);
    try {
      return JSON.parse(body);
    } catch {
      throw refused('body', 'must be JSON');
    }
  }

  #parse<T>(schema: z.ZodType<T>, value: unknown): T {
    const { maxHistory } = this.limits;
    // The schema would check every message before it counts them.
    if (lengthOf(value, 'history') > maxHistory) throw refused('history', `must have at most ${maxHistory} messages`);
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    const errors = parsed.error.issues.slice(0, MOST).flatMap(problemsOf).slice(0, MOST);
    const { field = 'body', detail = 'is invalid' } = errors[0] ?? {};
    throw refused(field, detail, errors);
  }
}

/** OpenAI has null as the content of an answer with nothing but calls. */
function withContent<T extends { readonly content: string | null }>(message: T) {
  return { ...message, content: message.content ?? '' };
}

/** Most problems to report. */
const MOST = 20;

function refused(field: string, detail: string, errors: readonly FieldProblem[] = [{ field, detail }]): RequestProblem {
  return new RequestProblem(400, `${field}: ${detail}`, { errors });
}

function problemsOf(issue: z.core.$ZodIssue): FieldProblem[] {
  const field = fieldOf(issue.path);
  if (issue.code === 'unrecognized_keys')
    return issue.keys
      .slice(0, MOST)
      .map((key) => ({ field: fieldOf([...issue.path, key.slice(0, 64)]), detail: 'is not a known field' }));
  if (issue.code === 'invalid_type') return [{ field, detail: `must be ${KINDS[issue.expected] ?? issue.expected}` }];
  if (issue.code === 'invalid_union')
    return [{ field, detail: field.endsWith('role') ? 'must be user, assistant, system or tool' : issue.message }];
  return [{ field, detail: issue.message }];
}

const KINDS: Readonly<Record<string, string>> = { string: 'a string', array: 'a list', object: 'an object' };

/** `history[3].role`. */
function fieldOf(path: readonly PropertyKey[]): string {
  const text = path.reduce<string>((place, step) => {
    if (typeof step === 'number') return `${place}[${step}]`;
    return place === '' ? String(step) : `${place}.${String(step)}`;
  }, '');
  return text || 'body';
}

function lengthOf(value: unknown, key: string): number {
  const list = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  return Array.isArray(list) ? list.length : 0;
}
