/**
 * The JSON of the inspector's API, all of it below `/inspect/api`. Every field is plain data. Texts come from users, models and
 * tools: show them as text, never as HTML. Times are milliseconds since 1970, tokens and counts whole numbers, costs dollars.
 * An optional field is absent if it is unknown or does not apply; no field is ever null.
 */

/** What writes a session. */
export type Kind = 'chat' | 'run' | 'crew' | 'proxy' | 'integration';

/** What a refused request gets, with a status of 400 or more. `detail` is a sentence for a person that says what to do. */
export interface Problem {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
}

/** `GET info`: what this server is and allows. */
export interface ServerInfo {
  readonly version: string;
  /** The command that serves it: its routes beyond this API differ. */
  readonly host: 'ui' | 'serve' | 'proxy';
  /** Where sessions are kept, for people: a path, or a database without its password. Absent if there is none. */
  readonly store?: string;
  /** Why there are no sessions to show, for people, such as `--no-store`. */
  readonly noStore?: string;
  /** True if this server accepts requests that change something: undo and redo. */
  readonly canChange: boolean;
  /** Names for `CompareSide.policy`. */
  readonly policies: readonly string[];
  /** The crew that this server runs, if it is `serve`. Talk to it over the routes of `holdfast serve`. */
  readonly crew?: CrewSetup;
}

/** A session in a list. */
export interface SessionRow {
  readonly id: string;
  /** The user's first words or a given title; may be empty. */
  readonly title: string;
  readonly kind: Kind;
  readonly provider?: string;
  readonly model?: string;
  readonly created: number;
  readonly updated: number;
  /** The number of its last entry: it changes with everything that is written. */
  readonly last: number;
  readonly messages: number;
  /** Folds in effect. */
  readonly folds: number;
  /** Tokens of all requests, input and output. */
  readonly tokens: number;
  readonly cost: number;
  /** True if it was written to within the last two minutes and is no run that ended, or is at work in this process. */
  readonly live: boolean;
  /** For a run: `running`, `completed`, `blocked`, `stopped`, `failed` or `cancelled`. Only a running one is live. */
  readonly status?: string;
  /** With `query`: the passages that match best; empty if only its title or id matches. */
  readonly hits?: readonly SearchHit[];
}

/** The order of a list, best first. */
export type SessionSort = 'updated' | 'created' | 'cost' | 'tokens' | 'folds' | 'messages';

/**
 * `GET sessions?query=&kind=&model=&cost=&folds=&days=&sort=&cursor=&limit=`: a page of sessions. `query`: words, found in
 * messages, titles and ids (then the best match comes first and there is one page). `cost`, `folds`: at least so many dollars and
 * folds. `days`: active in the last so many days. `limit`: 50 by default, at most 200. Live sessions come first. `facets=1`: also
 * what there is to filter by.
 */
export interface SessionList {
  readonly sessions: readonly SessionRow[];
  /** Pass it as `cursor` for the next page; absent at the end. */
  readonly next?: string;
  /** With `facets=1`: models and kinds of all sessions of the store, for filters; at most 100 models. */
  readonly models?: readonly string[];
  readonly kinds?: readonly Kind[];
  /** With `facets=1`: how many sessions match in all, and what they cost together. */
  readonly total?: number;
  readonly cost?: number;
}

/** Tokens as the provider billed them. The prompt is `input + cacheRead + cacheWrite`. */
export interface Tokens {
  /** Neither read from a cache nor written to one. */
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
}

/** What was paid, next to the same calls with the whole history in each. */
export interface Costs {
  /** Absent if the price of any call is unknown. */
  readonly spent?: number;
  /** As the provider's cache would see it. Absent if a price or the size of the history is unknown for any call. */
  readonly everything?: number;
}

