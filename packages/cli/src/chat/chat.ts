import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { createTools, type HoldfastConfig, type OutputStore, type Provider, type Tools } from '@holdfast/agent';
import {
  type Chat,
  type ChatBounds,
  type ChatSetup,
  hindranceOf,
  openChat,
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
import { matchInstructions } from '@holdfast/agent/internal';
import { MODELS } from '@holdfast/agent/models';
import { type SessionInfo, type SessionStore, verifySession } from '@holdfast/sessions';
import { conversation, STAND_IN_MODELS } from '@holdfast/stand-in';
import { HoldfastError, isHoldfastError } from 'holdfast';
import { type ConfigFlags, loadWithFlags } from '../config-flags.ts';
import type { Context } from '../context.ts';
import { WrongUse } from '../failure.ts';
import { openHome } from '../home.ts';
import { type ModelBehind, modelBehind, type StandInPart } from '../run/model-behind.ts';
import { findSession, isInMemory, namedStoreFiles, type StoreFlags, withStore } from '../sessions/open-store.ts';
import { settleTrust } from '../trust/settle.ts';
import { viewKind } from '../view/run/view.ts';
import { lineChat } from './line-chat.ts';
import { pipedChat, readPrompt } from './piped-chat.ts';
import { type Found, newestToGoOn } from './resume.ts';
import { sessionOutputs } from './session-outputs.ts';
import { systemPrompt } from './system-prompt.ts';
import { terminalChat } from './terminal-chat.ts';

/** What the flags of `holdfast chat` gave. */
export interface ChatFlags extends ConfigFlags, StoreFlags {
  readonly resume?: string | true;
  readonly yolo?: boolean;
  readonly json?: boolean;
  readonly maxCost?: string;
  readonly maxMinutes?: string;
  readonly maxRounds?: string;
}

/** A chat that is ready to begin. */
export interface Opened {
  readonly chat: Chat;
  readonly store: SessionStore;
  readonly model: ModelBehind;
  readonly models: readonly string[];
  /** Lines to be told first. */
  readonly notice: readonly string[];
  readonly home: string;
  /** False for a store that ends with this process: there is nothing to come back to. */
  readonly isKept: boolean;
  readonly flags: ChatFlags;
}

/** Asks a person whether a call may be made. */
export type Approver = NonNullable<ChatSetup['approve']>;

/** What a chat needs of whoever shows it. */
export interface Listeners {
  approve: Approver;
  /** Shows a line that is no part of an answer. */
  warn(line: string): void;
}

const SCRIPT: () => StandInPart = () => ({
  script: conversation(),
  does: 'Try "read README.md", "list", "search WORD", "run ls", "write notes.txt hello", "count to 50".',
});

/** Talks with a person, or answers what stands on standard input. Throws WrongUse, BAD_CONFIG, BAD_STATE, UNKNOWN_SESSION. */
export async function chat(flags: ChatFlags, given: Context): Promise<void> {
  const isPiped = process.stdin.isTTY !== true;
  if (flags.json && !isPiped)
    throw new WrongUse('--json needs a question on standard input: echo "question" | holdfast chat --json');
  if (flags.resume === '')
    throw new WrongUse('--resume "" names no session: pass the start of an id, or nothing for the most recent session');
  // First of all: whoever writes the prompt may take long, and what is trusted must not change meanwhile.
  const prompt = isPiped ? await readPrompt(process.stdin) : undefined;
  const context = await settleTrust(given, flags, { instructions: { roles: [] }, optional: true });
  const { config, claims } = loadWithFlags(context, flags, boundFlags(flags));
  if (!context.trusts) context.tell(untrustedLine(claims.length));
  await withStore(
    flags,
    context,
    async (store) => {
      const found = await sessionOf(flags, store, context);
      const listeners: Listeners = {
        approve: async () => ({ refused: 'there is no one to ask' }),
        warn: (line) => context.tell(`warning: ${line}`),
      };
      const opened = await open(flags, context, store, found, listeners);
      try {
        const isLive = viewKind(false, process.stdout, context.env) === 'live';
        const talk = prompt !== undefined ? pipedChat : isLive ? terminalChat : lineChat;
        await talk(opened, context, listeners, prompt ?? '');
      } finally {
        await opened.close();
      }
    },
    flags.resume === undefined,
    { mask_keys: config.sessions.mask_keys },
  );
}

function untrustedLine(count: number): string {
  const settings = count === 0 ? '' : `${count === 1 ? 'a setting' : `${count} settings`} and `;
  return `this folder is not trusted: ignoring its ${settings}instructions; \`holdfast trust\` shows them`;
}

async function sessionOf(flags: ChatFlags, store: SessionStore, context: Context): Promise<Found> {
  const { resume } = flags;
  const spoken = (info: SessionInfo) => dialectOf(configOf(flags, info, context).provider);
  if (resume === undefined) return { info: undefined, notice: [] };
  if (resume === true) return await newestToGoOn(store, spoken);
  const info = await findSession(store, resume);
  const hindrance = await hindranceOf(store, info, spoken(info));
  // Before a key or a server is asked for that would be of no use.
  if (hindrance !== undefined) throw new WrongUse(hindrance);
  return { info, notice: [] };
}

/** A session goes on with who answered in it, unless the flags say otherwise. */
function configOf(
  flags: ChatFlags,
  info: SessionInfo | undefined,
  context: Context,
): HoldfastConfig & { file?: string; bounds: ChatBounds } {
  const known = PROVIDER_TYPES.find((type) => type === info?.provider);
  const provider = flags.provider ?? known;
  const before = provider === info?.provider && info?.model !== UNTOLD ? info?.model : undefined;
  const model = flags.model ?? before;
  // Its warnings were told before the session was looked for.
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
  return { ...config, bounds: boundsOf(loaded), ...(file === undefined ? {} : { file }) };
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
  const endHome = () => (isKept ? undefined : rmSync(home, { recursive: true, force: true }));
  const model = await modelBehind(config, context, SCRIPT);
  let tools: Tools | undefined;
  let opened: Chat | undefined;
  const system = systemPrompt(config, context, !keepsConversation(config.provider));
  const outputs = sessionOutputs(home, () => opened?.session, store.mask_keys);
  try {
    if (!keepsConversation(config.provider))
      tools = await startTools(config, context, outputs, [home, ...namedStoreFiles(flags, context)]);
    const { provider } = config;
    const setup: ChatSetup = {
      store,
      speaker: speakerOf(provider.type, model),
      system,
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
      ask_again: writesInstructions(config, context.cwd),
    };
    const chat = info ? await resumed(setup, store, info) : await openChat(setup);
    opened = chat;
    const warnings = tools?.warnings.map((warning) => `warning: ${warning}`) ?? [];
    return {
      chat,
      store,
      model,
      models: modelsOf(config),
      notice: [...notice, ...model.notice, ...warnings],
      home,
      isKept,
      flags,
      async close() {
        await chat.close();
        await Promise.all([tools?.close(), model.close()]);
        endHome();
      },
    };
  } catch (error) {
    await Promise.all([tools?.close(), model.close()]);
    endHome();
    throw error;
  }
}

/** Tells each line once: a window is made for each prompt, and each would say the same. */
function once(tell: (line: string) => void): (line: string) => void {
  const told = new Set<string>();
  return (line) => {
    if (told.size < told.add(line).size) tell(line);
  };
}

/** Calls that change what the model is told at the next start: nobody allows that for good. */
function writesInstructions(config: HoldfastConfig, cwd: string): (call: ToolRequest) => boolean {
  const isInstruction = matchInstructions(config);
  return ({ input }) => {
    const { path } = (input ?? {}) as { readonly path?: unknown };
    return typeof path === 'string' && isInstruction(relative(cwd, resolve(cwd, path)));
  };
}

/** What is said of a model that only its program knows. */
const UNTOLD = 'default';

function speakerOf(name: string, { provider, model }: ModelBehind): Speaker {
  if (model !== undefined) return { provider, name, model };
  // A program that is told of no model takes its own.
  const untold: Provider = {
    ...provider,
    execute: (prompt, { model: asked, ...options } = {}) =>
      provider.execute(prompt, asked === undefined || asked === UNTOLD ? options : { ...options, model: asked }),
  };
  return { provider: untold, name, model: UNTOLD };
}

/** Up to this size a whole log is read again before it is gone on with: that takes a fifth of a second. */
const CHECKED_BYTES = 10_000_000;

/** A session whose log does not add up is not gone on with: what is said next would rest on what is not there. */
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
  // Some take seconds to start.
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
  if (type === 'stand-in')
    return Object.entries(STAND_IN_MODELS).flatMap(([name, { api }]) => (api === 'anthropic' ? [name] : []));
  const maker = providerOf(type)?.server?.maker;
  if (maker === undefined) return [];
  const listed = Object.entries(MODELS).flatMap(([name, row]) => (row.provider === maker ? [name] : []));
  return [...new Set([...listed, ...Object.keys(models)])];
}

/** Nobody watches a pipe. No measurement supports these: few prompts take a tenth of them. */
const IN_A_PIPE = { max_cost: 10, max_minutes: 60 } as const;

/** What the flags say of a chat's bounds, by the keys that they stand over. Pure. */
function boundFlags({ maxCost, maxMinutes, maxRounds }: ChatFlags): Readonly<Record<string, FlagValue>> {
  return {
    'execution.max_cost': { value: maxCost, flag: '--max-cost' },
    'execution.max_minutes': { value: maxMinutes, flag: '--max-minutes' },
    'execution.max_rounds': { value: maxRounds, flag: '--max-rounds' },
  };
}

/** The bounds of a chat by its configuration; in a pipe there are some where nothing is given. */
function boundsOf({ config: { execution }, sources }: LoadedConfig): ChatBounds {
  const isPiped = process.stdin.isTTY !== true;
  const within = (key: keyof typeof IN_A_PIPE) =>
    isPiped && sources[`execution.${key}`]?.type === 'default' ? IN_A_PIPE[key] : execution[key];
  return { max_rounds: execution.max_rounds ?? 0, max_cost: within('max_cost'), max_minutes: within('max_minutes') };
}
