import type { Output, Workspace } from './workspace.ts';

/** A tool call and its result. */
export interface ToolUse extends Output {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** One step of a session: the user asks, the agent works with tools, or it answers in words. */
export type Step =
  | { readonly type: 'request'; readonly text: string }
  | { readonly type: 'answer'; readonly text: string }
  | {
      readonly type: 'work';
      readonly text?: string;
      readonly uses: readonly ToolUse[];
      /** What the user adds while the tools run. */
      readonly interjection?: string;
    };

/** An item of the agent's to-do list. */
export interface Todo {
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
}

/** The agent's tools on this workspace, as calls with their results. */
export function createTools(workspace: Workspace) {
  return {
    list: (): ToolUse => ({ name: 'list_files', input: { path: '.' }, ...workspace.list() }),
    read: (path: string, offset?: number, limit?: number): ToolUse => ({
      name: 'read_file',
      input: { path, ...(offset === undefined ? {} : { offset, limit }) },
      ...workspace.read(path, offset, limit),
    }),
    grep: (pattern: string): ToolUse => ({ name: 'grep', input: { pattern }, ...workspace.grep(pattern) }),
    edit: (path: string, oldString: string, newString: string): ToolUse => ({
      name: 'edit_file',
      input: { path, old_string: oldString, new_string: newString },
      ...workspace.edit(path, oldString, newString),
    }),
    test: (path?: string): ToolUse => ({
      name: 'bash',
      input: { command: path === undefined ? 'npx vitest run' : `npx vitest run ${path}` },
      ...workspace.runTests(path),
    }),
    types: (): ToolUse => ({ name: 'bash', input: { command: 'npx tsc --noEmit' }, ...workspace.checkTypes() }),
    commit: (hash: string, subject: string): ToolUse => ({
      name: 'bash',
      input: { command: `git commit -am '${subject}'` },
      ...workspace.commit(hash, subject),
    }),
    todo: (contents: readonly string[], done: number): ToolUse => {
      const todos = contents.map((content, i): Todo => {
        return { content, status: i < done ? 'completed' : i === done ? 'in_progress' : 'pending' };
      });
      return { name: 'todo_write', input: { todos }, output: `${done} of ${todos.length} done` };
    },
  };
}

export type Tools = ReturnType<typeof createTools>;

/** A step that makes these calls in parallel. */
export function work(text: string | undefined, ...uses: readonly ToolUse[]): Step {
  return text === undefined ? { type: 'work', uses } : { type: 'work', text, uses };
}