/** `GET sessions/:id`: the head of a session. */
export interface SessionDetail extends SessionRow {
  readonly dialect?: string;
  /** Tokens of a prompt above which the view folds, at the newest call that says it. */
  readonly budget?: number;
  /** The same for messages. */
  readonly budgetMessages?: number;
  /** The folder of a chat or the workspace of a run. */
  readonly folder?: string;
  /** Positions in the history of pinned messages. */
  readonly pins: readonly number[];
  readonly calls: number;
  readonly totals: Tokens;
  readonly costs: Costs;
  /** Of the newest call: tokens of the whole history and of the view that was sent. */
  readonly historyTokens?: number;
  readonly viewTokens?: number;
  /** Of the newest call: messages in its request. */
  readonly viewMessages?: number;
  /** Calls whose whole history would have exceeded the model's window, if that is known. */
  readonly overWindow?: number;
  /** Requests since the newest answer, if there are any; at most 20. Not of a crew. */
  readonly unanswered?: number;
  /** The session that it was forked from. */
  readonly forkedFrom?: string;
  /** True if undo and redo work here: the session is at work in this process. */
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** Why not, for people. */
  readonly whyNot?: string;
}

/** One request to a model. Calls are numbered from 1; of a crew, one is all requests for one message of the user. */
export interface Call {
  readonly call: number;
  /** The entry with its usage. */
  readonly seq: number;
  readonly time: number;
  readonly model?: string;
  /** Messages of the history that it covered: positions 0 to `messages - 1`. */
  readonly messages: number;
  /** Messages in the request; of a crew, those of the history that its agents see afterwards. Absent if the provider keeps its own conversation. */
  readonly sent?: number;
  /** Tokens of the whole history, with system prompt and tools. */
  readonly historyTokens?: number;
  /** Tokens of the prompt as billed: input, cacheRead and cacheWrite. */
  readonly viewTokens: number;
  /** Tokens above which the view folds; a share of the model's window, far above any view, if only messages are bounded. */
  readonly budget?: number;
  /** Messages above which the view folds. */
  readonly budgetMessages?: number;
  readonly tokens: Tokens;
  readonly cost?: number;
  /** The same call with the whole history. */
  readonly everything?: number;
  /** The session up to this call, requests for summaries included. */
  readonly costs: Costs;
  /** Numbers of the folds since the call before; see `GET folds/:n`. */
  readonly folds: readonly number[];
  /** How many requests `GET requests/:call` has as they were sent: one, none in old logs and of the proxy, or several of a crew. */
  readonly requests: number;
  /** True if the history was rewound since, so that its messages are not all in the history of today. */
  readonly rewound?: true;
}

/**
 * `GET sessions/:id/calls?since=&most=`: calls and folds, oldest first; with `since`, the `last` of an earlier answer, only new ones.
 * `most`: about how many calls a chart has room for; of more, it gets the first, the last, and those with the extremes in between.
 * `GET sessions/:id/calls/:call`: one `Call`.
 */
export interface CallList {
  /** The entry after which these calls are new. 0: these are all, because earlier ones changed or all were asked for. */
  readonly since: number;
  /** The last entry that is considered. */
  readonly last: number;
  /** How many calls the session has: also those that `most` and `since` leave out. */
  readonly total: number;
  readonly calls: readonly Call[];
  /** Folds after the last call up to `since`: they replace those with their numbers. */
  readonly folds: readonly FoldMark[];
}

/** A fold in the gauge over time. */
export interface FoldMark {
  /** Its number in the session, from 1, undone or not. */
  readonly fold: number;
  readonly seq: number;
  readonly time: number;
  /** The first call after it; absent if none followed. */
  readonly call?: number;
  readonly reason: FoldReason;
  readonly before: Size;
  readonly after: Size;
  /** True if it is no longer in effect: undone, rewound, or the conversation started over. */
  readonly undone?: true;
}

export type FoldReason = 'messages' | 'tokens' | 'limits' | 'strategy' | 'compact';

export interface Size {
  readonly messages: number;
  readonly tokens: number;
}

