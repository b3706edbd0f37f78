import { useEffect, useRef } from 'preact/hooks';
import type { CrewSetup } from '../../src/api/types.ts';
import { plain } from '../parts/plain.ts';
import { Empty, Loading } from '../parts/state.tsx';
import type { Conversation } from './use-talk.ts';
import { UtteranceView } from './utterance-view.tsx';

interface UtteranceListProps {
  readonly conversation: Conversation;
  readonly crew: CrewSetup | undefined;
}

/** What was said. The newest words stay in view, unless the reader has scrolled up. */
export function UtteranceList({ conversation, crew }: UtteranceListProps) {
  const { talk, status, earlier, loadEarlier } = conversation;
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const width = useRef(0);
  const follow = () => void (atEnd.current && box.current?.scrollTo({ top: box.current.scrollHeight }));
  useEffect(() => {
    // Who speaks wants to see the answer.
    if (talk.said.at(-1)?.role === 'user') atEnd.current = true;
    follow();
  }, [talk.said]);
  useEffect(() => {
    const watch = new ResizeObserver(() => {
      width.current = box.current?.clientWidth ?? 0;
      follow();
    });
    if (box.current) watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  return (
    <div
      class="utterance-list"
      ref={box}
      tabIndex={0}
      role="log"
      aria-label="What was said"
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight, clientWidth } }) => {
        // Another width moves the words; that is not the reader's scrolling.
        if (clientWidth === width.current) atEnd.current = scrollHeight - scrollTop - clientHeight < 80;
      }}
    >
      {earlier > 0 && (
        <button type="button" class="plain" onClick={loadEarlier}>
          Load earlier messages ({earlier})
        </button>
      )}
      {talk.said.length === 0 && status === 'loading' && <Loading what="the conversation" />}
      {talk.said.length === 0 && status === 'ready' && crew && (
        <Empty title="Say something to start">
          <p>
            {plain(crew.entry)} answers first and hands over to the others when they are needed. The conversation is
            kept: you can close this page and come back.
          </p>
        </Empty>
      )}
      {talk.said.map((said, at) => (
        <UtteranceView said={said} key={at} />
      ))}
    </div>
  );
}
