import { claudeCode } from './claude-code.ts';
import type { Client } from './client.ts';
import { cline } from './cline.ts';
import { codex } from './codex.ts';
import { geminiCli } from './gemini-cli.ts';
import { opencode } from './opencode.ts';
import { pi } from './pi.ts';
import { qwenCode } from './qwen-code.ts';

/** Every client that the harness runs; a new one is a file and its line here. */
export const CLIENTS: readonly Client[] = [claudeCode, codex, geminiCli, opencode, pi, qwenCode, cline];