/** A part of a message. `chars`: of the whole text, if `text` is only its beginning; get the rest with `full=1`. */
export type Part =
  | { readonly type: 'text'; readonly text: string; readonly chars?: number }
  | { readonly type: 'thinking'; readonly text: string; readonly chars?: number }
  /** `input`: the arguments as JSON text, indented. */
  | {
      readonly type: 'call';
      readonly id: string;
      readonly name: string;
      readonly input: string;
      readonly chars?: number;
    }
  /** The output of a tool: show it monospaced. `name`: of the tool, if the page has its call. */
  | {
      readonly type: 'result';
      readonly id: string;
      readonly name?: string;
      readonly text: string;
      readonly failed: boolean;
      readonly chars?: number;
      readonly media?: readonly Media[];
    }
  | { readonly type: 'media'; readonly media: Media };

/** An image, a document or sound; its bytes are not sent. */
export interface Media {
  readonly kind: 'image' | 'document' | 'audio' | 'other';
  /** Such as `image/png`, if known. */
  readonly format?: string;
  /** About how many bytes; 0 if it is only a link. */
  readonly bytes: number;
}

export type Role = 'system' | 'user' | 'assistant' | 'tool';

/** What became of a message in the view of a call. */
export type Fate =
  /** In the view as it is. `why`: what protects it, if anything does. */
  | { readonly type: 'kept'; readonly why?: KeptBecause }
  /** In the view, shortened: `view` of its message is what the model sees. */
  | { readonly type: 'shortened'; readonly handle: string }
  /** Not in the view. `handle` brings it back. */
  | { readonly type: 'folded'; readonly handle: string }
  /** Came after this call. */
  | { readonly type: 'later' };

/** Why a message stayed: pinned, the task at the start, since the last fold, the newest at the fold, or there was room. */
export type KeptBecause = 'pinned' | 'first' | 'since' | 'newest' | 'room';

/** A message of the history. */
export interface HistoryMessage {
  readonly index: number;
  readonly handle: string;
  readonly role: Role;
  /** Who spoke, in a crew. */
  readonly name?: string;
  readonly time: number;
  readonly parts: readonly Part[];
  readonly pinned?: true;
  readonly fate: Fate;
  /** What the model sees instead of `parts`, if it is shortened or has a reminder. */
  readonly view?: readonly Part[];
  /** Lines of folded messages that came back at the end of this one. */
  readonly reminder?: string;
}

/**
 * `GET sessions/:id/messages?from=&limit=&call=&full=`: messages from position `from` on, with their fate in the view of a call
 * (default: the newest). `limit`: 50 by default, at most 200. Long texts are cut to 20,000 characters unless `full=1`, for which
 * `limit` is at most 10. `before=N` instead of `from`: the messages before position N.
 */
export interface MessagePage {
  readonly messages: readonly HistoryMessage[];
  /** How many messages the history has, at this call if one is given. */
  readonly total: number;
  /** The position of the next page; absent at the end. */
  readonly next?: number;
}

/** Neighbouring messages with the same fate: `to` is the last of them. */
export interface ViewRun {
  readonly type: 'kept' | 'shortened' | 'folded';
  readonly from: number;
  readonly to: number;
  /** Brings the folded ones back: `m12-m40`. */
  readonly handle?: string;
}

/** A line of a note. */
export interface NoteLine {
  readonly text: string;
  /** The heading above it; absent before the first. A heading is not a line. */
  readonly section?: string;
  /** Positions in the history of the messages that it speaks for. */
  readonly indexes: readonly number[];
  /** Their handles, and where these are in the text. */
  readonly handles: readonly { readonly handle: string; readonly at: number }[];
}

/** The one message of a view that speaks for what was folded. */
export interface Note {
  readonly text: string;
  readonly tokens: number;
  readonly lines: readonly NoteLine[];
  /** The position in the history of the message that follows it. */
  readonly before: number;
  /** The fold that wrote it. */
  readonly fold: number;
  /** The summary of a model in it, in full. */
  readonly summary?: string;
}

/** `GET sessions/:id/view?call=`: what the model sees at a call; default the newest, with the messages since. */
export interface View {
  /** Absent if there was no call yet. */
  readonly call?: number;
  /** How many messages of the history it represents. */
  readonly messages: number;
  /** Messages in the view, with the note. */
  readonly sent: number;
  /** What became of each message, in order and without gaps. */
  readonly runs: readonly ViewRun[];
  readonly note?: Note;
  readonly reminders: readonly { readonly index: number; readonly text: string }[];
  readonly pins: readonly number[];
  /** Numbers of the folds in effect that can be seen with `GET folds/:n`; the newest last. */
  readonly folds: readonly number[];
  /** Why the view is not known: the provider keeps its own conversation, or the log is damaged. Then all are `kept`. */
  readonly unknown?: string;
}

