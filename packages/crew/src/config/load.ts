import { resolve } from 'node:path';
import {
  nodeAt,
  type Parsed,
  type Problem,
  parseYaml,
  problemsError,
  readConfigFile,
  shownPath,
} from '@holdfast/agent/config';
import { isMap, isScalar } from 'yaml';
import { senseless } from './check.ts';
import type { CrewConfig } from './config.ts';
import { CREW } from './keys.ts';
import { pathText, readShape, type Wrong } from './shape.ts';
import { doubtful } from './warnings.ts';

/** A crew as it may be written in code: what has a default may be left out. */
export type CrewInput = Pick<CrewConfig, 'entry'> &
  Partial<Omit<CrewConfig, 'agents' | 'groups' | 'limits' | 'tools'>> & {
    readonly agents: Readonly<
      Record<string, Pick<CrewConfig['agents'][string], 'role'> & Partial<CrewConfig['agents'][string]>>
    >;
    readonly groups?: Readonly<
      Record<string, Pick<CrewConfig['groups'][string], 'agents' | 'join'> & Partial<CrewConfig['groups'][string]>>
    >;
    readonly limits?: Partial<CrewConfig['limits']>;
    readonly tools?: Readonly<
      Record<string, Pick<CrewConfig['tools'][string], 'about' | 'command'> & Partial<CrewConfig['tools'][string]>>
    >;
  };

/** A crew from a file, and where its parts stand there. */
export interface LoadedCrew {
  readonly config: CrewConfig;
  /** What the file says, without defaults. */
  readonly given: unknown;
  readonly file: string;
  /** What works, and is hardly meant, a line each with its place. */
  readonly warnings: readonly string[];
  /** `crew.yml:7:5` for a path such as `['agents', 'clerk', 'tools', 0]`, or for the nearest part above it. */
  placeOf(path: readonly PropertyKey[]): string;
}

/** Checks a crew and fills in its defaults. Throws BAD_CONFIG with all that is wrong. Pure. */
export function crewConfig(input: CrewInput | CrewConfig): CrewConfig {
  const [config, wrong] = checked(input);
  if (config && wrong.length === 0) return config;
  throw problemsError(wrong.map((one) => ({ place: 'crew', text: told(one) })));
}

/** Reads a crew from YAML. Throws BAD_CONFIG with all that is wrong, a line each with file, line and column. */
export function readCrew(text: string, file: string): LoadedCrew {
  const parsed = parseYaml(text, file, 'agents');
  const placeOf = (path: readonly PropertyKey[]) => {
    for (let length = path.length; length > 0; length--) {
      const node = nodeAt(parsed.root ?? null, path.slice(0, length), parsed.document);
      if (node) return parsed.placeOf(node);
    }
    return `${file}:1:1`;
  };
  if (parsed.problems.length > 0) throw problemsError(parsed.problems);
  const given: unknown = parsed.root ? parsed.document.toJS() : {};
  const [config, wrong] = checked(given);
  const placed = (all: readonly Wrong[]) =>
    all
      .map((one): Problem => ({ place: one.key ? keyPlace(parsed, one.path) : placeOf(one.path), text: told(one) }))
      .toSorted((a, b) => lineOf(a) - lineOf(b));
  if (!config || wrong.length > 0) throw problemsError(placed(wrong));
  const warnings = placed(doubtful(config)).map(({ place, text }) => `${place}: ${text}`);
  return { config, given, file, warnings, placeOf };
}

const MISSING = 'give the path of a crew, or write one with `holdfast init --crew`';

/** Reads the crew of a file. Throws BAD_CONFIG, also where there is none. */
export function loadCrew(path: string, cwd: string = process.cwd()): LoadedCrew {
  const file = resolve(cwd, path);
  const name = shownPath(resolve(cwd), file);
  return readCrew(readConfigFile(file, name, MISSING), name);
}

function checked(value: unknown): [CrewConfig | undefined, Wrong[]] {
  const [read, wrong] = readShape(CREW, value);
  if (wrong.length > 0) return [undefined, wrong];
  // Every key was checked by its row, and each that must be there has a value.
  const config = read as CrewConfig;
  return [config, senseless(config)];
}

function keyPlace({ root, document, placeOf }: Parsed, path: readonly PropertyKey[]): string {
  const above = path.slice(0, -1);
  const map = above.length === 0 ? root : nodeAt(root ?? null, above, document);
  const name = String(path.at(-1));
  const pair = isMap(map) ? map.items.find(({ key }) => isScalar(key) && String(key.value) === name) : undefined;
  return placeOf(pair?.key ?? map);
}

function told({ path, text }: Wrong): string {
  return `${pathText(path)}${text.startsWith(':') ? '' : ' '}${text}`;
}

function lineOf({ place }: Problem): number {
  return Number(place.split(':').at(-2) ?? 0);
}
