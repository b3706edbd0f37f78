import type { ErrorCategory, ExecutionOptions } from '../provider.ts';
import type { CliKind, CliReading } from './kind.ts';
import type { ProgramEnd } from './process.ts';

// The programs report failures as text; the first match counts.
const WORDS: readonly (readonly [RegExp, ErrorCategory])[] = [
  [/prompt is too long|context (?:window|length|limit)|input length and `?max_tokens/i, 'context_overflow'],
  [/overloaded|\b529\b|\b503\b|at capacity/i, 'overloaded'],
  [
    /rate.?limit|too many requests|\b429\b|(?:usage|session|weekly|spending|quota) limit|limit reached|resource_exhausted/i,
    'rate_limit',
  ],
  [
    /api key|not logged in|log ?in|authenticat|unauthori[sz]ed|\b40[123]\b|oauth|credit balance|billing|permission_error/i,
    'auth',
  ],
  [
    /ENOTFOUND|ECONN|EAI_AGAIN|ETIMEDOUT|EPIPE|fetch failed|network|socket|connection|certificate|\b50[0-9]\b|server_error/i,
    'network',
  ],
  [
    /unknown option|no conversation found|unknown model|model_not_found|invalid_request|not a valid|workspace trust|\b400\b/i,
    'invalid_request',
  ],
];

const SAID_CHARS = 2_000;

/** Why an execution failed. */
export interface CliFailure {
  readonly error: string;
  readonly category: ErrorCategory;
}

/** What went wrong; undefined only if the program reported success and exited with 0. Pure. */
export function failureOf(
  end: ProgramEnd,
  reading: CliReading,
  noise: string,
  { kind, program, options }: { kind: CliKind; program: string; options: ExecutionOptions },
): CliFailure | undefined {
  if (end.type === 'not-started') return notStarted(end, kind, program, options.cwd);
  if (end.type === 'stopped') {
    if (end.by === 'cancelled') return { error: `${kind.type} was cancelled`, category: 'cancelled' };
    return { error: `${kind.type} did not finish within ${options.time_limit_ms} ms`, category: 'timeout' };
  }
  if (reading.error !== undefined) {
    return { error: reading.error, category: reading.errorCategory ?? categoryOf(reading.error) };
  }
  const words = [end.stderr.trim(), noise].filter((text) => text !== '').join('\n');
  const said = words === '' ? '' : `: ${words.slice(-SAID_CHARS)}`;
  if (end.type === 'killed') return { error: `${program} was killed by ${end.signal}${said}`, category: 'unknown' };
  if (end.code !== 0) return { error: `${program} exited with ${end.code}${said}`, category: categoryOf(words) };
  if (reading.finished) return undefined;
  return { error: `${program} ended without a result${said}`, category: categoryOf(words) };
}

function notStarted(
  end: ProgramEnd & { type: 'not-started' },
  kind: CliKind,
  program: string,
  cwd: string | undefined,
): CliFailure {
  const words = {
    missing: `${kind.type}: program "${program}" not found: ${kind.program.install}, or set \`program\` to its path`,
    'no-folder': `${kind.type}: the working folder "${cwd}" does not exist`,
    refused: `${kind.type}: "${program}" could not be started (${end.code}); is it executable?`,
  };
  return { error: words[end.reason], category: 'invalid_request' };
}

/** The category of a failure that is only text. */
function categoryOf(words: string): ErrorCategory {
  return WORDS.find(([pattern]) => pattern.test(words))?.[1] ?? 'unknown';
}
