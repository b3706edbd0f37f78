import { expect, test } from 'vitest';
import { timeRatio } from '../../../../scripts/time-ratio.ts';
import type { FileUse } from './file-use.ts';
import { shellFacts } from './shell.ts';

const usesOf = (line: string) => shellFacts(line).uses;
const read = (file: string, ...lines: [number?, number?]): FileUse =>
  lines.length > 0 ? { file, use: 'read', lines: lines as [number, number?] } : { file, use: 'read' };

test.each<[string, FileUse[]]>([
  ['cat a.go b.go', [read('a.go'), read('b.go')]],
  ["sed -n '10,60p' a.go", [read('a.go', 10, 60)]],
  ["sed -n '10,60p;90,95p' a.go", [read('a.go', 10, 60), read('a.go', 90, 95)]],
  ["sed -n -e '5p' a.go", [read('a.go', 5, 5)]],
  ["sed -n '200,$p' a.go", [read('a.go', 200)]],
  ["sed -n '/^func/,/^}/p' a.go", [read('a.go')]],
  ["cd pkg && sed -n '1,9p' a.go", [read('pkg/a.go', 1, 9)]],
  ['cd /r/pkg; cat ../a.go', [read('/r/a.go')]],
  ["nl -ba a.go | sed -n '1,80p'", [read('a.go', 1, 80)]],
  ["nl -ba a.go | sed -n '1,80p'; nl -ba b.go | sed -n '7,8p'", [read('a.go', 1, 80), read('b.go', 7, 8)]],
  ['head -50 a.go', [read('a.go', 1, 50)]],
  ['head -n 50 a.go', [read('a.go', 1, 50)]],
  ['cat a.go | head -n50', [read('a.go', 1, 50)]],
  ['tail -n 20 a.go', [read('a.go')]],
  ['tail -n +20 a.go', [read('a.go', 20)]],
  ["awk 'NR>=10 && NR<=20' a.go", [read('a.go', 10, 20)]],
  ["awk 'NR==10,NR==20 {print}' a.go", [read('a.go', 10, 20)]],
  ['bat --line-range 3:9 a.go', [read('a.go', 3, 9)]],
  ['less a.go', [read('a.go')]],
  ['git show HEAD:pkg/a.go', [read('pkg/a.go')]],
  ['git diff main -- pkg/a.go', [read('pkg/a.go')]],
  ['git blame -L 3,9 a.go', [read('a.go', 3, 9)]],
  ['cat "my file.txt"', [read('my file.txt')]],
  ["cat 'app/[id]/$slug.tsx'", [read('app/[id]/$slug.tsx')]],
  ['python3 -c "print(open(\'a.go\').read())"', [read('a.go')]],
  ['for f in a.go b.go; do head -5 "$f"; done', [read('a.go', 1, 5), read('b.go', 1, 5)]],
  ['F=pkg/a.go\ncat $F', [read('pkg/a.go')]],
  ['cat $UNKNOWN/a.go', []],
  ['cat *.go', []],
  ["bash -lc 'cat a.go'", [read('a.go')]],
  ['cat a.go 2>/dev/null || true', [read('a.go')]],
  ['# cat x.go\ncat a.go # and cat y.go', [read('a.go')]],
  ['ls && cat a.go', [read('a.go')]],
])('%s reads', (line, uses) => {
  expect(usesOf(line)).toEqual(uses);
});

test.each<[string, string[]]>([
  ['rg -n "a.b" src/a.ts src/b.ts', ['src/a.ts', 'src/b.ts']],
  ['grep -rn -A 3 foo src', []],
  ["grep -e 'x' -e 'y' a.ts", ['a.ts']],
  ['cat a.ts | grep foo', ['a.ts']],
  ['find . -name "*.ts" | head -5', []],
  ['git grep -n foo -- a.ts', ['a.ts']],
  ["jq '.scripts' package.json", ['package.json']],
])('%s searches', (line, files) => {
  const { kind, uses } = shellFacts(line);
  expect(kind).toBe('search');
  expect(uses).toEqual(files.map((file) => ({ file, use: 'search' })));
});

