import { type FileUse, isPath, looksLikeFile } from './file-use.ts';

const OPEN = /^open\s+["']?([^\s"']{1,400})["']?(?:\s+(\d{1,9}))?\s*$/;
const CREATE = /^create\s+["']?([^\s"']{1,400})["']?\s*$/;
const EDIT = /^edit\s+(?:["']?([^\s"':]{1,400})["']?\s+)?\d{1,9}:\d{1,9}\n([\s\S]*?)\n?end_of_edit\s*$/;
const REPLACE = /^(\S{1,400})\n<<<BEFORE_EDIT>>>\n([\s\S]*?)<<<AFTER_EDIT>>>\n([\s\S]*)$/;
const SEARCH = /^(?:search_file|search_dir|find_file)\s+(.{1,400})$/;
const MOVE_IN_FILE = /^(?:goto \d+|scroll_(?:up|down))\s*$/;

/** What a text command for an editor does, as SWE-agent has them; undefined for other texts. An edit may leave its file open. */
export function editorAction(
  text: string,
): { readonly uses: FileUse[]; readonly kind: 'read' | 'write' | 'search' } | undefined {
  const action = text.trim();
  const [, opened, line] = OPEN.exec(action) ?? [];
  if (opened !== undefined && isPath(opened))
    return { kind: 'read', uses: [{ file: opened, use: 'read', ...(line ? { lines: [Number(line)] as const } : {}) }] };
  const [, created] = CREATE.exec(action) ?? [];
  if (created !== undefined && isPath(created)) return { kind: 'write', uses: [{ file: created, use: 'create' }] };
  const [edit, file, put = ''] = EDIT.exec(action) ?? [];
  if (edit !== undefined)
    return { kind: 'write', uses: file === undefined ? [] : [{ file, use: 'change', put: [put] }] };
  const [, changed, old = '', made = ''] = REPLACE.exec(action) ?? [];
  if (changed !== undefined)
    return { kind: 'write', uses: [{ file: changed, use: 'change', put: [made.trim()], replaced: [old.trim()] }] };
  if (MOVE_IN_FILE.test(action)) return { kind: 'read', uses: [] };
  const [, sought] = SEARCH.exec(action) ?? [];
  const last = sought?.trim().split(/\s+/).at(-1);
  if (last === undefined) return undefined;
  return { kind: 'search', uses: looksLikeFile(last) ? [{ file: last, use: 'search' }] : [] };
}
