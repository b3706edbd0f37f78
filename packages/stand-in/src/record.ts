import type { FaultKind } from './faults/fault.ts';
import type { Json } from './json.ts';
import type { Api } from './script.ts';

/** What is known of a request after it was served. Headers are not kept, so neither is any key. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  /** The API that the path belongs to; undefined for the models' list and unknown paths. */
  readonly api: Api | undefined;
  /** The parsed body; undefined if there was none, or if it is older than those that are kept. */
  body: unknown;
  /** `answered` also if a fault broke the answer off later. */
  readonly verdict: 'answered' | 'refused' | 'failed';
  /** 0 if the connection was reset before there was one. */
  readonly status: number;
  /** Why it was refused: the API's text, and the name of the rule in `holdfast/rules`. */
  readonly error?: { readonly message: string; readonly rule: string | undefined };
  readonly fault?: FaultKind;
  /** As it was answered. */
  readonly usage?: Json;
}

/** Adds a record and lets go of the body that has become too old. */
export function keepRecord(records: RecordedRequest[], record: RecordedRequest, bodies: number): void {
  records.push(record);
  const old = records[records.length - 1 - bodies];
  if (old) old.body = undefined;
}
