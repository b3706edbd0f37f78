import type { StandInApi } from '@holdfast/stand-in';

/** What a client is started with. */
export interface ClientStart {
  /** The address of the API or of a proxy, without `/v1`. */
  readonly base_url: string;
  /** The client's HOME in this run, with all of its configuration and sessions. */
  readonly home: string;
  readonly prompt: string;
  /** Continues the newest conversation in `home`. */
  readonly resume?: boolean;
  /** The prompt size, in tokens, at which the client compacts its own history. If absent, it never does. */
  readonly compact_at?: number;
  /** An MCP server (streamable HTTP) for the client to use. */
  readonly mcp_url?: string;
  /** The command of an MCP server (stdio) for the client to start; only Claude Code and Codex use it. */
  readonly mcp_command?: readonly [string, ...string[]];
  /** Leaves the client's sandbox on, if it has one. */
  readonly sandboxed?: boolean;
  /** More arguments. */
  readonly args?: readonly string[];
}

/** How to start a client. */
export interface ClientCommand {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Files to write into `home` first, by relative path. */
  readonly files: Readonly<Record<string, string>>;
}

/** A client from npm, and the bars that it has to meet through the proxy. */
export interface Client {
  readonly name: string;
  readonly package: string;
  readonly version: string;
  /** Its command in `node_modules/.bin`. */
  readonly bin: string;
  readonly api: StandInApi;
  readonly model: string;
  /** The proxy's budget in tokens. */
  readonly budget: number;
  /** The cost that is allowed through the proxy in a run of 70 calls or more, as a share of the cost without it. */
  readonly cost_share: number;
  /** False if `compact_at` has no effect, because the client's own compaction is always switched off. */
  readonly compacts: boolean;
  /** Recognizes the client's request for a summary of its own history, by the text of the last message. */
  readonly compaction: RegExp;
  /** Pure. Throws if the client cannot resume without a terminal. */
  command(start: ClientStart): ClientCommand;
}

/** Accepted by the stand-in, and useless anywhere else. */
export const FAKE_KEY = 'sk-fake-key-for-the-stand-in';
