import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTools, type HoldfastConfig, type OutputStore, type Provider, type Tools } from '@holdfast/agent';
import {
  type Chat,
  type ChatBounds,
  type ChatSetup,
  openChat,
  resumeProblem,
  type Speaker,
  type ToolRequest,
} from '@holdfast/agent/chat';
import {
  dialectOf,
  type FlagValue,
  keepsConversation,
  type LoadedConfig,
  PROVIDER_TYPES,
  providerOf,
} from '@holdfast/agent/config';
import { MODELS, type ModelOverrides } from '@holdfast/models';
import { type SessionInfo, type SessionStore, verifySession } from '@holdfast/sessions';
import { conversation } from '@holdfast/stand-in';
import { HoldfastError, isHoldfastError } from 'holdfast';
import type { ConfigFlags } from '../config-flags.ts';
import type { Context } from '../context.ts';
import { WrongUse } from '../failure.ts';
import { openHome } from '../home.ts';
import { loadWithFlags } from '../load-with-flags.ts';
import { type ConnectedModel, connectModel } from '../run/connected-model.ts';
import { findSession, isInMemory, namedStoreFiles, type StoreFlags, withStore } from '../sessions/open-store.ts';
import { STAND_IN_NAMES, type StandInPart } from '../stand-in/connect.ts';
import { ensureTrust } from '../trust/ensure-trust.ts';
import { viewKind } from '../view/run/view.ts';
import { touchesInstructions } from './instructions.ts';
import { lineChat } from './line-chat.ts';
import { type ChatPermissions, openPermissions } from './permissions.ts';
import { printedChat, readPrompt } from './printed-chat.ts';
import { type Found, newestResumable } from './resume.ts';
import { sessionOutputs } from './session-outputs.ts';
import { type Asides, createAsides } from './shell.ts';
import { systemPrompt } from './system-prompt.ts';
import { terminalChat } from './terminal-chat.ts';

/** The flags of `holdfast chat`. */
export interface ChatFlags extends ConfigFlags, StoreFlags {
  readonly resume?: string | true;
  readonly continue?: boolean;
  /** Answers once; always so without a terminal to read from. */
  readonly print?: boolean;
  readonly outputFormat?: OutputFormat;
  readonly yolo?: boolean;
  readonly json?: boolean;
  readonly maxCost?: string;
  readonly maxMinutes?: string;
  readonly maxRounds?: string;
}

/** What `--print` prints. */
export type OutputFormat = 'text' | 'json' | 'stream-json';

/** A chat that is ready to start. */
export interface Opened {
  /** The current one: `startOver` replaces it. */
  readonly chat: Chat;
  startOver(): Promise<void>;
  readonly store: SessionStore;
  readonly model: ConnectedModel;
  readonly models: readonly string[];
  readonly permissions: ChatPermissions;
  readonly prices: ModelOverrides;
  readonly asides: Asides;
  /** The files with instructions that the model gets. */
  readonly instructions: readonly string[];
  /** Lines to print first. */
  readonly notice: readonly string[];
  readonly home: string;
  /** False for a store in memory: there is nothing to resume. */
  readonly isKept: boolean;
  readonly flags: ChatFlags;
}

/** Asks the user whether a call may run. */
export type Approver = NonNullable<ChatSetup['approve']>;

/** Callbacks to the interface that shows the chat. */
export interface Listeners {
  approve: Approver;
  onRun(call: ToolRequest): void;
  /** Shows a warning outside of an answer. */
  warn(line: string): void;
}

const SCRIPT: () => StandInPart = () => ({
  script: conversation(),
  does: 'Try "read README.md", "list", "search WORD", "run ls", "write notes.txt hello", "edit notes.txt hello => bye", "format", "count to 50".',
});

