import { codeFacts } from './code.ts';
import { type FileUse, isPath, kindOf, looksLikeFile } from './file-use.ts';
import { hasPatch, patchUses } from './patch.ts';
import {
  add,
  addAll,
  addOutput,
  inFolder,
  type Lines,
  type Program,
  type Session,
  type Word,
} from './shell-session.ts';
import type { ShellCommand } from './shell-words.ts';

/** The words that are not options; `valued` are options whose value is the next word. */
function operandsOf(words: readonly Word[], valued = /^$/): Word[] {
  const operands: Word[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i];
    if (word === '--') return [...operands, ...words.slice(i + 1)];
    if (word === undefined || !/^-./.test(word)) operands.push(word);
    else if (valued.test(word)) i++;
  }
  return operands;
}

/** The value of an option in all its forms: `-n 5`, `-n5`, `--lines 5`, `--lines=5`. */
function optionOf(words: readonly Word[], short: string, long: string): string | undefined {
  for (let i = 0; i < words.length; i++) {
    const word = words[i];
    if (word === short || word === long) return words[i + 1];
    if (word?.startsWith(`${long}=`)) return word.slice(long.length + 1);
    if (short !== '' && word?.startsWith(short) && !word.startsWith('--')) return word.slice(short.length);
  }
  return undefined;
}

/** Lines of what the pipe reads, or of files of its own. */
function readLines(files: readonly Word[], ranges: readonly Lines[], command: ShellCommand, session: Session): void {
  const own = command.from === undefined ? files : [...files, command.from];
  addAll(session, own, 'read', ranges);
  if (own.length > 0) session.reads++;
  const read = session.uses.slice(session.pipe);
  if (own.length > 0 || !command.piped || ranges.length === 0) return;
  if (read.some(({ use, lines }) => use !== 'read' || lines)) return;
  session.uses.length = session.pipe;
  for (const use of read) for (const lines of ranges) session.uses.push({ ...use, lines });
}

/** A program that shows only what matches: what the pipe read was searched. */
function search(files: readonly Word[], command: ShellCommand, session: Session): undefined {
  for (let i = command.piped ? session.pipe : session.uses.length; i < session.uses.length; i++) {
    const { lines, ...use } = session.uses[i] as FileUse;
    if (use.use === 'read') session.uses[i] = { ...use, use: 'search' };
  }
  if (!command.piped || session.reads > session.readsBefore) session.searched = true;
  if (command.piped) session.reads = session.readsBefore;
  addAll(
    session,
    files.filter((file) => file !== undefined && looksLikeFile(file)),
    'search',
  );
}

const show: Program = (words, command, session) => {
  const range = optionOf(words, '-r', '--line-range');
  const [, from, to] = /^(\d{1,9}):(\d{1,9})?$/.exec(range ?? '') ?? [];
  const ranges: Lines[] = from === undefined ? [] : [to === undefined ? [Number(from)] : [Number(from), Number(to)]];
  readLines(operandsOf(words, /^(?:-[bfrl]|--line-range|--language)$/), ranges, command, session);
  return undefined;
};

const head: Program = (words, command, session) => {
  const count = Number(
    optionOf(words, '-n', '--lines') ?? words.find((word) => /^-\d+$/.test(word ?? ''))?.slice(1) ?? 10,
  );
  readLines(operandsOf(words, /^-[nc]$/), count > 0 ? [[1, count]] : [], command, session);
  return undefined;
};

const tail: Program = (words, command, session) => {
  const [, from] = /^\+(\d{1,9})$/.exec(optionOf(words, '-n', '--lines') ?? '') ?? [];
  readLines(operandsOf(words, /^-[nc]$/), from === undefined ? [] : [[Number(from)]], command, session);
  return undefined;
};

const sed: Program = (words, command, session) => {
  const isScripted = words.some((word) => /^(?:-\w*e|--expression)$/.test(word ?? ''));
  // The BSD form has an empty word behind `-i`.
  const operands = operandsOf(words, /^(?:-\w*[ef]|--expression|--file)$/).filter((word) => word !== '');
  const script = optionOf(words, '-e', '--expression') ?? (isScripted ? undefined : operands[0]);
  const files = isScripted ? operands : operands.slice(1);
  if (words.some((word) => /^(?:-\w*i(?!\w*[ef]\b)|--in-place)/.test(word ?? ''))) addAll(session, files, 'change');
  else readLines(files, rangesOf(script ?? ''), command, session);
  return undefined;
};

