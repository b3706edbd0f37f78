import type { Command } from 'commander';
import { addStoreFlags } from '../config-flags.ts';
import type { Context } from '../context.ts';
import { STRATEGY_NAMES } from '../names.ts';
import type { ReplayFlags } from '../replay/plan.ts';

/** `holdfast replay`: what policies would cost, and forget, on recorded conversations. */
export function addReplay(program: Command, context: Context): void {
  addStoreFlags(program.command('replay'))
    .description('measure what each policy and budget would cost and forget on your transcripts; calls no model')
    .argument('[files...]', 'transcripts, folders of *.jsonl, or patterns')
    .option(
      '--policy <names>',
      `everything, ${STRATEGY_NAMES.join(', ')}, fold+summary … (default: all without +summary)`,
    )
    .option('--policies <file>', 'more policies: named conversation settings, YAML or JSON')
    .option('--budget <tokens>', 'token budgets for the messages, separated by commas (default: 20k,40k,80k)')
    .option('--reserve <tokens>', 'overhead in tokens: system prompt and tools (default: 10k)')
    .option('--min-tokens <tokens>', 'skip conversations with fewer tokens')
    .option('--half <1|2>', 'use one half of the conversations: choose on one, confirm on the other')
    .option('--probes', 'also plant statements and count those that the last view still holds; takes twice as long')
    .option('--model <name>', 'use the prices and cache rules of this model (default: reference rules)')
    .option('--prices <file>', 'model prices, YAML or JSON, instead of the built-in table')
    .option('--summaries <file>', 'recorded summaries: JSON lines with key and summary')
    .option('--missing-summaries <file>', 'write the prompts that have no recorded summary')
    .option('--session <id>', 'a saved session; repeat for several', (id: string, all: string[] = []) => [...all, id])
    .option('--html <file>', 'write a page with charts: frontier, context over time, folds')
    .option('--advise', 'recommend the cheapest policy and budget with enough coverage')
    .option('--min-kept <percent>', 'how much of the needed names and lines is enough, their average (default: 95)')
    .option('--workers <count>', 'number of threads (default: one per core)')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  holdfast replay ~/.claude/projects                          all Claude Code logs
  holdfast replay ~/.codex/sessions --budget 40k --advise
  holdfast replay talk.jsonl --policy fold,sliding --html report.html
  holdfast replay 'logs/*.jsonl' --model claude-opus-5-5 --json
  holdfast replay --session k3v9

Reads messages of the Anthropic and OpenAI APIs and the AI SDK as JSON lines, Responses items, logs of Claude Code and
Codex, and Holdfast's own sessions. Reports each line that it cannot read, and reads the rest.`,
    )
    .action(async (files: readonly string[], flags: ReplayFlags) => {
      const { replayFiles } = await import('../replay/run.ts');
      const { trustedStore } = await import('../sessions/open-store.ts');
      // Only sessions need a store; files with prices and policies contain nothing but figures.
      const trusted = flags.session === undefined ? context : await trustedStore(flags, context);
      await replayFiles(files, flags, trusted);
    });
}
