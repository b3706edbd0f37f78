// Compares Holdfast with its peers: node run.mjs [--transcripts DIR] [--peers a,b] [--part quality|speed|sessions]
// Writes RESULTS.md; without transcripts, or with --peers or --part, only prints.
import { readdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { load, replay } from './measure.mjs';
import { measureQuality } from './quality.mjs';
import { flatTable, missedBars, qualityTable, sessionsTable, speedTable, versionsLine } from './report.mjs';
import { measureSessions } from './sessions.mjs';
import { measureFlatness, measureSpeed } from './speed.mjs';

const { values: options } = parseArgs({
  options: {
    transcripts: { type: 'string', default: process.env.HOLDFAST_TRANSCRIPTS },
    peers: { type: 'string' },
    part: { type: 'string' },
  },
});
const wanted = options.peers?.split(',');

// To add rows, add a file to peers/ whose default export is a peer or a list of peers.
const peers = [];
const missing = [];
for (const file of readdirSync(new URL('./peers/', import.meta.url)).sort()) {
  const key = file.replace(/\.mjs$/, '');
  if (wanted && !wanted.includes(key)) continue;
  try {
    peers.push(...[(await import(`./peers/${file}`)).default].flat());
  } catch (error) {
    missing.push({ name: key, reason: String(error?.message ?? error).split('\n')[0] });
  }
}

const sections = [
  '# Results',
  `${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}. ${versionsLine(peers)}`,
];
const isPart = (name) => options.part === undefined || options.part === name;
if (isPart('quality')) {
  if (options.transcripts) {
    const conversations = load(options.transcripts, 40_000);
    sections.push(qualityTable(await measureQuality(peers, conversations, replay), conversations));
  } else {
    console.log(
      'Quality not measured, no transcripts: set HOLDFAST_TRANSCRIPTS or --transcripts. Speed only, on generated conversations.',
    );
  }
}
let missed = [];
if (isPart('speed')) {
  const rows = await measureSpeed(peers);
  const flat = await measureFlatness();
  sections.push(speedTable(rows), flatTable(flat));
  missed = missedBars(rows, flat);
}
if (isPart('sessions')) sections.push(sessionsTable(await measureSessions()));
for (const { name, reason } of missing) sections.push(`${name}: not measured: ${reason}`);

const text = `${sections.join('\n\n')}\n`;
console.log(text);
for (const bar of missed) console.error(`missed goal: ${bar}`);
if (missed.length > 0) process.exitCode = 1;
if (!wanted && !options.part && options.transcripts) writeFileSync(new URL('./RESULTS.md', import.meta.url), text);
