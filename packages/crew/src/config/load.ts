import { resolve } from 'node:path';
import type { CommandToolConfig } from '@holdfast/agent';
import { problemsError, readConfigFile, readYaml, shownPath } from '@holdfast/agent/config';
import { crewProblems, crewWarnings } from './check.ts';
import type { AgentConfig, CrewConfig, CrewLimits, GroupConfig } from './config.ts';
import { CREW } from './keys.ts';
import { pathText, readShape, type ShapeProblem } from './shape.ts';

type Named<T, Required extends keyof T> = Readonly<Record<string, Pick<T, Required> & Partial<T>>>;

/** A crew as written in code: keys with a default are optional. */
export type CrewInput = Pick<CrewConfig, 'entry'> &
  Partial<Omit<CrewConfig, 'agents' | 'groups' | 'limits' | 'tools'>> & {
    readonly agents: Named<AgentConfig, 'role'>;
    readonly groups?: Named<GroupConfig, 'agents' | 'join'>;
    readonly limits?: Partial<CrewLimits>;
    readonly tools?: Named<CommandToolConfig, 'about' | 'command'>;
  };

/** A crew from a file, with the places of its parts. */
export interface LoadedCrew {
  readonly config: CrewConfig;
  /** What the file says, without defaults. */
  readonly given: unknown;
  readonly file: string;
  /** Probable mistakes that do not stop the crew, one line each with its place. */
  readonly warnings: readonly string[];
  /** `crew.yml:7:5` for a path such as `['agents', 'clerk', 'tools', 0]`, or for the nearest part above it. */
  placeOf(path: readonly PropertyKey[]): string;
}

/** Checks a crew and fills in its defaults. Throws BAD_CONFIG with all problems. Pure. */
export function crewConfig(input: CrewInput | CrewConfig): CrewConfig {
  const [config, wrong] = checked(input);
  if (config && wrong.length === 0) return config;
  throw problemsError(wrong.map((one) => ({ place: 'crew', text: textOf(one) })));
}

/** Reads a crew from YAML. Throws BAD_CONFIG with all problems, one line each with file, line and column. */
export function readCrew(text: string, file: string): LoadedCrew {
  const { value: given, placeOf } = readYaml(text, file, 'agents');
  const [config, wrong] = checked(given);
  const lineOf = (place: string) => Number(place.split(':').at(-2) ?? 0);
  const placed = (all: readonly ShapeProblem[]) =>
    all
      .map((one) => ({ place: placeOf(one.path, one.key), text: textOf(one) }))
      .toSorted((a, b) => lineOf(a.place) - lineOf(b.place));
  if (!config || wrong.length > 0) throw problemsError(placed(wrong));
  const warnings = placed(crewWarnings(config)).map(({ place, text }) => `${place}: ${text}`);
  return { config, given, file, warnings, placeOf };
}

const MISSING = 'pass the path of a crew, or create one with `holdfast init --crew`';

/** Reads a crew from a file. Throws BAD_CONFIG, also if there is no such file. */
export function loadCrew(path: string, cwd: string = process.cwd()): LoadedCrew {
  const file = resolve(cwd, path);
  const name = shownPath(resolve(cwd), file);
  return readCrew(readConfigFile(file, name, MISSING), name);
}

function checked(value: unknown): [CrewConfig | undefined, ShapeProblem[]] {
  const [read, wrong] = readShape(CREW, value);
  if (wrong.length > 0) return [undefined, wrong];
  // Every key was checked, and every required one has a value.
  const config = read as CrewConfig;
  return [config, crewProblems(config)];
}

function textOf({ path, text }: ShapeProblem): string {
  return `${pathText(path)}${text.startsWith(':') ? '' : ' '}${text}`;
}