/** The ranges of a script such as `10,60p;80p`; none if it does something else. */
function rangesOf(script: string): Lines[] {
  if (!/^(?:\d{1,9}(?:,(?:\d{1,9}|\$))?(?:p|q|\{p;?\})[;\s]*){1,20}$/.test(script)) return [];
  return [...script.matchAll(/(\d+)(?:,(\d+|\$))?p/g)].map(([, from, to = from]) =>
    to === '$' ? [Number(from)] : [Number(from), Number(to)],
  );
}

const awk: Program = (words, command, session) => {
  const [script = '', ...files] = operandsOf(words, /^-[Fvf]$/);
  const [, from] = /NR\s*(?:>=|==)\s*(\d{1,9})/.exec(script) ?? [];
  const [, to] = /(?:NR\s*<=|,\s*NR\s*==)\s*(\d{1,9})/.exec(script) ?? [];
  if (from === undefined && to === undefined) return search(files, command, session);
  readLines(files, [to === undefined ? [Number(from)] : [Number(from ?? 1), Number(to)]], command, session);
  return undefined;
};

const GREP_VALUED =
  /^(?:-[efABCmgtTdD]|--(?:regexp|file|glob|type|type-not|iglob|max-count|context|after-context|before-context|include|exclude|max-depth))$/;

const grep: Program = (words, command, session) => {
  const operands = operandsOf(words, GREP_VALUED);
  const isNamed = words.some((word) => word === '-e' || word === '-f' || word === '--files');
  return search(isNamed ? operands : operands.slice(1), command, session);
};

const list: Program = (_words, command, session) => search([], command, session);
const filter: Program = (words, command, session) => {
  if (!command.piped && !operandsOf(words).some((word) => word !== undefined && looksLikeFile(word))) return 'ran';
  return search(operandsOf(words), command, session);
};
const query: Program = (words, command, session) => search(operandsOf(words).slice(1), command, session);

const shell: Program = (words, command, session) => {
  const at = words.findIndex((word) => /^-\w*c$/.test(word ?? ''));
  const line = at >= 0 ? words[at + 1] : command.given;
  if (line === undefined) return 'ran';
  session.run(line);
  return undefined;
};

const interpreter: Program = (words, command, session) => {
  const at = words.findIndex((word) => /^-(?:c|e|-eval|p)$/.test(word ?? ''));
  const code = at >= 0 ? words[at + 1] : command.given;
  const { uses, commands } = codeFacts(code ?? '');
  for (const use of uses) add(session, use);
  for (const line of commands) session.run(line);
  return commands.length > 0 || kindOf(uses) === 'write' ? undefined : 'ran';
};

/** `perl -pi -e 's/…/…/' file` changes the file. */
const perl: Program = (words, command, session) => {
  if (!words.some((word) => /^-\w*i/.test(word ?? ''))) return interpreter(words, command, session);
  addAll(session, operandsOf(words, /^-\w*e$/), 'change');
  return undefined;
};

const patch: Program = (words, command, session) => {
  const text = [command.given, session.given, ...words].find((one) => one !== undefined && hasPatch(one));
  for (const use of text === undefined ? [] : patchUses(text)) add(session, use);
  return text === undefined ? 'ran' : undefined;
};

const move: Program = (words, _command, session) => {
  const [file, to, ...more] = operandsOf(words);
  if (file !== undefined && to !== undefined && more.length === 0 && isPath(file))
    add(session, { file, use: 'move', to: to.endsWith('/') ? to + file.slice(file.lastIndexOf('/') + 1) : to });
  return undefined;
};

const copy: Program = (words, _command, session) => {
  const [file, to, ...more] = operandsOf(words);
  if (more.length === 0 && file !== undefined && to !== undefined && looksLikeFile(to)) addAll(session, [to], 'create');
  return undefined;
};

