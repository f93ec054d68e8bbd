import type { Block, Cell } from '../report/blocks.ts'
import { escapeHtml } from './html-page.ts'

const mostListed = 200

/** Renders blocks as HTML, with foldable tables and lists. */
export function blocksToHtml(blocks: readonly Block[]): string {
  return blocks
    .flatMap((block) => (block.rows.length > 0 || block.about ? [blockHtml(block)] : []))
    .join('\n')
}

function blockHtml({ title, about = '', folded, name = 'items', head, rows }: Block): string {
  const heading = typeof title === 'string' ? escapeHtml(title) : title.map(cellHtml).join('')
  if (head === undefined) {
    const items = rows.slice(0, mostListed).map((row) => `<li>${row.map(cellHtml).join(': ')}</li>`)
    const more = rows.length > mostListed ? `<li>… and ${rows.length - mostListed} more</li>` : ''
    return `<details class="${name}"${folded ? '' : ' open'}><summary>${heading}</summary><ul>${items.join('')}${more}</ul></details>`
  }
  const heads = head.map((text, at) => `<th${at > 0 ? ' class="number"' : ''} scope="col">${text}</th>`)
  const body = rows.map((row) => {
    const cells = row.map((cell, at) => `<td class="${at > 0 ? 'number' : 'wide'}">${cellHtml(cell)}</td>`)
    return `<tr>${cells.join('')}</tr>`
  })
  return `<details${folded ? '' : ' open'}><summary>${heading}</summary>${about && `<p class="note">${escapeHtml(about)}</p>`}<div class="scroll"><table><thead><tr>${heads.join('')}</tr></thead><tbody>${body.join('')}</tbody></table></div></details>`
}

function cellHtml(cell: Cell): string {
  return escapeHtml(typeof cell === 'string' ? cell : cell.log)
}
