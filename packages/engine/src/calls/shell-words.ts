/** One program of a command line with its words. */
export interface ShellCommand {
  /** As it was written, without the text of a here-document. */
  readonly text: string;
  /** All words, unquoted; a word with an unknown variable, a substitution or a pattern is undefined. */
  readonly words: readonly (string | undefined)[];
  /** Targets of `>` and `>>`. */
  readonly outputs: readonly { readonly file: string; readonly append: boolean }[];
  /** The text of a here-document, or of `<<<`. */
  readonly given?: string;
  /** The file of `<`. */
  readonly from?: string;
  /** Whether it reads what the command before it prints. */
  readonly piped: boolean;
  /** Whether what it prints becomes a word of another command, as in `$(…)`. */
  readonly hidden: boolean;
}

/** Called for each command in order; may set variables, which later words then have. */
type Meet = (command: ShellCommand) => void;

/** Deeper substitutions, and words with more values, are left out. */
const DEPTH = 8;
const MOST_VALUES = 16;
const SPECIAL = /[\s'"\\$`#&|;()<>*?[\]{}~]/g;

/**
 * Reads a command line as a shell would split it: quotes, escapes, comments, here-documents, pipes, redirections, variables
 * that the line itself sets. Not a shell: what it does not understand has no value. Linear; never throws.
 */
export function readCommands(line: string, variables: Map<string, readonly string[]>, meet: Meet): void {
  new Reader(line, variables, meet).commands('', 0);
}

interface Building {
  text: string;
  start: number;
  end: number;
  words: (string | undefined)[];
  outputs: { file: string; append: boolean }[];
  given?: string;
  from?: string;
  piped: boolean;
  hidden: boolean;
}

interface Heredoc {
  readonly end: string;
  readonly tabs: boolean;
  readonly command: Building;
}

class Reader {
  readonly #text: string;
  readonly #variables: Map<string, readonly string[]>;
  readonly #meet: Meet;
  #at = 0;
  #hidden = 0;
  #heredocs: Heredoc[] = [];
  /** Commands whose here-document has not been read yet. */
  #waiting: Building[] = [];

  constructor(text: string, variables: Map<string, readonly string[]>, meet: Meet) {
    this.#text = text;
    this.#variables = variables;
    this.#meet = meet;
  }

  /** Reads commands up to `end`, `)` or the end of the text. */
  commands(end: '' | ')', depth: number): void {
    let command = this.#begin(false);
    const finish = (piped: boolean) => {
      this.#finish(command);
      command = this.#begin(piped);
    };
    while (this.#at < this.#text.length) {
      const character = this.#text.charAt(this.#at);
      if (character === end) break;
      if (character === '\n') {
        this.#at++;
        finish(false);
        this.#readHeredocs();
      } else if (character === ' ' || character === '\t' || character === '\r') this.#at++;
      else if (character === '#') this.#skipLine();
      else if (
        character === '|' ||
        character === ';' ||
        (character === '&' && this.#text.charAt(this.#at + 1) !== '>')
      ) {
        const isPipe = character === '|' && this.#text.charAt(this.#at + 1) !== '|';
        while (this.#at < this.#text.length && '|&;'.includes(this.#text.charAt(this.#at))) this.#at++;
        finish(isPipe);
      } else if (character === '(') {
        finish(false);
        this.#at++;
        this.#inside(depth);
      } else if (character === ')') {
        this.#at++;
        finish(false);
      } else {
        if (command.start < 0) command.start = this.#at;
        if (character === '<' || character === '>' || character === '&') this.#redirect(command, depth);
        else this.#operand(command, depth);
        command.end = this.#at;
      }
    }
    finish(false);
    if (end === '') this.#readHeredocs();
  }

  #begin(piped: boolean): Building {
    return { text: '', start: -1, end: 0, words: [], outputs: [], piped, hidden: this.#hidden > 0 };
  }

  #finish(command: Building): void {
    if (command.words.length === 0 && command.outputs.length === 0) return;
    command.text = this.#text.slice(command.start, command.end);
    // Commands are met in order, also those behind one that waits for its here-document.
    if (this.#heredocs.length > 0 || this.#waiting.length > 0) this.#waiting.push(command);
    else this.#meet(command);
  }

  #readHeredocs(): void {
    for (const { end, tabs, command } of this.#heredocs) {
      const lines: string[] = [];
      while (this.#at < this.#text.length) {
        const line = this.#line();
        if ((tabs ? line.replace(/^\t+/, '') : line).trimEnd() === end) break;
        lines.push(line);
      }
      command.given = lines.join('\n');
    }
    this.#heredocs = [];
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const command of waiting) this.#meet(command);
  }

  #line(): string {
    const from = this.#at;
    this.#skipLine();
    const line = this.#text.slice(from, this.#at);
    this.#at++;
    return line;
  }

  #skipLine(): void {
    const next = this.#text.indexOf('\n', this.#at);
    this.#at = next < 0 ? this.#text.length : next;
  }

  #operand(command: Building, depth: number): void {
    const from = this.#at;
    const values = this.#word(depth);
    // A space that no shell knows, such as a vertical tab, starts no word.
    if (this.#at === from) this.#at++;
    const next = this.#text.charAt(this.#at);
    // `2>` redirects: the digit is not a word.
    if ((next === '>' || next === '<') && /^\d$/.test(this.#text.slice(from, this.#at)))
      this.#redirect(this.#text.charAt(from) === '1' ? command : undefined, depth);
    else command.words.push(...values);
  }

  #redirect(command: Building | undefined, depth: number): void {
    const operator = /[&]?[<>]+[&|(-]?/y;
    operator.lastIndex = this.#at;
    const [sign = ''] = operator.exec(this.#text) ?? [];
    this.#at += Math.max(1, sign.length);
    if (sign.endsWith('(')) {
      // `<(…)`: the commands inside count, the word has no value.
      this.#substitution(depth);
      command?.words.push(undefined);
      return;
    }
    const isHeredoc = sign === '<<' || sign === '<<-';
    if (sign === '>-' || sign === '<-') this.#at--;
    while (/[ \t]/.test(this.#text.charAt(this.#at))) this.#at++;
    const [target] = this.#word(depth);
    if (command === undefined || target === undefined || sign.endsWith('&')) return;
    if (isHeredoc) this.#heredocs.push({ end: target, tabs: sign === '<<-', command });
    else if (sign === '<<<') command.given = target;
    else if (sign.includes('<')) command.from = target;
    else command.outputs.push({ file: target, append: sign.includes('>>') });
  }

  /** The values of the word here: one, several if a variable has several, `[undefined]` if it is not understood. */
  #word(depth: number): (string | undefined)[] {
    let values: string[] | undefined = [''];
    const add = (parts: readonly string[] | undefined) => {
      if (!parts || !values || values.length * parts.length > MOST_VALUES) values = undefined;
      else if (parts.length === 1) values = values.map((value) => value + parts[0]);
      else values = values.flatMap((value) => parts.map((part) => value + part));
    };
    let isQuoted = false;
    while (this.#at < this.#text.length) {
      const character = this.#text.charAt(this.#at);
      if (character === '"') isQuoted = !isQuoted;
      if (character === '"') this.#at++;
      else if (character === '\\') {
        const next = this.#text.charAt(this.#at + 1);
        this.#at += 2;
        if (next !== '\n') add([isQuoted && !'$`"\\'.includes(next) ? `\\${next}` : next]);
      } else if (character === '$' || character === '`') add(this.#expansion(depth, isQuoted));
      else if (isQuoted) add([this.#until(/["\\$`]/g)]);
      else if (character === "'") {
        this.#at++;
        add([this.#until(/'/g)]);
        this.#at++;
      } else if (/[\s&|;()<>]/.test(character)) break;
      else if (/[*?[\]{}]/.test(character)) {
        this.#at++;
        // A pattern names files that nobody sees here; `{}` and `[` are commands or placeholders.
        add(character === '{' || character === '}' || character === '[' || character === ']' ? [character] : undefined);
      } else {
        const from = this.#at++;
        this.#until(SPECIAL);
        add([this.#text.slice(from, this.#at)]);
      }
    }
    return values ?? [undefined];
  }

  /** The text up to a character of the pattern, which is not consumed. */
  #until(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const from = this.#at;
    this.#at = pattern.exec(this.#text)?.index ?? this.#text.length;
    return this.#text.slice(from, this.#at);
  }

  #expansion(depth: number, isQuoted: boolean): readonly string[] | undefined {
    const character = this.#text.charAt(this.#at++);
    if (character === '`') {
      this.#until(/`/g);
      this.#at++;
      return undefined;
    }
    const next = this.#text.charAt(this.#at);
    if (next === '(') {
      this.#at++;
      this.#substitution(depth);
      return undefined;
    }
    if (next === "'" && !isQuoted) {
      this.#at++;
      const text = this.#until(/'/g);
      this.#at++;
      return text.includes('\\') ? undefined : [text];
    }
    const name = /\{(\w{1,80})\}|(\w{1,80})/y;
    name.lastIndex = this.#at;
    const match = name.exec(this.#text);
    if (match) {
      this.#at += match[0].length;
      return this.#variables.get(match[1] ?? match[2] ?? '');
    }
    if (next === '{') {
      this.#until(/[}\n]/g);
      this.#at++;
    }
    return next === '{' || /[@*#?!$-]/.test(next) ? undefined : ['$'];
  }

  #substitution(depth: number): void {
    this.#hidden++;
    this.#inside(depth);
    this.#hidden--;
  }

  /** Reads up to the `)` that closes; the commands inside count like all others. */
  #inside(depth: number): void {
    if (depth >= DEPTH) {
      // Too deep to understand, and so is all that follows.
      this.#at = this.#text.length;
    } else if (this.#text.charAt(this.#at) === '(') {
      // Arithmetic, in which `<<` is not a here-document.
      const end = this.#text.indexOf('))', this.#at);
      this.#at = end < 0 ? this.#text.length : end + 2;
    } else {
      this.commands(')', depth + 1);
      this.#at++;
    }
  }
}
