import { isRecord } from '../json/record.ts';
import { type FileUse, looksLikeFile, MOST_USES } from './file-use.ts';
import { hasPatch, patchUses, withoutEmpty } from './patch.ts';

/** What a tool's name, or a word such as `command: "view"`, says that it does. */
export interface Verbs {
  readonly reads: boolean;
  readonly searches: boolean;
  readonly writes: boolean;
  readonly creates: boolean;
  readonly deletes: boolean;
  readonly moves: boolean;
}

type Input = Readonly<Record<string, unknown>>;

const READS = verb('read|view|open|cat|show|get_file');
const SEARCHES = verb('grep|glob|search|find|list|ls|tree|dir|rg');
const CREATES = verb('create|write|save|overwrite');
const WRITES = verb('create|write|save|overwrite|edit|patch|replace|insert|append|update|modify|push|multiedit');
const DELETES = verb('delete|remove|rm|unlink');
const MOVES = verb('move|rename|mv');

function verb(words: string): RegExp {
  return new RegExp(`(?:^|_)(?:${words})(?:er|or|s|file|files)?(?=_|$)`);
}

/** Reads verbs from a tool's name in any style: `read_file`, `ReadFile`, `fs.read-file`, `mcp__fs__readFile`. */
export function verbsOf(name: string): Verbs {
  const words = snake(name.slice(0, 200));
  const [reads, searches, writes, creates] = [READS, SEARCHES, WRITES, CREATES].map((one) => one.test(words));
  return { reads, searches, writes, creates, deletes: DELETES.test(words), moves: MOVES.test(words) } as Verbs;
}

function snake(name: string): string {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z\d]+/g, '_')
    .toLowerCase();
}

const FILE =
  /^(?!(?:dir|directory|folder|root|base|work|working|repo|project)_)(?:\w+_)?(?:path|file|filename|file_name|filepath)$/;
const FILES = /^(?:\w+_)?(?:paths|files|filenames|file_names)$/;
const LINK = /^(?:\w+_)?(?:url|uri|link|href)$/;
const PATCH = /^(?:patch|diff|patch_text|input|unified_diff)$/;
const REPLACED = /^(?:(?:old|original|target)_(?:str|string|text|source|content|code))$/;
/** An old text only if a new one comes with it. */
const SOUGHT_TEXT = /^(?:search|find)$/;
const PUT =
  /^(?:new_(?:str|string|text|source|content|code)|replace(?:ment)?(?:_text|_with|_content)?|insert_text|file_text|file_content|code_edit|code_content|cell_source)$/;
/** Texts for a file only if the call names one. */
const CONTENT = /^(?:contents?|text|code|body|data)$/;
const PLACED = /^(?:insert_|(?:start|end)_?line|cell_)/;
const SOUGHT = /^(?:pattern|regex|glob|query|search_string|include_pattern)$/;

/** An object of a call's arguments, sorted by what its keys say. */
interface Fields {
  readonly files: string[];
  readonly put: string[];
  readonly content: string[];
  readonly replaced: string[];
  readonly patches: string[];
  readonly parts: Input[];
  soughtText?: string;
  placed: boolean;
  sought: boolean;
}

/** What a call's arguments say of files. */
interface ArgumentFacts {
  readonly uses: readonly FileUse[];
  /** Also folders. */
  readonly files: readonly string[];
  /** Whether there are texts to put somewhere. */
  readonly writes: boolean;
}

/** What the arguments of a call that runs no command say of files: by the names of keys, in any style. Pure. */
export function argumentUses(verbs: Verbs, input: Input): ArgumentFacts {
  const fields = sortFields(input);
  const { put, content, files } = fields;
  const uses = fieldUses(verbs, fields, input, undefined, 0).slice(0, MOST_USES);
  return { uses, files, writes: put.length > 0 || (content.length > 0 && verbs.writes && !verbs.creates) };
}

function fieldUses(
  verbs: Verbs,
  fields: Fields,
  input: Input,
  inherited: string | undefined,
  depth: number,
): FileUse[] {
  const { files, put, replaced, patches, parts } = fields;
  const [file = inherited] = files;
  const patched = patches.flatMap((patch) => patchUses(patch, file));
  if (patched.length > 0) return patched;
  // A list of edits, or of files with texts or ranges of their own.
  const nested = depth < 2 ? parts.flatMap((part) => fieldUses(verbs, sortFields(part), part, file, depth + 1)) : [];
  if (nested.length > 0) return nested;
  if (file === undefined) return [];
  if (/^https?:/.test(file)) return verbs.writes || verbs.deletes ? [] : [{ file, use: 'read' }];
  const isContent = verbs.writes || (depth === 0 && !verbs.searches);
  const content = put.length > 0 || !isContent ? put : fields.content;
  if (content.length > 0 || replaced.some((text) => text !== '')) {
    const whole = replaced.every((text) => text === '') && !fields.placed && (replaced.length > 0 || isWhole(verbs));
    return [withoutEmpty({ file, use: whole ? 'create' : 'change', put: content, replaced })];
  }
  // A list of findings names files that the call neither reads nor writes.
  if (depth > 0 && (files.length === 0 || !(verbs.reads || verbs.writes || verbs.deletes))) return [];
  const [, to] = files;
  if (verbs.moves && to !== undefined) return [{ file, use: 'move', to }];
  const use = useOf(verbs, fields.sought);
  const lines = use === 'read' ? linesOf(input) : undefined;
  return files
    .filter((one) => use !== 'search' || looksLikeFile(one))
    .map((one) => (lines ? { file: one, use, lines } : { file: one, use }));
}

