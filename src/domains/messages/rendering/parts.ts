import { BASE_THEME_COLORS } from '../../configuration/appearance.ts'
import { escapeHtml } from '../../../kernel/escape-html.ts'
import { renderHref } from './addresses.ts'
import type { EmailPicture, TemplatePiece } from './recipient.ts'
import { SIDE_PADDING_PX, type EmailStyles } from './styles.ts'

/** Attributes of a layout table that screen readers ignore. */
export const LAYOUT_TABLE_ATTRIBUTES = 'role="presentation" cellspacing="0" cellpadding="0" border="0"'

/** Renders one full-width row of the email card. */
export const renderEmailRow = (
  styles: EmailStyles,
  content: readonly TemplatePiece[],
  { bottom = 16, align = '' }: { bottom?: number; align?: string } = {},
): TemplatePiece[] => [
  `<tr><td class="pad t"${align ? ` align="${align}"` : ''} style="padding:0 ${SIDE_PADDING_PX}px ${bottom}px;${styles.body}${align ? `;text-align:${align}` : ''}">`,
  ...content,
  '</td></tr>',
]

export const renderEmailPicture = ({ src, alt }: Omit<EmailPicture, 'href'>, width: number) =>
  `<img src="${escapeHtml(src)}" alt="${escapeHtml(alt)}" width="${width}" style="display:block;width:${width}px;max-width:100%;height:auto;border:0">`

/** Renders a button. Outlook needs background and padding at the table cell, other clients at the link. */
export function renderButtonHtml(
  styles: EmailStyles,
  { label, address, primary }: { label: readonly TemplatePiece[]; address: readonly TemplatePiece[]; primary: boolean },
): TemplatePiece[] {
  const { light, radius } = styles.look
  const ground = primary ? `background:${light.accent};border:1px solid ${light.accent}` : `border:1px solid ${light.accent}`
  const color = primary ? light.text : light.accent
  return [
    `<table ${LAYOUT_TABLE_ATTRIBUTES}><tr><td class="${primary ? 'p' : 's'}"${primary ? ` bgcolor="${light.accent}"` : ''} style="${ground};border-radius:${radius}px;mso-padding-alt:13px 26px"><a class="${primary ? 'pl' : 'l'}"`,
    renderHref(address),
    ` style="display:inline-block;padding:13px 26px;${styles.body};line-height:20px;font-weight:600;color:${color};text-decoration:none;border-radius:${radius}px">`,
    ...label,
    '</a></td></tr></table>',
  ]
}

/** Renders a table; the last cell of each row is right-aligned. Cells must be escaped HTML. */
export function renderEmailTable(styles: EmailStyles, rows: readonly { cells: readonly string[]; strong?: boolean }[]): string {
  const line = (strong = false) => `padding:9px 0;border-bottom:1px solid;${strong ? 'font-weight:700;' : ''}vertical-align:top`
  const cells = rows.map(({ cells: list, strong }) =>
    list
      .map((cell, at) => {
        const last = at === list.length - 1 && at > 0
        return `<td class="t b" align="${last ? 'right' : 'left'}" style="${styles.body};${line(strong)};border-color:${BASE_THEME_COLORS.light.line}${last ? ';padding-left:16px;white-space:nowrap' : ''}">${cell}</td>`
      })
      .join(''),
  )
  return `<table width="100%" cellspacing="0" cellpadding="0" border="0" style="width:100%;border-collapse:collapse">${cells.map((one) => `<tr>${one}</tr>`).join('')}</table>`
}
