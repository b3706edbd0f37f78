import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type LoopCall, type Prompt, type Script, toolLoop } from '@holdfast/stand-in';
import { claudeCode } from '../claude-code.ts';
import type { Client } from '../client.ts';
import { codex } from '../codex.ts';
import { readUpTo, type StartOptions } from '../open-run.ts';
import { startHoldfast } from '../start-holdfast.ts';
import { partName } from '../workspace.ts';
import { checked, type Found, type Scenario, throughProxy, unless } from './scenario.ts';

/** The calls that recall instead of reading a part: the second after a restart of the proxy. */
const RECALLS = [22, 27];
const PARTS = 30;

/** The message with the first part, as each client counts. */
const FIRST_RESULT: Readonly<Record<string, string>> = { [claudeCode.name]: 'm3', [codex.name]: 'm5' };

/** How the note says to recall: a command for the shell, or a tool. */
const COMMAND = /To read an original, run `(.+?) m\d+@([0-9a-z]{13})` in the shell/;
const TOOL = /To read an original, call the tool (\S+) with its handle, such as m\d+@([0-9a-z]{13})/;

/** Recalls the first part as the note says, in Codex's sandbox too, and after the proxy was killed and started again. */
export const recall: Scenario = { name: 'recall', clients: [claudeCode, codex], run: (client) => run(client, 'shell') };

/** The same by the proxy's MCP server. Codex does not list its tools; they are still there for the model's programs. */
export const recallByMcp: Scenario = {
  name: 'recall-by-mcp',
  clients: [claudeCode, codex],
  run: (client) => run(client, 'http'),
};

/** The same by `holdfast mcp`, which the client starts before there is anything to recall, next to a proxy that writes. */
export const recallByStdio: Scenario = {
  name: 'recall-by-stdio',
  clients: [claudeCode, codex],
  run: (client) => run(client, 'stdio'),
};

function run(client: Client, way: 'shell' | 'http' | 'stdio'): Promise<Found> {
  const byMcp = way !== 'shell';
  const recalled = new Map<number, string>();
  const proxy = startHoldfast(client.budget);
  return throughProxy(client, { calls: PARTS, script: scriptFor(client, byMcp, recalled), proxy }, async (opened) => {
    const start = (part: number, resume: boolean) => {
      const servers: Readonly<Record<typeof way, StartOptions>> = {
        shell: {},
        http: { mcp_url: `${opened.url}/mcp` },
        stdio: { mcp_command: [join(opened.home, 'bin', 'holdfast'), 'mcp'] },
      };
      return opened.start(client, { prompt: readUpTo(part), resume, sandboxed: !byMcp, ...servers[way] });
    };
    const ends = [await start(25, false)];
    await opened.restart();
    ends.push(await start(PARTS, true));
    const { problems } = checked(client, opened.stand_in.requests, PARTS, ends, PARTS - RECALLS.length);
    const file = await readFile(join(opened.home, '..', 'work', partName(1)), 'utf8');
    const whole = RECALLS.filter((n) => recalled.get(n)?.includes(file.trimEnd()));
    return {
      figures: `${whole.length} of ${RECALLS.length} recalled byte for byte, one after a restart`,
      problems: [
        ...problems,
        ...RECALLS.filter((n) => !whole.includes(n)).map((n) => `call ${n} got: ${recalled.get(n)?.slice(0, 300)}`),
        ...unless(
          opened.events.some(({ type }) => type === 'fold-end'),
          'no folds',
        ),
      ],
    };
  });
}

/** Reads parts and, at some calls, recalls the first one; what comes back is put into `recalled`. */
function scriptFor({ name }: Client, byMcp: boolean, recalled: Map<number, string>): Script {
  const loop = toolLoop({
    calls: (prompt) => Number(/parts up to (\d+)(?!.*parts up to)/s.exec(userText(prompt))?.[1] ?? 0),
    command: (n, prompt) =>
      RECALLS.includes(n)
        ? recallCall(FIRST_RESULT[name] ?? '', byMcp && name === codex.name, prompt)
        : `cat ${partName(n)}`,
  });
  return (prompt) => {
    for (const { id, text } of prompt.results) {
      const n = Number(/^call_loop_(\d+)/.exec(id)?.[1]);
      if (RECALLS.includes(n)) recalled.set(n, text);
    }
    return loop(prompt);
  };
}

function userText({ messages }: Prompt): string {
  return messages.flatMap(({ role, text }) => (role === 'user' ? [text] : [])).join('\n');
}

function recallCall(message: string, byProgram: boolean, { messages }: Prompt): string | LoopCall {
  const text = messages.map((one) => one.text).join('\n');
  const [, command, id] = COMMAND.exec(text) ?? [];
  const [, tool, scope] = TOOL.exec(text) ?? [];
  const handle = `${message}@${scope ?? id}`;
  if (byProgram) {
    const called = `tools.mcp__holdfast__recall(${JSON.stringify({ handle })})`;
    return { name: 'exec', input: `for (const { text: part } of (await ${called}).content) text(part);` };
  }
  if (tool !== undefined) return { name: tool, input: { handle } };
  return command === undefined ? 'echo "the note does not say how to recall"' : `${command} ${handle}`;
}
