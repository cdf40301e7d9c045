import { BASE } from '../../configuration/look.ts'
import { escapeHtml } from './escape.ts'
import { hrefOf } from './addresses.ts'
import type { MailPicture, Piece } from './recipient.ts'
import { SIDE, type Styles } from './styles.ts'

/** A table that only places things; screen readers pass over it. */
export const TABLE = 'role="presentation" cellspacing="0" cellpadding="0" border="0"'

/** One part below the other, as wide as the card. */
export const row = (
  styles: Styles,
  content: readonly Piece[],
  { bottom = 16, align = '' }: { bottom?: number; align?: string } = {},
): Piece[] => [
  `<tr><td class="pad t"${align ? ` align="${align}"` : ''} style="padding:0 ${SIDE}px ${bottom}px;${styles.body}${align ? `;text-align:${align}` : ''}">`,
  ...content,
  '</td></tr>',
]

export const picture = ({ src, alt }: Omit<MailPicture, 'href'>, width: number) =>
  `<img src="${escapeHtml(src)}" alt="${escapeHtml(alt)}" width="${width}" style="display:block;width:${width}px;max-width:100%;height:auto;border:0">`

/** Outlook takes the ground and the blanks from the cell, everybody else from the link. */
export function button(
  styles: Styles,
  { label, address, primary }: { label: readonly Piece[]; address: readonly Piece[]; primary: boolean },
): Piece[] {
  const { light, radius } = styles.look
  const ground = primary ? `background:${light.accent};border:1px solid ${light.accent}` : `border:1px solid ${light.accent}`
  const color = primary ? light.text : light.accent
  return [
    `<table ${TABLE}><tr><td class="${primary ? 'p' : 's'}"${primary ? ` bgcolor="${light.accent}"` : ''} style="${ground};border-radius:${radius}px;mso-padding-alt:13px 26px"><a class="${primary ? 'pl' : 'l'}"`,
    hrefOf(address),
    ` style="display:inline-block;padding:13px 26px;${styles.body};line-height:20px;font-weight:600;color:${color};text-decoration:none;border-radius:${radius}px">`,
    ...label,
    '</a></td></tr></table>',
  ]
}

/** Rows of cells with what is known of each; the last cell holds the figure. Texts come escaped. */
export function figures(styles: Styles, rows: readonly { cells: readonly string[]; strong?: boolean }[]): string {
  const line = (strong = false) => `padding:9px 0;border-bottom:1px solid;${strong ? 'font-weight:700;' : ''}vertical-align:top`
  const cells = rows.map(({ cells: list, strong }) =>
    list
      .map((cell, at) => {
        const last = at === list.length - 1 && at > 0
        return `<td class="t b" align="${last ? 'right' : 'left'}" style="${styles.body};${line(strong)};border-color:${BASE.light.line}${last ? ';padding-left:16px;white-space:nowrap' : ''}">${cell}</td>`
      })
      .join(''),
  )
  return `<table width="100%" cellspacing="0" cellpadding="0" border="0" style="width:100%;border-collapse:collapse">${cells.map((one) => `<tr>${one}</tr>`).join('')}</table>`
}
