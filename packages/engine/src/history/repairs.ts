import type { TakenIds } from './taken-ids.ts';

/** One repair: the index of the message in the input (-1: all), the rule, and what was done. */
export interface Repair {
  readonly index: number;
  readonly rule: string;
  readonly done: string;
}

/** A repaired history with everything that was done to it. */
export interface Repaired<M> {
  readonly messages: readonly M[];
  readonly repairs: readonly Repair[];
}

/** Ids of the calls in the first messages of a repaired history. Read only when results without calls turn up. */
interface MadeCalls {
  readonly ids: Set<string>;
  read: number;
}

/** The last repair. It keeps the caller's messages, because a later repair may reach back to any of them. */
export interface RepairMemo<M> extends Repaired<M> {
  readonly dialect: string;
  readonly input: readonly M[];
  /** Indexes in the repaired history that a repair changed. */
  readonly places: readonly number[];
  readonly used: TakenIds;
  /** It ends with the user, and no server tool is running: later messages can change it only by answering a call. */
  readonly closed: boolean;
  readonly made: MadeCalls;
  /** The first of the places that differs from the previous repair. */
  readonly edited?: number;
}

/** Repairs that were not reported before. */
export function newRepairs<M>(before: RepairMemo<M> | undefined, now: RepairMemo<M> | undefined): readonly Repair[] {
  if (!now || now.repairs === before?.repairs) return [];
  // A repair of a history that only grew.
  const { length = 0 } = before?.repairs ?? [];
  if (length > 0 && now.repairs[length - 1] === before?.repairs[length - 1]) return now.repairs.slice(length);
  const known = new Set(before?.repairs.map(({ index, rule }) => `${index} ${rule}`));
  return now.repairs.filter(({ index, rule }) => !known.has(`${index} ${rule}`));
}

/** The first of these ascending indexes that is at least `least`. Searches from the end, where the new ones are. */
export function firstPlace(places: readonly number[], least: number): number | undefined {
  let at = places.length;
  while (at > 0 && Number(places[at - 1]) >= least) at--;
  return places[at];
}
