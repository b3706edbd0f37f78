// Generated conversations of a coding agent in OpenAI chat form, for the speed part: about 400 characters per message.

/** Pseudo-random numbers in [0, 1), the same for the same seed (mulberry32). */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const FOLDERS = ['src', 'src/server', 'src/client', 'lib/parse', 'test', 'packages/core/src', 'scripts'];
const STEMS = ['index', 'router', 'session', 'token-bucket', 'cache', 'schema', 'worker', 'query', 'render', 'limits'];
const NOUNS = ['request', 'header', 'retry', 'buffer', 'cursor', 'timeout', 'record', 'stream', 'payload', 'handler'];
const VERBS = ['parse', 'flush', 'merge', 'open', 'resolve', 'encode', 'drain', 'check', 'split', 'index'];
const REQUESTS = [
  'Please make this pass and keep the public names as they are.',
  'That broke the build on my side. Find out why before you change more.',
  'Good. Now do the same for the other call sites, and add a test for each.',
];

/**
 * `count` messages: a system prompt, user requests, turns of one to four parallel calls with all results, and occasional
 * answers. Valid at each assistant message; deterministic for a seed.
 */
export function generate(count, seed = 1) {
  const next = random(seed);
  const int = (below) => Math.floor(next() * below);
  const pick = (list) => list[int(list.length)];
  const name = () => `${pick(VERBS)}${pick(NOUNS).replace(/^./, (c) => c.toUpperCase())}`;
  const path = () => `${pick(FOLDERS)}/${pick(STEMS)}.ts`;
  const sentence = () => `I will look at ${name()} in ${path()} because ${pick(NOUNS)} ${int(900) + 100} fails there. `;
  const line = (n) => `${n}\t  const ${name()} = await ${name()}(${pick(NOUNS)}, ${int(10_000)});\n`;
  const text = (sentences) => Array.from({ length: sentences }, sentence).join('').trim();
  const code = (lines) => Array.from({ length: lines }, (_, i) => line(i + 1)).join('');

  const call = (id) => {
    const args = [
      ['read', () => ({ path: path(), offset: int(400) })],
      ['bash', () => ({ command: `npx vitest run ${path()} -t ${name()} 2>&1 | tail -n ${int(80) + 10}` })],
      ['edit', () => ({ path: path(), old_string: code(2), new_string: code(3) })],
    ];
    const [tool, make] = pick(args);
    return { id, type: 'function', function: { name: tool, arguments: JSON.stringify(make()) } };
  };

  const messages = [{ role: 'system', content: `You are a careful engineer. ${text(6)}` }];
  let calls = 0;
  const request = () => messages.push({ role: 'user', content: `${pick(REQUESTS)} ${text(2)}` });
  request();
  while (messages.length < count) {
    if (next() < 0.04) {
      messages.push({ role: 'assistant', content: text(5) });
      request();
      continue;
    }
    const parallel = next() < 0.7 ? 1 : 2 + int(3);
    const made = Array.from({ length: parallel }, () => call(`call_${seed}_${calls++}`));
    messages.push({ role: 'assistant', content: next() < 0.5 ? text(2) : null, tool_calls: made });
    for (const { id } of made)
      messages.push({ role: 'tool', tool_call_id: id, content: code(next() < 0.08 ? 30 : 3 + int(6)) });
  }
  return messages;
}