/** Whether a text without an old one is the whole file. */
function isWhole({ writes, creates }: Verbs): boolean {
  return creates || !writes;
}

function useOf(verbs: Verbs, sought: boolean): FileUse['use'] {
  if (verbs.deletes) return 'delete';
  if (verbs.creates) return 'create';
  if (verbs.writes) return 'change';
  return verbs.searches || (sought && !verbs.reads) ? 'search' : 'read';
}

function sortFields(input: Input): Fields {
  const fields: Fields = {
    files: [],
    put: [],
    content: [],
    replaced: [],
    patches: [],
    parts: [],
    placed: false,
    sought: false,
  };
  for (const name in input) {
    const value = input[name];
    const key = snake(name.slice(0, 100));
    if (PLACED.test(key)) fields.placed = true;
    if (typeof value === 'string') sortText(fields, key, value);
    else if (Array.isArray(value)) {
      const isFiles = FILES.test(key);
      for (const item of value.slice(0, MOST_USES)) {
        if (isRecord(item)) fields.parts.push(item);
        else if (isFiles && typeof item === 'string' && isName(item)) fields.files.push(item);
      }
    }
  }
  if (fields.put.length > 0 && fields.soughtText !== undefined) fields.replaced.push(fields.soughtText);
  return fields;
}

function sortText(fields: Fields, key: string, value: string): void {
  if (FILE.test(key) || (/^(?:source|destination)$/.test(key) && looksLikeFile(value))) {
    if (isName(value)) fields.files.push(value.replace(/^file:\/\//, ''));
  } else if (LINK.test(key)) {
    if (/^(?:https?|file):\/\//.test(value) && isName(value)) fields.files.push(withoutFragment(value));
  } else if (PATCH.test(key) && hasPatch(value)) fields.patches.push(value);
  else if (REPLACED.test(key)) fields.replaced.push(value);
  else if (SOUGHT_TEXT.test(key)) fields.soughtText = value;
  else if (PUT.test(key)) fields.put.push(value);
  else if (CONTENT.test(key)) fields.content.push(value);
  else if (SOUGHT.test(key)) fields.sought = true;
}

function isName(value: string): boolean {
  return value !== '' && value.length <= 1000 && !/[\n\r\0]/.test(value);
}

/** A page's address as it is compared: without the place in the page and without the last slash. */
export function withoutFragment(url: string): string {
  return url
    .replace(/^file:\/\//, '')
    .replace(/#.*$/, '')
    .replace(/\/$/, '');
}

const FROM = /^(?:(?:start|first|from|begin)_line|line_(?:start|from)|offset)(?:_|$)/;
const TO = /^(?:(?:end|last|to)_line|line_(?:end|to))(?:_|$)/;
const RANGE = /^(?:view|line|read|lines)_?range$|^lines$/;

/** The lines that a read asks for. */
function linesOf(input: Input): FileUse['lines'] {
  let from: number | undefined;
  let to: number | undefined;
  let limit: number | undefined;
  for (const name in input) {
    const value = input[name];
    const key = snake(name.slice(0, 100));
    const number =
      typeof value === 'number'
        ? value
        : typeof value === 'string' && /^\d{1,9}$/.test(value)
          ? Number(value)
          : undefined;
    if (number !== undefined) {
      const line = number + (key.endsWith('base_zero') ? 1 : 0);
      if (FROM.test(key)) from = line;
      else if (TO.test(key)) to = line;
      else if (key === 'limit') limit = line;
    } else if (RANGE.test(key)) [from, to] = rangeOf(value);
  }
  if (from === undefined && limit === undefined && to === undefined) return undefined;
  const first = Math.max(1, from ?? 1);
  const last = limit === undefined ? to : first + limit - 1;
  return last === undefined || last < first ? [first] : [first, last];
}

function rangeOf(value: unknown): readonly (number | undefined)[] {
  const pair = typeof value === 'string' ? (/^(\d{1,9})\s*[-:,]\s*(\d{1,9})$/.exec(value)?.slice(1) ?? []) : value;
  if (!Array.isArray(pair) || pair.length < 2) return [];
  const [from, to] = pair.map(Number);
  return Number.isFinite(from) && Number.isFinite(to) ? [from, to] : [];
}