/** Chats on a terminal, or answers once. `words`: the prompt. Throws WrongUse, BAD_CONFIG, BAD_STATE, UNKNOWN_SESSION. */
export async function chat(words: string, asked: ChatFlags, given: Context): Promise<void> {
  const flags = checkedFlags(asked);
  // Read first: the writer may take long, and trusted files must not change after the check.
  const prompt = await promptOf(words, given);
  const isNew = flags.resume === undefined && !flags.continue;
  if (isNew) checkPrompt(prompt, flags);
  const context = await ensureTrust(given, flags, { instructions: { roles: [] }, optional: true });
  const { config, claims } = loadWithFlags(context, flags, boundFlags(flags));
  if (!context.trusts) context.tell(untrustedLine(claims.length));
  await withStore(
    flags,
    context,
    async (store) => {
      const found = await sessionOf(flags, store, context);
      // Not before: that there is no such session says more.
      checkPrompt(prompt, flags);
      const listeners: Listeners = {
        approve: async () => ({ refused: 'there is no one to ask' }),
        onRun: () => {},
        warn: (line) => context.tell(`warning: ${line}`),
      };
      const opened = await open(flags, context, store, found, listeners);
      try {
        const isLive = viewKind(false, process.stdout, context.env) === 'live';
        const talk = flags.print ? printedChat : isLive ? terminalChat : lineChat;
        await talk(opened, context, listeners, prompt);
      } finally {
        await opened.close();
      }
    },
    isNew,
    { mask_keys: config.sessions.mask_keys },
  );
}

/** Throws WrongUse for flags that contradict each other. */
function checkedFlags(flags: ChatFlags): ChatFlags {
  const { json, outputFormat = json ? 'stream-json' : undefined, resume } = flags;
  const print = flags.print === true || process.stdin.isTTY !== true;
  if (json && outputFormat !== 'stream-json')
    throw new WrongUse(`--json means --output-format stream-json, not ${outputFormat}: pass one of them`);
  if (outputFormat !== undefined && !print)
    throw new WrongUse(`${json ? '--json' : '--output-format'} needs --print: holdfast chat -p "question"`);
  if (resume === '')
    throw new WrongUse('--resume "" names no session: pass the start of an id, or nothing for the most recent session');
  if (resume !== undefined && flags.continue)
    throw new WrongUse('pass --continue for the most recent chat of this folder, or --resume for another, not both');
  return { ...flags, print, ...(outputFormat === undefined ? {} : { outputFormat }) };
}

/** Throws WrongUse if there is nothing to answer, and no one to type it. */
function checkPrompt(prompt: string, { print }: ChatFlags): void {
  if (print && prompt === '')
    throw new WrongUse('there is nothing to answer: holdfast chat -p "question", or echo "question" | holdfast chat');
}

/** The prompt: what the command line says and, below it, standard input if that is not a terminal. */
async function promptOf(words: string, { tell }: Context): Promise<string> {
  if (process.stdin.isTTY === true) return words;
  const hint = setTimeout(() => tell('reading standard input until it ends; to pass none, add < /dev/null'), 3_000);
  try {
    return [words, await readPrompt(process.stdin)].filter((part) => part.trim() !== '').join('\n\n');
  } finally {
    clearTimeout(hint);
  }
}

function untrustedLine(count: number): string {
  const settings = count === 0 ? '' : `${count === 1 ? 'a setting' : `${count} settings`} and `;
  return `this folder is not trusted: ignoring its ${settings}instructions; \`holdfast trust\` shows them`;
}

async function sessionOf(flags: ChatFlags, store: SessionStore, context: Context): Promise<Found> {
  const { resume } = flags;
  const spoken = (info: SessionInfo) => dialectOf(configOf(flags, info, context).provider);
  if (flags.continue) return await newestResumable(store, spoken, context.cwd);
  if (resume === undefined) return { info: undefined, notice: [] };
  if (resume === true) return await newestResumable(store, spoken);
  const info = await findSession(store, resume);
  const hindrance = await resumeProblem(store, info, spoken(info));
  // Check before asking for a key or a server that would be of no use.
  if (hindrance !== undefined) throw new WrongUse(hindrance);
  return { info, notice: [] };
}

