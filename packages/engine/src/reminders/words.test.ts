import { expect, test } from 'vitest';
import { eachWord } from './words.ts';

function wordsOf(text: string): string[] {
  const words: string[] = [];
  eachWord(text, (word) => words.push(word));
  return words;
}

test('an identifier is found by its parts and as a whole, in every spelling', () => {
  expect(wordsOf('gitBranch')).toEqual(['git', 'branch', 'git branch']);
  expect(wordsOf('GIT_BRANCH')).toEqual(['git', 'branch', 'git branch']);
  expect(wordsOf('parseHTTPRequest')).toEqual(['parse', 'http', 'request', 'parse http request']);
});

test('words of other languages count, short ones and numbers do not', () => {
  expect(wordsOf('Größe der Datei: 17 MB, файл')).toEqual(['größe', 'der', 'datei', 'файл']);
});
