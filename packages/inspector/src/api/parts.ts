import type { SessionInfo, SessionStore } from '@holdfast/sessions';
import type { Comparisons } from '../compare/comparisons.ts';
import type { ModelLookup } from '../data/call-costs.ts';
import { sessionRow } from '../data/session-row.ts';
import { type Catalogue, createCatalogue } from '../read/catalogue.ts';
import { createIndexes, type Indexes } from '../read/indexes.ts';
import { createRunStatus, type RunStatus } from '../read/run-status.ts';
import { createSpoken, type SpokenSessions } from '../read/spoken.ts';
import { createViews, type Views } from '../read/views.ts';
import type { CrewSetup, SessionRow } from './types.ts';

/** A process that works on live sessions, and can undo and redo their folds. */
export interface SessionOwner {
  /** True while the session is at work in this process. */
  isAtWork(session: string): boolean;
  /** Why a fold cannot be undone or redone here, for people; undefined if it can. */
  whyNot(session: string): string | undefined;
  /** Undoes the newest fold, or redoes the one undone last. False if there is none. */
  undo(session: string): Promise<boolean>;
  redo(session: string): Promise<boolean>;
}

/** Everything that routes over a store share. */
export interface Parts {
  readonly store: SessionStore;
  readonly catalogue: Catalogue;
  readonly indexes: Indexes;
  readonly views: Views;
  readonly spoken: SpokenSessions;
  readonly comparisons: Comparisons;
  readonly models: ModelLookup;
  readonly crew?: CrewSetup;
  readonly owner?: SessionOwner;
  readonly runStatus: RunStatus;
  row(info: SessionInfo): Promise<SessionRow> | SessionRow;
  rows(infos: readonly SessionInfo[]): Promise<SessionRow[]>;
}

export interface PartsOptions
  extends Pick<Parts, 'store' | 'comparisons' | 'crew' | 'owner'>,
    Partial<Pick<Parts, 'models'>> {
  readonly now?: () => number;
  readonly hasLeft?: ((session: string) => boolean) | undefined;
}

export function createParts(options: PartsOptions): Parts {
  const { now = Date.now, models = () => undefined, hasLeft = () => false, ...given } = options;
  const { store, owner } = given;
  const runStatus = createRunStatus(store);
  // A run that has ended is not live, however new its last entry.
  const ifEnded = async (info: SessionInfo, row: SessionRow) =>
    (await runStatus(info)) === 'running' ? row : { ...row, live: false };
  const row = (info: SessionInfo): Promise<SessionRow> | SessionRow => {
    const found = sessionRow(info, now(), owner?.isAtWork(info.id));
    if (found.live && hasLeft(info.id)) return { ...found, live: false };
    return found.live && found.kind === 'run' ? ifEnded(info, found) : found;
  };
  return {
    ...given,
    models,
    catalogue: createCatalogue(store, now),
    indexes: createIndexes(store, models),
    views: createViews(store),
    spoken: createSpoken(store),
    runStatus,
    row,
    rows: (infos) => Promise.all(infos.map(row)),
  };
}