const touch: Program = (words, _command, session) => {
  addAll(session, operandsOf(words, /^-[dtr]$/), 'create');
  return undefined;
};

const remove: Program = (words, _command, session) => {
  const files = operandsOf(words).filter((word) => word !== undefined && looksLikeFile(word));
  addAll(session, files, 'delete');
  return files.length > 0 ? undefined : 'ran';
};

const format: Program = (words, _command, session) => {
  const writes = words.some((word) => /^(?:-w|--write|--fix|-i|--in-place)$/.test(word ?? ''));
  if (writes)
    addAll(
      session,
      operandsOf(words).filter((word) => word !== undefined && looksLikeFile(word)),
      'change',
    );
  return 'ran';
};

const tee: Program = (words, _command, session) => {
  const append = words.some((word) => word === '-a' || word === '--append');
  for (const file of operandsOf(words)) if (file !== undefined) addOutput(session, file, append, session.given);
  return undefined;
};

const cd: Program = ([folder = ''], _command, session) => {
  const path = inFolder(session.folder, folder).replace(/\/$/, '');
  // Unknown after an option, a variable or too many steps: relative paths stay as they are.
  session.folder = /^[\w./~@ +-]{1,400}$/.test(path) && !folder.startsWith('-') ? path : '';
  return undefined;
};

const git: Program = (words, command, session) => {
  let at = 0;
  while (words[at] === '-C' || words[at] === '-c' || words[at]?.startsWith('--'))
    at += /^-[Cc]$/.test(words[at] ?? '') ? 2 : 1;
  const [name = '', ...rest] = words.slice(at);
  const behind = rest.indexOf('--');
  const paths = (behind >= 0 ? rest.slice(behind + 1) : rest).filter(
    (word) => word !== undefined && looksLikeFile(word),
  );
  const shown = rest.flatMap((word) => /^[^:\s-][^:\s]{0,200}:([^:\s]+)$/.exec(word ?? '')?.[1] ?? []);
  if (name === 'grep') return grep(rest, command, session);
  if (name === 'ls-files') return search([], command, session);
  if (name === 'apply') return patch(rest, command, session);
  if (name === 'mv') return move(rest, command, session);
  if (name === 'rm') return remove(rest, command, session);
  if (name === 'show' && shown.length > 0) addAll(session, shown, 'read');
  else if (
    /^(?:show|diff|blame|log)$/.test(name) &&
    paths.length > 0 &&
    !rest.some((word) => /^--(?:stat|name-|oneline|check)/.test(word ?? ''))
  )
    addAll(session, paths, 'read', name === 'blame' ? blamed(rest) : []);
  else if (/^(?:checkout|restore)$/.test(name) && paths.length > 0) addAll(session, paths, 'change');
  else return 'ran';
  return undefined;
};

function blamed(words: readonly Word[]): Lines[] {
  const [, from, to] = /^(\d{1,9}),(\d{1,9})$/.exec(optionOf(words, '-L', '--lines') ?? '') ?? [];
  return from === undefined ? [] : [[Number(from), Number(to)]];
}

/** Programs whose effect on files is known, by name. */
export const PROGRAMS: Readonly<Record<string, Program>> = {
  ...named('cat nl bat batcat less more tac', show),
  ...named('grep egrep fgrep rg ag ack ugrep', grep),
  ...named('find ls fd fdfind tree', list),
  ...named('wc sort uniq cut tr column diff cmp md5sum sha256sum', filter),
  ...named('jq yq', query),
  ...named('bash sh zsh dash fish eval', shell),
  ...named('python python3 node bun deno', interpreter),
  ...named('apply_patch applypatch patch', patch),
  ...named('gofmt goimports prettier biome eslint ruff clang-format', format),
  ...named('perl ruby', perl),
  ...{ head, tail, sed, awk, gawk: awk, mv: move, cp: copy, rm: remove, tee, cd, pushd: cd, git, touch },
};

function named(names: string, program: Program): Record<string, Program> {
  return Object.fromEntries(names.split(' ').map((name) => [name, program]));
}
