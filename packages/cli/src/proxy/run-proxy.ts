import { createInspector } from '@holdfast/inspector';
import { createProxy, type HoldfastProxy, type ProxyEvent } from '@holdfast/proxy';
import { expireConversations, type SessionStore } from '@holdfast/sessions';
import { maskSecrets } from 'holdfast';
import { type Context, untilEnded } from '../context.ts';
import { findProgram } from '../doctor/programs.ts';
import { WrongUse } from '../failure.ts';
import { ownToken, proxySecret } from '../kept-secret.ts';
import { ownConfig } from '../load-with-flags.ts';
import { ownStoreFile, ownStoreText, withOwnStore } from '../sessions/open-store.ts';
import { bytes } from '../sessions/session-text.ts';
import { inspectorAddress } from '../ui/address.ts';
import { modelLookup } from '../ui/model-lookup.ts';
import { version } from '../version.ts';
import { counted } from '../view/amounts.ts';
import { shellWord } from '../view/clean.ts';
import { jsonLine } from '../view/harmless.ts';
import { endLines, eventLine, startLines } from './lines.ts';
import { type ProxyFlags, type ProxySettings, readSettings } from './settings.ts';
import { checkClient, startClient } from './start-client.ts';

const DAY_MS = 86_400_000;

/** Runs a proxy until Ctrl-C, or as long as `client` runs. Throws WrongUse, BAD_CONFIG, and the store's errors. */
export async function runProxy(client: readonly string[], flags: ProxyFlags, context: Context): Promise<void> {
  const isAlone = client.length === 0;
  if (flags.json && !isAlone) throw new WrongUse('--json is for a proxy alone: standard output belongs to the client');
  const settings = readSettings(flags, context, isAlone);
  if (!isAlone) checkClient(client, settings.upstreams, context);
  if (flags.store !== false && ownConfig(context).sessions.mask_keys)
    context.tell('sessions.mask_keys has no effect here: messages are stored as received; --no-store stores none');
  await withOwnStore(flags.store, context, async (store) => {
    // A client may own the terminal, and a line in the middle of its screen would spoil it.
    const quiet = !isAlone && process.stderr.isTTY === true;
    const tell = (line: string) => void (quiet || context.tell(maskSecrets(line)));
    const advice = new Set<string>();
    const onEvent = (event: ProxyEvent) => {
      if (flags.json) return context.print(jsonLine(event));
      if (quiet && /^(?:budget-small|upstream-fail)$/.test(event.type)) advice.add(maskSecrets(eventLine(event)));
      tell(eventLine(event));
    };
    const token = ownToken(context);
    const inspector = createInspector({
      store,
      storeName:
        flags.store === false ? 'in memory, until the proxy ends (--no-store)' : ownStoreText(flags.store, context),
      host: 'proxy',
      version: version(),
      token,
      models: modelLookup(),
      hasLeft: (session) => proxy.hasLeft(session),
      log: tell,
    });
    const command = recallCommand(flags, context);
    const proxy = createProxy({
      ...optionsOf(settings),
      store,
      ...(flags.store === false ? {} : { secret: proxySecret(context) }),
      recall: { command },
      mcp: async (request, response) => {
        const { handleMcp } = await import('@holdfast/proxy/mcp');
        await handleMcp(store)(request, response);
      },
      inspect: inspector.listener,
      onEvent,
    });
    const stop = await keepTidy(store, settings, tell);
    try {
      await listen(proxy, settings.port);
      await (isAlone
        ? untilStopped(proxy, { token, hasShellRecall: command !== false }, flags, context)
        : clientRun(client, proxy, context));
      for (const line of advice) context.tell(line);
    } finally {
      stop();
      await Promise.all([proxy.close(), inspector.close()]);
    }
  });
}

function optionsOf({ port, max_tokens, prefer, upstreams }: ProxySettings) {
  return {
    port,
    upstreams,
    ...(max_tokens === undefined ? {} : { max_tokens }),
    ...(prefer === undefined ? {} : { conversation: { prefer } }),
  };
}

async function listen(proxy: HoldfastProxy, port: number): Promise<void> {
  try {
    await proxy.listen();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE') throw new WrongUse(`cannot listen on port ${port}: ${message}`, error);
    throw new WrongUse(
      `port ${port} is in use, perhaps by another proxy (holdfast proxy status --port ${port}): choose another --port`,
      error,
    );
  }
}

async function untilStopped(
  proxy: HoldfastProxy,
  { token, hasShellRecall }: { readonly token: string; readonly hasShellRecall: boolean },
  { json }: ProxyFlags,
  context: Context,
): Promise<void> {
  const { url, max_tokens } = proxy.status();
  const stopped = untilEnded(context);
  const inspector = inspectorAddress(url, token);
  if (json) context.print(jsonLine({ type: 'proxy-start', url, max_tokens, inspector }));
  else for (const line of startLines({ url, max_tokens, inspector, hasShellRecall })) context.print(line);
  await stopped;
  if (json) context.print(jsonLine({ type: 'proxy-end', totals: proxy.status().totals }));
  else for (const line of endLines(proxy.status())) context.tell(line);
}

async function clientRun(command: readonly string[], proxy: HoldfastProxy, context: Context): Promise<void> {
  context.end(await startClient(command, proxy.url, context));
  for (const line of endLines(proxy.status())) context.tell(line);
}

/** Deletes expired conversations, now and daily. Returns what stops it. */
async function keepTidy(store: SessionStore, { keepMs, maxBytes }: ProxySettings, tell: (line: string) => void) {
  const tidy = async () => {
    try {
      const deleted = await expireConversations(store, { olderThan: Date.now() - keepMs, maxBytes });
      const size = bytes(deleted.reduce((sum, one) => sum + one.bytes, 0));
      if (deleted.length > 0) tell(`deleted ${counted(deleted.length, 'expired conversation')}, ${size}`);
    } catch (error) {
      tell(`cannot delete expired conversations: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  await tidy();
  const timer = setInterval(() => void tidy(), DAY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** The command with which a client's shell recalls from this store; false if none can. */
function recallCommand({ store }: ProxyFlags, context: Context): string | false {
  const file = ownStoreFile(store, context);
  // A server's URL may contain a password, and must not go to a model.
  if (file === undefined && store !== undefined) return false;
  const isUsual = file === undefined || (store === undefined && !context.env.HOLDFAST_HOME);
  const own = findProgram('holdfast', context) ? ['holdfast'] : [process.execPath, process.argv[1] ?? 'holdfast'];
  return [...own, 'recall', ...(isUsual ? [] : ['--store', file])].map(shellWord).join(' ');
}