/** A resumed session keeps its provider and model, unless the flags override them. */
function configOf(
  flags: ChatFlags,
  info: SessionInfo | undefined,
  context: Context,
): HoldfastConfig & { file?: string; bounds: ChatBounds } {
  const known = PROVIDER_TYPES.find((type) => type === info?.provider);
  const provider = flags.provider ?? known;
  const before = provider === info?.provider && info?.model !== DEFAULT_MODEL ? info?.model : undefined;
  const model = flags.model ?? before;
  // Its warnings were printed on the first load.
  const loaded = loadWithFlags(
    { ...context, tell: () => {} },
    {
      ...flags,
      ...(provider === undefined ? {} : { provider }),
      ...(model === undefined ? {} : { model }),
    },
    boundFlags(flags),
  );
  const { config, file } = loaded;
  return { ...config, bounds: boundsOf(loaded, flags), ...(file === undefined ? {} : { file }) };
}

async function open(
  flags: ChatFlags,
  context: Context,
  store: SessionStore,
  { info, notice }: Found,
  listeners: Listeners,
): Promise<Opened & { close(): Promise<void> }> {
  const config = configOf(flags, info, context);
  const isKept = !isInMemory(flags, context);
  const home = isKept ? openHome(context) : mkdtempSync(join(tmpdir(), 'holdfast-chat-'));
  const model = await connectModel(config, context, SCRIPT);
  let tools: Tools | undefined;
  let opened: Chat | undefined;
  const close = async () => {
    await opened?.close();
    await Promise.all([tools?.close(), model.close()]);
    if (!isKept) rmSync(home, { recursive: true, force: true });
  };
  const system = systemPrompt(config, context, !keepsConversation(config.provider));
  const permissions = openPermissions(context);
  const asides = createAsides();
  const outputs = sessionOutputs(home, () => opened?.session, store.mask_keys);
  try {
    if (!keepsConversation(config.provider))
      tools = await startTools(config, context, outputs, [home, ...namedStoreFiles(flags, context)]);
    const { provider } = config;
    const setup: ChatSetup = {
      store,
      speaker: speakerOf(provider.type, model),
      system: system.text,
      tools: (tools?.tools ?? []).filter(({ ends }) => !ends),
      conversation: config.execution.conversation,
      bounds: config.bounds,
      options: {
        cwd: context.cwd,
        logger: { debug() {}, info() {}, warn: once((line) => listeners.warn(line)) },
        ...(provider.max_output === undefined ? {} : { max_output: provider.max_output }),
        ...(provider.thinking === undefined ? {} : { thinking: provider.thinking }),
      },
      ...(info ? { session: info.id } : {}),
      ...(flags.yolo ? {} : { approve: (call, signal) => listeners.approve(call, signal) }),
      permissions,
      askAgain: touchesInstructions(config, context.cwd),
      onRun: (call) => listeners.onRun(call),
    };
    let chat = info ? await resumed(setup, store, info) : await openChat(setup);
    opened = chat;
    const startOver = async () => {
      const { speaker } = chat;
      const { session: _, ...fresh } = setup;
      await chat.close();
      asides.clear();
      chat = await openChat({ ...fresh, speaker });
      opened = chat;
    };
    const warnings = tools?.warnings.map((warning) => `warning: ${warning}`) ?? [];
    return {
      get chat() {
        return chat;
      },
      startOver,
      store,
      model,
      models: modelsOf(config),
      permissions,
      prices: config.models,
      asides,
      instructions: system.files,
      notice: [...notice, ...model.notice, ...warnings],
      home,
      isKept,
      flags,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Prints each line once, because every prompt creates a window that would repeat it. */
function once(tell: (line: string) => void): (line: string) => void {
  const told = new Set<string>();
  return (line) => {
    if (told.size < told.add(line).size) tell(line);
  };
}

/** Stands for a model that only the provider's program knows. */
const DEFAULT_MODEL = 'default';

function speakerOf(name: string, { provider, model }: ConnectedModel): Speaker {
  if (model !== undefined) return { provider, name, model };
  // Without a model option, the program uses its own default.
  const untold: Provider = {
    ...provider,
    execute: (prompt, { model: asked, ...options } = {}) =>
      provider.execute(prompt, asked === undefined || asked === DEFAULT_MODEL ? options : { ...options, model: asked }),
  };
  return { provider: untold, name, model: DEFAULT_MODEL };
}

/** Logs up to this size are verified in full before resuming, in about a fifth of a second. */
const CHECKED_BYTES = 10_000_000;

/** Refuses to resume a damaged log. */
async function resumed(setup: ChatSetup, store: SessionStore, { id, bytes }: SessionInfo): Promise<Chat> {
  const advice = `holdfast sessions verify ${id} lists all problems; holdfast sessions export ${id} saves what can be read; omit --resume to start a new session`;
  const { problems } = bytes <= CHECKED_BYTES ? await verifySession(store, id) : { problems: [] };
  if (problems.length > 0) throw new HoldfastError('BAD_STORE', `session ${id} is damaged: ${problems[0]}\n${advice}`);
  try {
    return await openChat(setup);
  } catch (error) {
    if (!isHoldfastError(error) || error.code !== 'BAD_STORE') throw error;
    throw new HoldfastError('BAD_STORE', `session ${id} is damaged: ${error.message}\n${advice}`, {}, error);
  }
}

async function startTools(
  config: HoldfastConfig & { file?: string },
  { cwd, tell }: Context,
  outputs: OutputStore,
  unreachable: readonly string[],
): Promise<Tools> {
  const { timeout, ...wanted } = config.tools;
  const servers = Object.keys(config.mcp_servers);
  // Some servers take seconds to start.
  if (servers.length > 0) tell(`starting ${servers.join(', ')}`);
  return await createTools({
    ...wanted,
    workspace: cwd,
    outputs,
    time_limit_ms: timeout * 1_000,
    mcp_servers: config.mcp_servers,
    unreachable,
    ...(config.file === undefined ? {} : { protected: [config.file] }),
  });
}

function modelsOf({ provider: { type }, models }: HoldfastConfig): string[] {
  const { isScript, server } = providerOf(type) ?? {};
  if (isScript) return [...STAND_IN_NAMES];
  const maker = server?.maker;
  if (maker === undefined) return [];
  const listed = Object.entries(MODELS).flatMap(([name, row]) => (row.provider === maker ? [name] : []));
  return [...new Set([...listed, ...Object.keys(models)])];
}

/** Limits for answers that nobody watches. No measurement supports them; few prompts need a tenth. */
const UNATTENDED = { max_cost: 10, max_minutes: 60 } as const;

/** The limits given as flags, by the keys they override. */
function boundFlags({ maxCost, maxMinutes, maxRounds }: ChatFlags): Readonly<Record<string, FlagValue>> {
  return {
    'execution.max_cost': { value: maxCost, flag: '--max-cost' },
    'execution.max_minutes': { value: maxMinutes, flag: '--max-minutes' },
    'execution.max_rounds': { value: maxRounds, flag: '--max-rounds' },
  };
}

/** The configured limits of a chat; with --print, defaults apply where none are set. */
function boundsOf({ config: { execution }, sources }: LoadedConfig, { print }: ChatFlags): ChatBounds {
  const within = (key: keyof typeof UNATTENDED) =>
    print && sources[`execution.${key}`]?.type === 'default' ? UNATTENDED[key] : execution[key];
  return { max_rounds: execution.max_rounds, max_cost: within('max_cost'), max_minutes: within('max_minutes') };
}
