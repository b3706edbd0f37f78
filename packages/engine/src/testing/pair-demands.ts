import { contentText } from '../content/text.ts';
import { readAll, resultsDiffer, show, textOfAll } from './compare.ts';
import type { FixtureStep } from './conversations.ts';
import { type Demand, refusal, type Subject } from './demand.ts';

const ANSWER = '[no result was recorded]';

/** A response with calls, and the messages before and after it. */
interface Exchange<M> {
  readonly place: string;
  readonly before: readonly M[];
  readonly response: FixtureStep<M>;
  readonly answers: FixtureStep<M>;
}

/** Requirements for `answer` and `quote`, which repair broken pairs. */
export const PAIR_DEMANDS: readonly Demand[] = [
  {
    name: 'answer returns a result for every call',
    fix: 'Return one failed result for each call, with its id and the text, in the format in which results are sent.',
    *check(subject) {
      const { dialect, fixture } = subject;
      for (const { place, before, response, answers } of exchanges(subject)) {
        const made = dialect.answer(readAll(dialect, response.messages).calls, ANSWER);
        const { results, roles } = readAll(dialect, made);
        const wanted = answers.results.map(({ id }) => ({ id, content: ANSWER }));
        const wrong = resultsDiffer(results, wanted) ?? refusal(dialect, [...before, ...response.messages, ...made]);
        if (wrong) yield `${place}: ${wrong}`;
        if (roles.join() !== 'tool') yield `${place}: the answer reads as ${roles.join(' and ')}`;
        if (fixture.failed && results.some(({ error }) => !error)) yield `${place}: the answer is not marked as failed`;
      }
    },
  },
  {
    name: 'answer keeps the message after the calls',
    fix: 'Return `into` with the new results before its text; keep its own results and text.',
    *check(subject) {
      const { dialect, fixture } = subject;
      if (!dialect.resultsTogether) return;
      for (const { place, before, response, answers } of exchanges(subject)) {
        const { calls } = readAll(dialect, response.messages);
        const start = [...before, ...response.messages];
        const words = dialect.answer(calls, ANSWER, fixture.user('Wait.'));
        const unsaid = refusal(dialect, [...start, ...words]);
        if (unsaid) yield `${place}, followed by text: ${unsaid}`;
        else if (textOfAll(dialect, words) !== 'Wait.') yield `${place}: the text after it is lost in ${show(words)}`;
        const [own] = answers.results;
        if (own === undefined || calls.length < 2) continue;
        const some = dialect.answer(calls.slice(1), ANSWER, fixture.results([own])[0]);
        const unpaired = refusal(dialect, [...start, ...some]);
        const kept = readAll(dialect, some).results.find(({ id }) => id === own.id);
        if (unpaired) yield `${place}, followed by one result: ${unpaired}`;
        else if (contentText(kept?.content) !== own.content)
          yield `${place}: the result after it is lost in ${show(some)}`;
      }
    },
  },
  {
    name: 'quote turns results into text of the user',
    fix: 'Remove these results, repeat their contents as text of the user, and keep the other results as they are.',
    *check(subject) {
      const { dialect, fixture } = subject;
      for (const { place, answers } of exchanges(subject)) {
        for (const message of answers.messages) {
          const { results } = dialect.read(message);
          const made = dialect.quote(message, new Set(results.map((_, part) => part)));
          const { roles, results: left } = readAll(dialect, made);
          const text = textOfAll(dialect, made);
          if (left.length > 0 || roles.join() !== 'user')
            yield `${place}: quoted whole, it reads as ${roles.join(' and ')}`;
          for (const { id, content } of answers.results)
            if (results.some((result) => result.id === id) && !text.includes(content))
              yield `${place}: the content of ${id} is not in the quoted text ${show(text)}`;
          const wrong = refusal(dialect, [fixture.user('Hello.'), ...made]);
          if (wrong) yield `${place}, quoted whole: ${wrong}`;
        }
      }
    },
  },
  {
    name: 'quote leaves other results alone',
    fix: 'Remove only the results at the given places; the others stay results, in order.',
    *check(subject) {
      const { dialect, fixture } = subject;
      for (const { place, before, response, answers } of exchanges(subject)) {
        const [message, ...more] = answers.messages;
        if (message === undefined || more.length > 0 || answers.results.length < 2) continue;
        const made = dialect.quote(message, new Set([0]));
        const kept = dialect.read(message).results.slice(1);
        const calls = response.calls.slice(1);
        const wrong =
          resultsDiffer(readAll(dialect, made).results, kept) ??
          refusal(dialect, [...before, ...fixture.assistant('', calls), ...made]);
        if (wrong) yield `${place}, the first of ${kept.length + 1} results quoted: ${wrong}`;
      }
    },
  },
];

function* exchanges<M>({ conversations }: Subject<M>): Generator<Exchange<M>> {
  for (const { seed, said, history } of conversations) {
    for (const [i, response] of said.entries()) {
      const answers = said[i + 1];
      if (response.calls.length === 0 || answers?.kind !== 'results') continue;
      yield {
        place: `conversation ${seed}, message ${response.at}`,
        before: history.slice(0, response.at),
        response,
        answers,
      };
    }
  }
}