test.each<[string, FileUse[]]>([
  ['cat > a.go <<\'EOF\'\nx := "$1" # (\nEOF', [{ file: 'a.go', use: 'create', put: ['x := "$1" # ('] }]],
  ['cat <<EOF >> a.go\nx\nEOF\ncat b.go', [{ file: 'a.go', use: 'change', put: ['x'] }, read('b.go')]],
  ['cat <<-EOF | tee a.go\n\tx\n\tEOF', [{ file: 'a.go', use: 'create', put: ['\tx'] }]],
  ['echo "a b" > a.txt', [{ file: 'a.txt', use: 'create', put: ['a b'] }]],
  ['printf "%s" x >> a.txt', [{ file: 'a.txt', use: 'change', put: ['%s x'] }]],
  [
    "sed -i 's/a/b/' a.go b.go",
    [
      { file: 'a.go', use: 'change' },
      { file: 'b.go', use: 'change' },
    ],
  ],
  ["sed -i '' -e 's/a/b/' a.go", [{ file: 'a.go', use: 'change' }]],
  ["perl -pi -e 's/a/b/' a.go", [{ file: 'a.go', use: 'change' }]],
  ['mv a.go b.go', [{ file: 'a.go', use: 'move', to: 'b.go' }]],
  ['git mv a.go pkg/', [{ file: 'a.go', use: 'move', to: 'pkg/a.go' }]],
  ['rm -f a.go', [{ file: 'a.go', use: 'delete' }]],
  ['cp a.go b.go', [{ file: 'b.go', use: 'create' }]],
  ['git checkout -- a.go', [{ file: 'a.go', use: 'change' }]],
  ['gofmt -w a.go', [{ file: 'a.go', use: 'change' }]],
  [
    "git apply <<'EOF'\n--- a/x.go\n+++ b/x.go\n@@ -1 +1 @@\n-a\n+b\nEOF",
    [{ file: 'x.go', use: 'change', put: ['b'], replaced: ['a'] }],
  ],
  [
    "python3 - <<'PY'\nfrom pathlib import Path\np = Path('a.go')\ns=p.read_text()\np.write_text(s.replace('a', 'b'))\nPY",
    [{ file: 'a.go', use: 'change' }],
  ],
  ["python - <<'PY'\nopen('out.txt', 'w').write('x')\nPY", [{ file: 'out.txt', use: 'create' }]],
  ["sed -n '1,9p' a.go && sed -i 's/a/b/' a.go", [read('a.go', 1, 9), { file: 'a.go', use: 'change' }]],
])('%s writes', (line, uses) => {
  expect(shellFacts(line)).toMatchObject({ kind: 'write', uses });
});

test.each<[string, string[]]>([
  ['npm test', ['npm test']],
  ['cd pkg && npm test 2>&1 | tail -40', ['npm test 2>&1']],
  ['npm test > /tmp/log 2>&1; echo done', ['npm test > /tmp/log 2>&1']],
  ['FOO=1 timeout 60 go test ./... | grep FAIL', ['FOO=1 timeout 60 go test ./...']],
  [
    "git add -A && git commit -m \"$(cat <<'EOF'\nIt's (done\nEOF\n)\"",
    ['git add -A', "git commit -m \"$(cat <<'EOF'\nIt's (done\nEOF\n)\""],
  ],
])('%s runs', (line, runs) => {
  expect(shellFacts(line)).toEqual({ kind: 'command', uses: [], runs });
});

test('what becomes a word of another command is neither read nor searched', () => {
  expect(shellFacts('ID=$(cat id.txt | grep x) && deploy "$ID" <(cat a.go)').uses).toEqual([]);
  expect(shellFacts('cat a.go | grep "$(cat b.txt)"').uses).toEqual([{ file: 'a.go', use: 'search' }]);
});

test('a script that works on a file is a command', () => {
  const line = 'python3 -c "import json; print(json.load(open(\'a.json\')))"';
  expect(shellFacts(line)).toEqual({ kind: 'command', uses: [{ file: 'a.json', use: 'search' }], runs: [line] });
});

test('a read of files that only the shell knows is a read', () => {
  expect(shellFacts('cat docs/*.md')).toMatchObject({ kind: 'read', uses: [] });
  expect(shellFacts('cat docs/*.md | grep x')).toMatchObject({ kind: 'search', uses: [] });
});

test('a long line of any form takes time in proportion to its length', async () => {
  for (const part of [
    '$(',
    '"',
    "'",
    '`',
    '(',
    'cat <<A;',
    'cd a/b;',
    'cat a.go;',
    'x=$x$x;',
    "open('",
    '--- a\n+++ b\n',
  ]) {
    const [short, long] = [part.repeat(2_000), part.repeat(8_000)];
    const ratio = await timeRatio(
      () => shellFacts(long),
      () => shellFacts(short),
      { enough: 8 },
    );
    expect(ratio, part).toBeLessThan(12);
  }
});

test('a line that reads and runs is a read that says what it ran', () => {
  expect(shellFacts('cat a.go && go vet ./...')).toEqual({
    kind: 'read',
    uses: [read('a.go')],
    runs: ['go vet ./...'],
  });
});

test('lines that no shell would take are read without an error', () => {
  for (const line of [
    '',
    "'",
    '"$(',
    '$((1<<2',
    'cat <<EOF',
    '>>>',
    '`',
    '((((((((((((',
    'a|',
    '|',
    '&',
    '<(',
    'npm\vtest \u2028 x',
    'x=${y',
    '\\',
  ])
    expect(shellFacts(line).kind).toBe('command');
});
