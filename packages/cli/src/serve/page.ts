import { createHash } from 'node:crypto';

const HEAD = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>holdfast crew</title><style>
:root{color-scheme:light dark;--line:#8884;--soft:#8882;--good:#2a7;--warn:#c70}
*{box-sizing:border-box}body{margin:0;font:15px/1.45 system-ui,sans-serif;display:grid;grid-template-rows:auto 1fr auto;height:100vh}
header{padding:.6rem 1rem;border-bottom:1px solid var(--line);display:flex;gap:1rem;align-items:baseline;flex-wrap:wrap}
h1{font-size:1rem;margin:0}#status{color:#888}
main{display:grid;grid-template-columns:minmax(0,1fr) minmax(16rem,24rem);min-height:0}
#talk{overflow:auto;padding:1rem;display:flex;flex-direction:column;gap:.6rem}
.said{max-width:46rem;padding:.5rem .8rem;border-radius:.6rem;background:var(--soft);white-space:pre-wrap;overflow-wrap:anywhere}
.user{align-self:flex-end;background:#48f3}.who{font-size:.75rem;color:#888;display:block}
.wrong{border:1px solid var(--warn)}
#lanes{overflow:auto;border-left:1px solid var(--line);padding:.8rem;display:flex;flex-direction:column;gap:.8rem}
.lane{border:1px solid var(--line);border-radius:.5rem;padding:.5rem .7rem}.lane.on{border-color:var(--good)}
.lane b{display:flex;justify-content:space-between}.lane small{color:#888}
meter{width:100%;height:.8rem}.now{min-height:1.4em;font-size:.85rem;color:#888;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
form{display:flex;gap:.5rem;padding:.8rem;border-top:1px solid var(--line)}
textarea{flex:1;font:inherit;padding:.5rem;resize:none;height:3.2rem}button{font:inherit;padding:0 1.2rem}
@media(max-width:700px){main{grid-template-columns:1fr;grid-template-rows:1fr auto}#lanes{border-left:0;border-top:1px solid var(--line);max-height:40vh}}
</style></head><body>
<header><h1>holdfast crew</h1><span id="status" role="status">ready</span><span id="sum"></span></header>
<main><section id="talk" aria-live="polite" aria-label="Conversation"></section><aside id="lanes" aria-label="Agents"></aside></main>
<form><textarea id="input" aria-label="Your words" placeholder="Say something (Enter sends)" autofocus></textarea><button>Send</button></form>
<script>`;

const SCRIPT = `
const $ = (id) => document.getElementById(id);
let history = [], busy = false, token = sessionStorage.getItem('token') || '';
const lanes = new Map();
const asked = (path, init = {}) => fetch(path, { ...init, headers: { ...init.headers, ...(token ? { authorization: 'Bearer ' + token } : {}) } });
function lane(name) {
  if (lanes.has(name)) return lanes.get(name);
  const box = document.createElement('div'); box.className = 'lane'; box.dataset.agent = name;
  const head = document.createElement('b'), title = document.createElement('span'), cost = document.createElement('small');
  title.textContent = name; head.append(title, cost);
  const gauge = document.createElement('meter'); gauge.min = 0; gauge.max = 1; gauge.high = .8; gauge.setAttribute('aria-label', 'Window of ' + name);
  const size = document.createElement('small'), now = document.createElement('div'); now.className = 'now';
  box.append(head, gauge, size, now); $('lanes').append(box);
  const one = { box, cost, gauge, size, now, spent: 0, folds: 0, text: '' }; lanes.set(name, one); return one;
}
function say(who, text, kind) {
  const box = document.createElement('div'); box.className = 'said ' + kind;
  const name = document.createElement('span'); name.className = 'who'; name.textContent = who;
  const words = document.createElement('span'); words.textContent = text;
  box.append(name, words); $('talk').append(box); box.scrollIntoView({ block: 'end' }); return words;
}
function show(event) {
  const one = event.agent ? lane(event.agent) : undefined;
  if (event.type === 'agent-start') { one.box.classList.add('on'); one.text = ''; one.words = say(event.agent, '', 'agent'); }
  if (event.type === 'text-delta') { one.text += event.text; one.now.textContent = one.text.slice(-80); if (one.words) one.words.textContent += event.text; }
  if (event.type === 'call-start') { one.now.textContent = '→ ' + event.name + ' ' + JSON.stringify(event.input); if (one.words) one.words.textContent = (one.words.textContent + '\\n' + one.now.textContent + '\\n').trimStart(); }
  if (event.type === 'call-end') one.now.textContent = (event.failed ? '✗ ' : '✓ ') + event.name;
  if (event.type === 'view-ready') {
    const share = Math.max(event.messages / (event.max.messages ?? Infinity), event.tokens / (event.max.tokens ?? Infinity));
    one.gauge.value = share;
    one.size.textContent = event.messages + ' messages, ' + (event.estimated ? '~' : '') + Math.round(event.tokens) + ' tokens, ' + Math.round(100 * share) + '%' + (one.folds ? ', ' + one.folds + ' folds' : '');
  }
  if (event.type === 'fold-end') one.folds++;
  if (event.type === 'usage-report') { one.spent += event.cost || 0; one.cost.textContent = '$' + one.spent.toFixed(4); }
  if (event.type === 'agent-end') { one.box.classList.remove('on'); if (event.error) one.now.textContent = event.error; if (one.words && !one.words.textContent) one.words.parentElement.remove(); }
  if (event.type === 'hand-off') $('status').textContent = event.from + ' → ' + event.to;
  if (event.type === 'history-append') $('sum').textContent = 'history: ' + event.after + ' messages' + (event.after < event.grown ? ' (pruned from ' + event.grown + ')' : '');
  if (event.type === 'result') {
    const { result } = event; history = result.history; $('status').textContent = result.status;
    if (result.reason) say('crew', result.reason, 'wrong');
  }
}
async function read(response) {
  let rest = '', last = '', over = false;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { value, done } = await reader.read().catch(() => ({ done: true }));
    if (done) return { last, over };
    rest += value;
    for (let at; (at = rest.indexOf('\\n\\n')) >= 0; rest = rest.slice(at + 2)) {
      const lines = rest.slice(0, at).split('\\n');
      const of = (name) => lines.filter((line) => line.startsWith(name + ': ')).map((line) => line.slice(name.length + 2)).join('\\n');
      if (!of('data')) continue;
      last = of('id') || last;
      const data = JSON.parse(of('data'));
      if (of('event') === 'problem') { say('server', data.detail, 'wrong'); over = true; } else show(data);
      if (data.type === 'result') over = true;
    }
  }
}
async function send(text) {
  busy = true; $('status').textContent = 'working'; say('you', text, 'user');
  try {
    let response = await asked('/api/crew/stream', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ input: text, history }) });
    for (;;) {
      if (!response.ok) { const problem = await response.json(); $('status').textContent = 'refused'; if (response.status === 401) { token = prompt('Token of this server') || ''; sessionStorage.setItem('token', token); } say('server', problem.detail, 'wrong'); break; }
      const { last, over } = await read(response);
      if (over || !last) break;
      $('status').textContent = 'reconnecting';
      response = await asked('/api/crew/stream', { headers: { 'last-event-id': last } });
    }
  } catch (error) { say('server', String(error), 'wrong'); $('status').textContent = 'failed'; }
  busy = false; $('input').focus();
}
document.querySelector('form').addEventListener('submit', (event) => {
  event.preventDefault(); const text = $('input').value; if (busy || !text.trim()) return; $('input').value = ''; send(text);
});
$('input').addEventListener('keydown', (event) => { if (event.key === 'Enter' && !event.shiftKey) { event.preventDefault(); document.querySelector('form').requestSubmit(); } });
asked('/api/crew').then(async (response) => { if (response.ok) for (const { name } of (await response.json()).agents) lane(name); });
`;

/** The page at `/`: talk to the crew, watch its lanes and gauges. No dependency, nothing from elsewhere. */
export const PAGE = `${HEAD}${SCRIPT}</script></body></html>\n`;

/** What a browser may run of it: this script, and no other. */
export const SCRIPT_HASH = `'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'`;
