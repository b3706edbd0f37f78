import { MAX_CONTENT_CHARS } from '@holdfast/crew';
import { z } from '@hono/zod-openapi';

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** How much a request may hold. No measurement supports the numbers; they are far above what people write. */
export interface InputLimits {
  readonly max_input_chars: number;
  readonly max_history: number;
  readonly max_content_chars: number;
  /** Of a whole body: by default a full history with as many bytes in each message as the input may have characters. */
  readonly max_bytes: number;
  readonly max_depth: number;
  /** Of a whole body: texts, numbers, lists and objects. By default 100 for each message. */
  readonly max_values: number;
}

export const INPUT_LIMITS: InputLimits = {
  max_input_chars: 32_000,
  max_history: 1_000,
  max_content_chars: MAX_CONTENT_CHARS,
  max_bytes: 32_000_000,
  max_depth: 20,
  max_values: 100_000,
};

// A lone half of a surrogate pair is no text, and no API takes it.
const isText = (text: string) => !/\p{Surrogate}/u.test(text);
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;
const isPlain = (text: string) => !CONTROL.test(text);
const isLine = (text: string) => isPlain(text) && !/[\n\r\u0085\u2028\u2029]/.test(text);

/** The schemas of all that comes in, for these limits. The same ones make `/openapi.json`. */
export function createSchemas({ max_input_chars, max_history, max_content_chars }: InputLimits) {
  const content = z
    .string()
    .max(max_content_chars, `give at most ${max_content_chars} characters`)
    .refine(isText, 'give well-formed Unicode')
    .refine((text) => !text.includes('\0'), 'give text without NUL');
  const name = z.string().regex(NAME, 'give letters, digits, - and _, 64 at most').optional();
  const call = z.strictObject({
    id: z.string().min(1).max(64),
    type: z.literal('function'),
    function: z.strictObject({ name: z.string().regex(NAME), arguments: content }),
  });
  const message = z
    .discriminatedUnion('role', [
      z.strictObject({ role: z.literal('user'), content, name }),
      z.strictObject({ role: z.literal('system'), content, name }),
      z
        .strictObject({
          role: z.literal('assistant'),
          content: content.nullable(),
          name,
          tool_calls: z.array(call).min(1).max(max_history).optional(),
        })
        .refine((said) => said.content !== null || said.tool_calls !== undefined, {
          path: ['content'],
          message: 'must be a text where there are no tool_calls',
        }),
      z.strictObject({ role: z.literal('tool'), content, tool_call_id: z.string().min(1).max(64) }),
    ])
    .openapi('Message');
  const session = z
    .string()
    .regex(/^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/, 'give letters, digits, ., _ and -, 100 at most')
    .openapi({ example: 'k3v9' });
  const input = z
    .string()
    .max(max_input_chars, `give at most ${max_input_chars} characters`)
    .refine((text) => /\S/.test(text), 'say something')
    .refine(isText, 'give well-formed Unicode')
    .refine(isPlain, 'give text without control characters');
  const request = z
    .strictObject({
      input: input
        .optional()
        .openapi({ description: 'What the user says. May be left out with a session that was cut off.' }),
      history: z.array(message).max(max_history, `give at most ${max_history} messages`).optional(),
      session: session.optional(),
    })
    .openapi('CrewRequest');
  const newSession = z
    .strictObject({
      id: session.optional(),
      title: z
        .string()
        .min(1)
        .max(200)
        .refine(isText, 'give well-formed Unicode')
        .refine(isLine, 'give one line')
        .optional(),
    })
    .openapi('NewSession');
  return { request, message, session, newSession };
}

/** Where a stream was cut off: the id of its last event. */
export const LAST_EVENT_ID = z
  .string()
  .regex(/^[0-9a-f-]{36}:\d{1,9}$/)
  .openapi({ example: '3f0c5a52-5c0e-4b52-8a3e-0d0c6d1f7b11:17' });

/** A whole number of a query, up to `most`. */
export function countUpTo(most: number) {
  return z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .refine((count) => count <= most)
    .openapi({ type: 'integer', minimum: 0, maximum: most });
}

export type Schemas = ReturnType<typeof createSchemas>;