/** `GET sessions/:id/requests/:call?n=`: a request as it was sent; `n`: of a crew's call, from 1. */
export interface SentRequest {
  readonly call: number;
  readonly n: number;
  readonly seq: number;
  readonly time: number;
  /** The JSON text of its body, byte for byte. */
  readonly body: string;
  /** True if keys were masked in it before it was stored. */
  readonly masked: boolean;
}

/** What a fold did to a turn: neighbouring messages that stay together. */
export interface FoldedTurn {
  /** Positions in the history of its first and last message. */
  readonly from: number;
  readonly to: number;
  readonly verdict: 'keep' | 'mask' | 'drop';
  readonly tokens: { readonly before: number; readonly after: number };
  /** Brings it back; absent if it did not change. */
  readonly handle?: string;
  /** Why it stayed. Only for `keep`. */
  readonly why?: KeptBecause;
  /** The first words of its first message. */
  readonly title: string;
  readonly role: Role;
}

/** `GET sessions/:id/folds/:n`: the receipt of a fold. */
export interface FoldDetail extends FoldMark {
  /** How many folds the session has, those that were undone or rewound too. */
  readonly of: number;
  readonly strategy: string;
  readonly kept: number;
  readonly masked: number;
  readonly dropped: number;
  /** Every turn that was in the view before it, at most 500; `more` counts the rest. */
  readonly turns: readonly FoldedTurn[];
  readonly more?: number;
  readonly noteBefore?: Note;
  readonly noteAfter?: Note;
  /** System prompt and tools. */
  readonly reserve: number;
  /** True if token counts are estimates, because no usage was known yet. */
  readonly estimated: boolean;
  /** For a fold by command: why it saved little or nothing. */
  readonly why?: string;
}

/** A passage that matches a search. */
export interface SearchHit {
  readonly session: string;
  readonly index: number;
  readonly handle: string;
  /** Lines of the message's text, from 1. */
  readonly lines: { readonly from: number; readonly to: number };
  /** Its line with most of the words. */
  readonly snippet: string;
  readonly text: string;
  /** What became of the message in the newest view. Only in a session's search. */
  readonly fate?: Fate['type'];
}

/** `GET sessions/:id/search?q=&limit=`: the passages that match best; `limit`: 20 by default, at most 100. */
export interface SearchResult {
  readonly hits: readonly SearchHit[];
}

/** `GET sessions/:id/recall/:handle`: the originals behind a handle, as the model gets them. At most 200 messages. */
export interface Recall {
  readonly handle: string;
  readonly messages: readonly Omit<HistoryMessage, 'fate' | 'view' | 'pinned'>[];
}

/** A policy with a budget, to be compared. */
export interface CompareSide {
  /** One of `ServerInfo.policies`. */
  readonly policy: string;
  /** Tokens of a prompt, with system prompt and tools. Ignored for `everything`. */
  readonly budget: number;
}

/** `POST sessions/:id/compare` with `{ sides: [CompareSide, CompareSide] }`: answers 202 with a `CompareJob`. */
export interface CompareRequest {
  readonly sides: readonly [CompareSide, CompareSide];
}

/** `GET compare/:job`: a comparison, in the background: ask again while it is queued or running. `DELETE` stops it. */
export interface CompareJob {
  readonly job: string;
  readonly session: string;
  readonly state: 'queued' | 'running' | 'done' | 'failed';
  /** From 0 to 1. */
  readonly progress: number;
  /** Why it failed. */
  readonly detail?: string;
  /** In the order of the request; only if `done`. */
  readonly sides?: readonly [CompareResult, CompareResult];
  /** The same conversation with everything sent; only if `done`. */
  readonly everything?: CompareFigures;
}

