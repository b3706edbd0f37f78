import { aboutOf } from '@holdfast/agent/run';
import type { Receipt } from 'holdfast';

/** A change of a file by one call: the lines it took away and added. */
export interface Change {
  readonly path: string;
  readonly removed: string;
  readonly added: string;
}

/** Something that happened in a run. Texts are not escaped or cleaned yet. */
export type Step =
  | { readonly type: 'iteration'; readonly time: number; readonly iteration: number }
  | { readonly type: 'user' | 'assistant'; readonly time: number; readonly text: string }
  | {
      readonly type: 'call';
      readonly time: number;
      readonly name: string;
      readonly about: string;
      readonly change?: Change;
      /** Absent until the call has ended. */
      readonly output?: string;
      readonly failed?: boolean;
      readonly took?: number;
    }
  | { readonly type: 'fold'; readonly time: number; readonly receipt: Receipt }
  | {
      readonly type: 'check';
      readonly time: number;
      readonly command: string;
      readonly passed: boolean;
      readonly output: string;
    }
  | { readonly type: 'end'; readonly time: number; readonly status: string };

export type CallStep = Extract<Step, { type: 'call' }>;

/** The step of a call that has no result yet. Pure. */
export function callStep(time: number, { name, input }: { readonly name: string; readonly input: unknown }): CallStep {
  const change = changeOf(input);
  return { type: 'call', time, name, about: aboutOf(input), ...(change ? { change } : {}) };
}

/** What the input of a writing tool says about its file. */
function changeOf(input: unknown): Change | undefined {
  const { path, content, old_text, new_text } = (input ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof path !== 'string') return undefined;
  if (typeof content === 'string') return { path, removed: '', added: content };
  if (typeof old_text === 'string' && typeof new_text === 'string') return { path, removed: old_text, added: new_text };
  return undefined;
}
