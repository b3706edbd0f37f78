import type { Answer, Prompt } from '../script.ts';
import type { Intent } from './coding-plan.ts';
import { callFor } from './tool-input.ts';

/** What the script says in the first steps of a task that edits, and needs again at the end. */
export const EARLY: readonly string[] = [
  'I decided to mark lines with a comment instead of rewriting them, because a comment is easy to take back.',
  'Rule for the rest of this task: never mark the same line twice.',
];

export type Edit = Extract<Intent, { readonly kind: 'edit' }>;

/** The files in a note, with the messages that changed each: `"src/a.ts": changed m9, m7; read m3`. */
const CHANGED = /^"([^"]+)": changed ((?:m[\d.~]+(?:, )?)+)/gm;

/**
 * Shows at the end of a task what the view still knows: looks in it for what was said early, and recalls the oldest of these
 * edits of which it has only the handle. Returns the call, then what it found; undefined if nothing has left the view, or no
 * tool recalls.
 */
export function memoryCheck({ messages, tools, results }: Prompt, edits: readonly Edit[], task: string) {
  const recalls = messages.flatMap(({ calls }) => calls).filter(({ id }) => id.startsWith(`recall_${task}`));
  const result = results.find(({ id }) => recalls.some((call) => call.id === id));
  const view = messages.map(({ text }) => text).join('\n');
  const changes = [...view.matchAll(CHANGED)].flatMap(([, path = '', handles = '']) =>
    edits.some((edit) => edit.path === path) ? handles.split(', ').map((handle) => ({ path, handle })) : [],
  );
  const [oldest] = changes.sort(
    (a, b) => Number.parseInt(a.handle.slice(1), 10) - Number.parseInt(b.handle.slice(1), 10),
  );
  if (!oldest || !tools.some(({ name }) => name === 'recall')) return undefined;
  const { path, handle } = oldest;
  if (result)
    return found(
      view,
      result.text,
      edits.filter((edit) => edit.path === path),
      handle,
    );
  const call = { id: `recall_${task}_${recalls.length}`, ...callFor({ kind: 'recall', handle }, tools) };
  return {
    text: `What was the oldest line that I changed in ${path}? The view has only its handle: ${handle}.`,
    calls: [call],
  };
}

function found(view: string, recalled: string, edits: readonly Edit[], handle: string): Answer {
  const said = EARLY.map((words) => `${view.includes(words) ? 'Still in the view' : 'Not in the view'}: "${words}"`);
  // Calls are recalled as JSON, in which the line is part of a string.
  const edit = edits.find(({ old }) => recalled.includes(JSON.stringify(old).slice(1, -1)));
  const line = edit ? `${edit.path} had "${edit.old.trim()}"` : 'nothing that this task changed';
  return { text: [...said, `Recalled by ${handle}, word for word: ${line}`].join('\n') };
}
