import type { EmailBlock } from '../../configuration/schema/emails.ts'
import type { Setting } from './blocks.ts'
import { TABLE } from './parts.ts'
import type { Piece } from './recipient.ts'
import type { Written } from './rich-text.ts'
import { SIDE } from './styles.ts'

type Columns = Extract<EmailBlock, { type: 'columns' }>

/** Side by side where there is room and below each other where not, without asking the width of the screen; Outlook is given a table for it. */
export function columns(block: Columns, setting: Setting, write: (block: EmailBlock, setting: Setting) => Written): Written {
  // The card's border takes a pixel on each side.
  const width = Math.floor((setting.width + SIDE * 2 - 2) / block.count)
  const inner: Setting = { ...setting, width: width - SIDE * 2 }
  const each = Array.from({ length: block.count }, (_, at) => {
    // What stands in a column the block does not have is shown in its last one.
    const own = block.blocks.filter(({ column }) => Math.min(column, block.count - 1) === at)
    return own.map((one) => write(one, inner))
  })
  const start = (at: number): string =>
    `${at === 0 ? `<!--[if mso]><table ${TABLE} width="100%"><tr>` : '<!--[if mso]></td>'}<td width="${width}" valign="top"><![endif]-->` +
    `<div class="col" style="display:inline-block;width:100%;max-width:${width}px;vertical-align:top"><table ${TABLE} width="100%" style="width:100%">`
  const html: Piece[] = [
    '<tr><td style="font-size:0;text-align:left">',
    ...each.flatMap((blocks, at): Piece[] => [start(at), ...blocks.flatMap((one) => one.html), '</table></div>']),
    '<!--[if mso]></td></tr></table><![endif]--></td></tr>',
  ]
  return { html, text: each.flatMap((blocks) => blocks.flatMap((one) => one.text)) }
}
