import { appendFileSync } from 'node:fs';
import { sqlite } from '@holdfast/sessions';
import { holdfast } from '../src/opencode/index.ts';

/** What the tests pass to the plugin, which runs inside opencode. */
export interface PluginSetup {
  readonly max_tokens: number;
  readonly recall: boolean;
  readonly database?: string;
  /** Gets one line for each event. */
  readonly events: string;
  /** Answers with the file that it is asked for. */
  readonly files: string;
  /** Behind each file, in base64. */
  readonly picture?: string;
}

const { database, events, files, picture, ...options }: PluginSetup = JSON.parse(process.env.HOLDFAST_TEST ?? '{}');

export const Holdfast = holdfast({
  ...options,
  ...(database === undefined ? {} : { store: sqlite(database) }),
  onEvent: (event) => appendFileSync(events, `${JSON.stringify(event)}\n`),
});

export const ReadFile = async () => ({
  tool: {
    read_file: {
      description: 'Reads a file.',
      args: { path: { type: 'string' } },
      async execute({ path }: { path: string }) {
        const response = await fetch(`${files}/${path}`);
        const output = await response.text();
        if (!response.ok) throw new Error(output);
        const file = { type: 'file', mime: 'image/png', url: `data:image/png;base64,${picture}` };
        return { output, attachments: picture === undefined ? [] : [file] };
      },
    },
  },
});