/** The figures of a replay. */
export interface CompareFigures {
  readonly calls: number;
  /** Dollars at the session's model, without output; absent if its price is unknown. */
  readonly cost?: number;
  /** In tokens at the base input price; always known, and what `relativeCost` compares. */
  readonly units: number;
  /** As a share of sending everything: 1 is as much. */
  readonly relativeCost: number;
  /** Tokens of the largest prompt, and of all of them. */
  readonly peak: number;
  readonly tokens: number;
  readonly cached: number;
  readonly folds: number;
  /** What answers used of the history, and how much of it the view had, from 0 to 1; absent if nothing was needed. */
  readonly kept?: number;
  /** Names and values that answers used, and that the view lacked. */
  readonly missing: number;
  /** Lines that answers edited, and that the view lacked. */
  readonly missingLines: number;
  /** Tool calls that asked again for a result that had been folded. */
  readonly askedAgain: number;
}

export interface CompareResult extends CompareFigures, CompareSide {
  readonly series: readonly CompareCall[];
  readonly foldings: readonly CompareFold[];
}

/** One call of a replay. */
export interface CompareCall {
  /** The position in the history of its answer; its prompt is everything before. */
  readonly index: number;
  readonly historyTokens: number;
  readonly viewTokens: number;
  /** Cost so far, in dollars if `CompareFigures.cost` is there, otherwise in its units. */
  readonly cost: number;
  /** What its answer used and its view lacked; at most 20. */
  readonly missing?: readonly string[];
}

/** What the view is from a fold on: everything but these messages, until the next fold. */
export interface CompareFold {
  /** The position in the history of the first answer after it. */
  readonly index: number;
  readonly note?: string;
  readonly runs: readonly ViewRun[];
}

/** `POST sessions/:id/undo` and `redo`, with the token: what changed. 409 with a reason if this process does not own the session. */
export interface TravelResult {
  readonly session: SessionRow;
  /** The fold that was undone or redone. */
  readonly fold: number;
}

/** An agent of a crew, as its file says. */
export interface AgentSetup {
  readonly name: string;
  readonly about?: string;
  readonly model?: string;
  /** Ends the request, or waits for the user. */
  readonly terminal?: boolean;
  readonly pause?: boolean;
  /** Agents that it may hand over to. */
  readonly to?: readonly string[];
  /** Tokens and messages above which its view folds. */
  readonly budget?: Partial<Size>;
}

export interface CrewSetup {
  /** The first agent. */
  readonly entry: string;
  readonly agents: readonly AgentSetup[];
  readonly groups: readonly { readonly name: string; readonly agents: readonly string[] }[];
}

/** `GET sessions/:id/crew`: who spoke when. 404 for a session that no crew wrote. */
export interface CrewSession {
  /** Those of the setup, if this server runs the crew, and all that spoke. */
  readonly agents: readonly (AgentSetup & {
    readonly turns: number;
    readonly messages: number;
    readonly calls: number;
  })[];
  readonly entry?: string;
  /** Handovers that happened. */
  readonly edges: readonly { readonly from: string; readonly to: string; readonly count: number }[];
  /** Who spoke, in order; `user` is the user. Neighbouring messages of one speaker are one turn. At most the newest 1,000. */
  readonly turns: readonly CrewTurn[];
}

export interface CrewTurn {
  readonly agent: string;
  /** Positions in the history. */
  readonly from: number;
  readonly to: number;
  readonly time: number;
}

/**
 * `GET events?session=`: server-sent events, each with JSON in `data`. Ask again for what changed; an event may stand for several
 * changes. Send the token as a header: use `fetch`, not `EventSource`.
 */
export type ServerEvent =
  /** Only without `session`: sessions that are new, were written to, or are no longer live. */
  | { readonly type: 'sessions'; readonly sessions: readonly SessionRow[] }
  /** Only with `session`: it was written to, or is no longer live. `from`: the first new entry. */
  | {
      readonly type: 'session';
      readonly session: string;
      readonly from: number;
      readonly last: number;
      readonly messages: number;
      readonly folds: number;
    }
  /** Only with `session`: it was deleted. */
  | { readonly type: 'gone'; readonly session: string };
