// Times each peer's own call on generated conversations, without conversions.
import { ConversationWindow } from '../packages/engine/dist/index.js';
import { generate } from './generate.mjs';

const SIZES = [1_000, 10_000];
/** Warm-up runs: enough for the JIT to compile every peer's code, except for slow peers. */
const WARM_UP = 300;
const WARM_UP_MS = 3_000;
const REPEATS = 15;
const SLOW_MS = 2_000;

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

async function timed(peer, native) {
  const start = performance.now();
  const result = await peer.speed.run(native);
  const ms = performance.now() - start;
  peer.speed.settle(native, result);
  return ms;
}

/** Repeats until warm and measured; a slow run is not repeated. */
async function repeat(step) {
  const times = [];
  let warm = 0;
  for (let i = 0; times.length < REPEATS; i++) {
    const ms = await step();
    const isWarm = i >= WARM_UP || (i >= 3 && warm >= WARM_UP_MS);
    if (isWarm || ms > SLOW_MS) times.push(ms);
    if (ms > SLOW_MS) break;
    warm += ms;
  }
  return median(times);
}

/** The first call on a history of n messages that the peer has never seen: new objects for every run, for every peer alike. */
const cold = (peer, history) => repeat(() => timed(peer, peer.speed.prepare(structuredClone(history))));

/** The next call of a session with n messages: append the newest turn, then run the peer. */
async function append(peer, history, n) {
  const calls = history.flatMap((m, i) => (m.role === 'assistant' && i > 0 ? [i] : []));
  const first = calls.findIndex((at) => at >= n);
  let done = peer.speed.stateful ? 0 : calls[first - 1];
  const native = peer.speed.prepare(history.slice(0, done));
  const advance = (to) => {
    for (; done < to; done++) peer.speed.append(native, history[done]);
    return timed(peer, native);
  };
  if (peer.speed.stateful) for (const at of calls.slice(0, first)) await advance(at);
  let next = first;
  return repeat(() => advance(calls[next++]));
}

/** `{ peer, [n]: { append, cold } }` for each peer, in milliseconds. */
export async function measureSpeed(peers) {
  const rows = [];
  for (const peer of peers) {
    const row = { peer };
    try {
      for (const n of SIZES) {
        const history = generate(n + 400);
        const end = history.findIndex((message, i) => i >= n && message.role === 'assistant');
        row[n] = { append: await append(peer, history, n), cold: await cold(peer, history.slice(0, end)) };
      }
    } catch (error) {
      row.reason = String(error?.message ?? error).split('\n')[0];
    }
    rows.push(row);
    console.error(`speed: ${peer.name}`);
  }
  return rows;
}

/** Mean time of a Holdfast call while a conversation grows by 10,000 messages: over the first and the last thousand. */
export async function measureFlatness() {
  const history = generate(10_000);
  await appendAll(history.slice(0, 2_000));
  const times = await appendAll(history);
  const mean = (from, to) => {
    const part = times.filter(({ at }) => at >= from && at < to);
    return part.reduce((sum, { ms }) => sum + ms, 0) / part.length;
  };
  return { first: mean(0, 1_000), last: mean(9_000, 10_000) };
}

async function appendAll(history) {
  const window = new ConversationWindow({ max_messages: 0, max_tokens: 40_000 });
  const growing = [];
  const times = [];
  for (const [at, message] of history.entries()) {
    if (message.role === 'assistant' && at > 0) {
      const start = performance.now();
      await window.fit(growing);
      times.push({ at, ms: performance.now() - start });
    }
    growing.push(message);
  }
  return times;
}
