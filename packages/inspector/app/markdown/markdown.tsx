import { useMemo } from 'preact/hooks';
import { plain } from '../parts/plain.ts';
import { type Block, blocksOf } from './blocks.ts';
import { type Inline, inlineOf } from './inline.ts';

/** Words of a person or a model, as Markdown. Built from nodes: markup in it is shown, never run. */
export function Markdown({ text }: { readonly text: string }) {
  const blocks = useMemo(() => blocksOf(plain(text)), [text]);
  return <div class="md">{blocks.map(blockNode)}</div>;
}

function blockNode(block: Block, key: number) {
  switch (block.type) {
    case 'text':
      return <p key={key}>{inlineOf(block.text).map(inlineNode)}</p>;
    case 'heading':
      // Not a heading of the page: screen readers would lose the page's own order.
      return (
        <p key={key}>
          <strong>{inlineOf(block.text).map(inlineNode)}</strong>
        </p>
      );
    case 'code':
      return (
        <pre key={key}>
          <code>{block.text}</code>
        </pre>
      );
    case 'rule':
      return <hr key={key} />;
    case 'quote':
      return <blockquote key={key}>{block.inside.map(blockNode)}</blockquote>;
    case 'table':
      return <Table block={block} key={key} />;
    case 'list': {
      const items = block.items.map((item, at) => <li key={at}>{item.map(itemNode)}</li>);
      return block.start === undefined ? (
        <ul key={key}>{items}</ul>
      ) : (
        <ol start={block.start} key={key}>
          {items}
        </ol>
      );
    }
  }
}

/** A text in an item needs no paragraph of its own. */
function itemNode(block: Block, key: number) {
  return block.type === 'text' ? inlineOf(block.text).map(inlineNode) : blockNode(block, key);
}

function Table({ block: { head, rows } }: { readonly block: Extract<Block, { type: 'table' }> }) {
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            {head.map((cell, at) => (
              <th class="text" scope="col" key={at}>
                {inlineOf(cell).map(inlineNode)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td class="text" key={column}>
                  {inlineOf(cell).map(inlineNode)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inlineNode(inline: Inline, key: number): preact.ComponentChild {
  switch (inline.type) {
    case 'text':
      return inline.text;
    case 'code':
      return <code key={key}>{inline.text}</code>;
    case 'strong':
      return <strong key={key}>{inline.inside.map(inlineNode)}</strong>;
    case 'em':
      return <em key={key}>{inline.inside.map(inlineNode)}</em>;
    case 'del':
      return <del key={key}>{inline.inside.map(inlineNode)}</del>;
    case 'link':
      return (
        <a href={inline.url} rel="noopener noreferrer nofollow" target="_blank" key={key}>
          {inline.inside.map(inlineNode)}
        </a>
      );
  }
}
