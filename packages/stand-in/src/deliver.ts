import type { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { Outcome, StreamEvent } from './exchange.ts';
import type { Fault } from './faults.ts';

const BROKEN = '{"this is no';
const MUCH = 'x'.repeat(2 ** 16);

/**
 * Sends an outcome, with any fault in how it is sent. `failure` is the API's event for an error mid-stream. Resolves when
 * everything is sent or the connection is closed.
 */
export async function deliver(
  response: ServerResponse,
  outcome: Outcome,
  fault: Fault | undefined,
  failure: StreamEvent,
): Promise<void> {
  const { body, events } = outcome;
  const parts = events ? events.map(encode) : halves(JSON.stringify(body));
  const after = fault && 'after' in fault ? (fault.after ?? cut(parts)) : cut(parts);
  response.writeHead(200, { 'content-type': events ? 'text/event-stream; charset=utf-8' : 'application/json' });
  outcome.begin?.();
  switch (fault?.kind) {
    case 'mid-reset':
      await write(response, parts.slice(0, after).join(''));
      response.socket?.resetAndDestroy();
      return;
    case 'early-end':
      response.end(parts.slice(0, after).join(''));
      return;
    case 'malformed':
      response.end(events ? parts.with(after, encode({ ...events[after], data: BROKEN })).join('') : BROKEN);
      return;
    case 'error-event':
      response.end([...parts.slice(0, after), encode(failure)].join(''));
      return;
    case 'repeated-event': {
      const { at, again = at } = fault;
      const repeated = (part: string, place: number) => [part, ...(place === again ? [parts[at ?? 0] ?? ''] : [])];
      response.end((at === undefined ? parts.flatMap((part) => [part, part]) : parts.flatMap(repeated)).join(''));
      return;
    }
    case 'endless-event':
      response.write('data: "');
      while (!response.destroyed) if (!response.write(MUCH)) await drained(response);
      return;
    case 'slow': {
      const { bytes = 64, pause_ms = 5, keep_alives = 0 } = fault;
      if (events) await keepAlive(response, keep_alives, pause_ms);
      await trickle(response, parts.join(''), bytes, pause_ms);
      return;
    }
    default:
      for (const part of parts) if (!response.destroyed && !response.write(part)) await drained(response);
      response.end();
  }
}

/** Where a fault occurs by default: after half of the parts, and at least one. */
function cut(parts: readonly unknown[]): number {
  return Math.max(1, Math.floor(parts.length / 2));
}

function halves(text: string): string[] {
  const middle = Math.floor(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}

function encode({ event, data }: StreamEvent): string {
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${data}\n\n`;
}

/** Waits until the bytes are sent, so that a reset comes after them. */
async function write(response: ServerResponse, text: string): Promise<void> {
  await new Promise<void>((resolve) => response.write(text, () => resolve()));
  await setTimeout(20);
}

async function keepAlive(response: ServerResponse, comments: number, pause: number): Promise<void> {
  for (let sent = 0; sent < comments && !response.destroyed; sent++) {
    response.write(': keep-alive\n\n');
    await setTimeout(pause);
  }
}

async function trickle(response: ServerResponse, text: string, bytes: number, pause: number): Promise<void> {
  const all = Buffer.from(text);
  for (let from = 0; from < all.length && !response.destroyed; from += bytes) {
    response.write(all.subarray(from, from + bytes));
    await setTimeout(pause);
  }
  response.end();
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      response.off('drain', go).off('close', go);
      resolve();
    };
    response.on('drain', go).on('close', go);
  });
}
