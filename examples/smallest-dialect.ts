import { defineDialect } from 'holdfast/dialects';

/** A message of a format of your own. */
export interface Said {
  readonly by: 'system' | 'user' | 'model' | 'tools';
  readonly text: string;
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly input: object }[];
  readonly answers?: readonly { readonly id: string; readonly output: string }[];
}

const ROLES = { system: 'system', user: 'user', model: 'assistant', tools: 'tool' } as const;

export const smallest = defineDialect<Said>({
  name: 'smallest',
  read: ({ by, calls = [], answers = [] }) => ({
    role: ROLES[by],
    calls,
    results: answers.map(({ id, output }) => ({ id, content: output, error: false })),
  }),
  text: ({ text }) => text,
  maskText: (message, text) => ({ ...message, text }),
  maskResults: (message, texts) => ({
    ...message,
    answers: (message.answers ?? []).map((one, i) => ({ ...one, output: texts.get(i) ?? one.output })),
  }),
  note: (role, text) => ({ by: role === 'user' ? 'user' : 'model', text }),
  answer: (calls, text) => [{ by: 'tools', text: '', answers: calls.map(({ id }) => ({ id, output: text })) }],
});
