import { MAX_CONTENT_CHARS } from '@holdfast/crew';
import { z } from '@hono/zod-openapi';

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Limits of a request. No measurement supports the numbers; they are far above what people write. */
export const INPUT_LIMITS = {
  maxInputChars: 32_000,
  maxHistory: 1_000,
  maxContentChars: MAX_CONTENT_CHARS,
  /** Of a whole body: a full history with 32,000 bytes in each message. */
  maxBytes: 32_000_000,
  maxDepth: 20,
  /** Strings, numbers, lists and objects in a whole body: 100 per message. */
  maxValues: 100_000,
};
export type InputLimits = Readonly<typeof INPUT_LIMITS>;

// APIs refuse unpaired surrogates.
const isText = (text: string) => !/\p{Surrogate}/u.test(text);
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;
const isPlain = (text: string) => !CONTROL.test(text);
const isLine = (text: string) => isPlain(text) && !/[\n\r\u0085\u2028\u2029]/.test(text);

/** What the field of a note says about itself, in requests and in results. */
export const CARRIED =
  'What the note of an earlier fold stands for. Send it back as it came; without it, the next note starts anew.';

/** The schemas that check requests, also used for `/openapi.json`. */
export function createSchemas({ maxInputChars, maxHistory, maxContentChars }: InputLimits) {
  const content = z
    .string()
    .max(maxContentChars, `must have at most ${maxContentChars} characters`)
    .refine(isText, 'must be well-formed Unicode')
    .refine((text) => !text.includes('\0'), 'must not contain NUL');
  const name = z.string().regex(NAME, 'must be at most 64 letters, digits, - and _').optional();
  const holdfast = z.unknown().openapi({ description: CARRIED });
  const call = z.strictObject({
    id: z.string().min(1).max(64),
    type: z.literal('function'),
    function: z.strictObject({ name: z.string().regex(NAME), arguments: content }),
  });
  const message = z
    .discriminatedUnion('role', [
      z.strictObject({ role: z.literal('user'), content, name, holdfast: holdfast.optional() }),
      z.strictObject({ role: z.literal('system'), content, name }),
      z
        .strictObject({
          role: z.literal('assistant'),
          content: content.nullable(),
          name,
          tool_calls: z.array(call).min(1).max(maxHistory).optional(),
          holdfast: holdfast.optional(),
        })
        .refine((said) => said.content !== null || said.tool_calls !== undefined, {
          path: ['content'],
          message: 'must be a string if there are no tool_calls',
        }),
      z.strictObject({ role: z.literal('tool'), content, tool_call_id: z.string().min(1).max(64) }),
    ])
    .openapi('Message');
  const session = z
    .string()
    .regex(/^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/, 'must be at most 100 letters, digits, ., _ and -')
    .openapi({ example: 'k3v9' });
  const input = z
    .string()
    .max(maxInputChars, `must have at most ${maxInputChars} characters`)
    .refine((text) => /\S/.test(text), 'must not be blank')
    .refine(isText, 'must be well-formed Unicode')
    .refine(isPlain, 'must not contain control characters');
  const request = z
    .strictObject({
      input: input
        .optional()
        .openapi({ description: 'What the user says. Optional if the session has an interrupted request.' }),
      history: z.array(message).max(maxHistory, `must have at most ${maxHistory} messages`).optional(),
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
        .refine(isText, 'must be well-formed Unicode')
        .refine(isLine, 'must be one line')
        .optional(),
    })
    .openapi('NewSession');
  return { request, message, session, newSession };
}

/** The id of the last event that a client received. */
export const LAST_EVENT_ID = z
  .string()
  .regex(/^[0-9a-f-]{36}:\d{1,9}$/)
  .openapi({ example: '3f0c5a52-5c0e-4b52-8a3e-0d0c6d1f7b11:17' });

/** A whole number in a query, at most `most`. */
export function countUpTo(most: number) {
  return z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .refine((count) => count <= most)
    .openapi({ type: 'integer', minimum: 0, maximum: most });
}

export type Schemas = ReturnType<typeof createSchemas>;
