import { type CrewExecutor, travelInSession } from '@holdfast/crew';
import { createInspector, type Inspector, type SessionOwner } from '@holdfast/inspector';
import type { CrewSetup } from '@holdfast/inspector/api';
import type { SessionStore } from '@holdfast/sessions';
import { HoldfastError } from 'holdfast';
import { modelLookup } from '../ui/model-lookup.ts';
import { version } from '../version.ts';
import type { Runs } from './runs.ts';

export interface InspectSetup {
  readonly executor: Pick<CrewExecutor, 'crew' | 'max_messages_per_request'>;
  readonly store: SessionStore;
  readonly storeName?: string;
  readonly runs: Pick<Runs, 'isBusy' | 'exclusively' | 'isOwn'>;
  readonly token: string;
  /** True if only the token protects the server: it may be behind another. */
  readonly anyHost: boolean;
  readonly log: (line: string) => void;
}

/** The inspector of a server: it shows the crew, and can undo and redo folds of the sessions that ran here. */
export function serveInspector(setup: InspectSetup): Inspector {
  const { executor, store, storeName, runs, token, anyHost, log } = setup;
  return createInspector({
    store,
    ...(storeName === undefined ? {} : { storeName }),
    host: 'serve',
    version: version(),
    token,
    anyHost,
    models: modelLookup(),
    crew: crewSetup(executor),
    owner: ownerOf(store, runs),
    log,
  });
}

function ownerOf(store: SessionStore, runs: InspectSetup['runs']): SessionOwner {
  const whyNot: SessionOwner['whyNot'] = (session) => {
    if (!runs.isOwn(session)) return 'the session has not run in this server: undo and redo folds where it runs';
    return runs.isBusy(session) ? 'a request is running in the session: wait for it to end' : undefined;
  };
  const travel = async (session: string, way: 'undo' | 'redo') => {
    const why = whyNot(session);
    if (why !== undefined) throw new HoldfastError('STORE_CONFLICT', why, { session });
    return await runs.exclusively(session, () => travelInSession(store, session, way));
  };
  return {
    whyNot,
    isAtWork: (session) => runs.isBusy(session),
    undo: (session) => travel(session, 'undo'),
    redo: (session) => travel(session, 'redo'),
  };
}

/** A crew as its file says, for the page. Pure. */
function crewSetup({ crew, max_messages_per_request }: InspectSetup['executor']): CrewSetup {
  const { entry, agents, groups, conversation } = crew;
  return {
    entry,
    agents: Object.entries(agents).map(([name, agent]) => {
      const { about, model, terminal, pause, hand_offs, signals, next } = agent;
      const { max_tokens = conversation.max_tokens ?? 0 } = agent.conversation;
      const messages = agent.max_messages_per_request ?? max_messages_per_request;
      return {
        name,
        ...(about === undefined ? {} : { about }),
        ...(model === undefined ? {} : { model }),
        terminal,
        pause,
        to: [...new Set([...hand_offs, ...Object.values(signals), ...(next === undefined ? [] : [next])])],
        budget: { messages, ...(max_tokens > 0 ? { tokens: max_tokens } : {}) },
      };
    }),
    groups: Object.entries(groups).map(([name, group]) => ({ name, agents: group.agents })),
  };
}
