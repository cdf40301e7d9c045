import type { EmailBlock } from '../../configuration/schema/emails.ts'
import type { EmailBlockOptions } from './blocks.ts'
import { LAYOUT_TABLE_ATTRIBUTES } from './parts.ts'
import type { TemplatePiece } from './recipient.ts'
import type { HtmlAndTextTemplate } from './rich-text.ts'
import { SIDE_PADDING_PX } from './styles.ts'

type Columns = Extract<EmailBlock, { type: 'columns' }>

/** Renders columns side by side where they fit and stacked otherwise. No media queries are used, and Outlook gets a table. */
export function renderColumns(
  block: Columns,
  setting: EmailBlockOptions,
  write: (block: EmailBlock, setting: EmailBlockOptions) => HtmlAndTextTemplate,
): HtmlAndTextTemplate {
  // The border of the email card takes one pixel on each side.
  const width = Math.floor((setting.width + SIDE_PADDING_PX * 2 - 2) / block.count)
  const inner: EmailBlockOptions = { ...setting, width: width - SIDE_PADDING_PX * 2 }
  const each = Array.from({ length: block.count }, (_, at) => {
    // Email blocks whose column number is too high are placed in the last column.
    const own = block.blocks.filter(({ column }) => Math.min(column, block.count - 1) === at)
    return own.map((one) => write(one, inner))
  })
  const start = (at: number): string =>
    `${at === 0 ? `<!--[if mso]><table ${LAYOUT_TABLE_ATTRIBUTES} width="100%"><tr>` : '<!--[if mso]></td>'}<td width="${width}" valign="top"><![endif]-->` +
    `<div class="col" style="display:inline-block;width:100%;max-width:${width}px;vertical-align:top"><table ${LAYOUT_TABLE_ATTRIBUTES} width="100%" style="width:100%">`
  const html: TemplatePiece[] = [
    '<tr><td style="font-size:0;text-align:left">',
    ...each.flatMap((blocks, at): TemplatePiece[] => [start(at), ...blocks.flatMap((one) => one.html), '</table></div>']),
    '<!--[if mso]></td></tr></table><![endif]--></td></tr>',
  ]
  return { html, text: each.flatMap((blocks) => blocks.flatMap((one) => one.text)) }
}
