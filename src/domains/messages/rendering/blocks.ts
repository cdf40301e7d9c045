import { BASE } from '../../configuration/look.ts'
import type { EmailBlock } from '../../configuration/schema/emails.ts'
import { addressOf, hrefOf, webAddress } from './addresses.ts'
import { columns } from './columns.ts'
import { escapeHtml } from './escape.ts'
import { LISTINGS } from './listings.ts'
import { type Fields, withFields } from './merge-fields.ts'
import { button, picture, row } from './parts.ts'
import { fill, type MailPicture, type Piece } from './recipient.ts'
import { markdownToHtml, richText, type Written } from './rich-text.ts'
import type { Styles } from './styles.ts'

/** What blocks are written with: how it looks, which fields there are, where pictures lie. */
export interface Setting {
  styles: Styles
  fields: Fields
  picture: (fileId: string) => string | null
  /** Below each button its address to copy, for mails whose one purpose is a link. */
  showAddresses: boolean
  /** Widest picture that fits here. */
  width: number
}

type Of<Type extends EmailBlock['type']> = Extract<EmailBlock, { type: Type }>
export type Writer<Type extends EmailBlock['type']> = (block: Of<Type>, setting: Setting) => Written

const NOTHING: Written = { html: [], text: [] }

const linked = ({ src, alt, href }: MailPicture, width: number): string =>
  href && webAddress(href)
    ? `<a href="${escapeHtml(href)}" style="text-decoration:none">${picture({ src, alt }, width)}</a>`
    : picture({ src, alt }, width)

function writeButton(block: Of<'button'>, { styles, fields, showAddresses }: Setting): Written {
  const links = fields.known ? fields : { ...fields, known: new Set<string>() }
  const address = block.href === null ? addressOf(`{{links.${block.link}}}`, links) : addressOf(block.href, fields)
  if (address === null) return NOTHING
  const primary = block.style === 'primary'
  const below: Piece[] = showAddresses
    ? [
        (to) => `<p class="m" style="margin:20px 0 0;${styles.small}">${escapeHtml(to.words.say('mail.buttonFallback'))}<br>`,
        `<a class="m"`,
        hrefOf(address),
        ` style="${styles.small};text-decoration:underline;word-break:break-all">`,
        (to) => escapeHtml(fill(address, to)),
        '</a></p>',
      ]
    : []
  return {
    html: row(styles, [...button(styles, { label: withFields(block.label, 'html', fields), address, primary }), ...below], { bottom: 24 }),
    text: [...withFields(block.label, 'text', fields), (to) => (fill(address, to) ? `: ${fill(address, to)}` : ''), '\n\n'],
  }
}

const rich = (html: string, { styles, fields }: Setting): Written => {
  const written = richText(html, fields, styles)
  return { html: row(styles, written.html, { bottom: 8 }), text: [...written.text, '\n\n'] }
}

/** A scanner needs light around a code, in a dark mail too. */
const onWhite = (content: string) => `<div style="display:inline-block;padding:12px;background:#ffffff">${content}</div>`

const UNDERLINES = ['=', '=', '-', '']

/** Every block as HTML and as text, side by side, so that neither part forgets what the other says. */
const WRITERS: { [Type in EmailBlock['type']]: Writer<Type> } = {
  heading: ({ text, level, align }, { styles, fields }) => ({
    html: row(
      styles,
      [`<h${level} class="t" style="${styles.heading(level)}">`, ...withFields(text, 'html', fields), `</h${level}>`],
      align === 'left' ? {} : { align },
    ),
    text: [
      (to) => {
        const said = fill(withFields(text, 'text', fields), to)
        const line = UNDERLINES[level]!.repeat(Math.min(60, said.length))
        return line ? `${said}\n${line}\n\n` : `${said}\n\n`
      },
    ],
  }),
  text: ({ html, markdown }, setting) => rich(html ?? markdownToHtml(markdown ?? ''), setting),
  html: ({ html }, setting) => rich(html, setting),
  image: ({ fileId, alt, href, width }, { styles, picture: find, width: most }) => {
    const src = find(fileId)
    if (src === null) return NOTHING
    const shown = Math.min(width, most)
    return {
      html: row(styles, [linked({ src, alt, ...(href === null ? {} : { href }) }, shown)], { bottom: 20 }),
      text: alt === '' ? [] : [href === null ? `[${alt}]\n\n` : `[${alt}]: ${href}\n\n`],
    }
  },
  button: writeButton,
  divider: ({ height }, { styles }) => ({
    html: row(styles, [`<div class="b" style="border-top:1px solid ${BASE.light.line};font-size:0;line-height:0">&nbsp;</div>`], {
      bottom: height,
    }),
    text: ['---\n\n'],
  }),
  spacer: ({ height }) => ({
    html: [`<tr><td height="${height}" style="height:${height}px;font-size:0;line-height:0">&nbsp;</td></tr>`],
    text: [],
  }),
  qrBadge: ({ size, caption }, { styles, fields }) => {
    const below = caption === null ? [] : withFields(caption, 'html', fields)
    const said = caption === null ? [] : withFields(caption, 'text', fields)
    return {
      html: [
        (to) =>
          to.badge
            ? fill(
                row(styles, [
                  onWhite(linked(to.badge, size)),
                  ...(below.length > 0 ? ['<div style="padding-top:8px">', ...below, '</div>'] : []),
                ]),
                to,
              )
            : '',
      ],
      text: [(to) => (to.badge ? `${[fill(said, to), to.badge.alt].filter(Boolean).join(': ')}\n\n` : '')],
    }
  },
  adSlot: ({ placement }, { styles, width }) => {
    const note = `margin:6px 0 0;${styles.small}`
    return {
      html: [
        (to) => {
          const ad = to.ad?.(placement)
          const label = escapeHtml(to.words.say('mail.sponsored'))
          return ad ? fill(row(styles, [linked(ad, width), `<p class="m" style="${note}">${label}</p>`], { bottom: 20 }), to) : ''
        },
      ],
      text: [
        (to) => {
          const ad = to.ad?.(placement)
          return ad ? `${to.words.say('mail.sponsored')}: ${[ad.alt, ad.href].filter(Boolean).join(': ')}\n\n` : ''
        },
      ],
    }
  },
  code: (_, { styles }) => ({
    html: [
      (to) =>
        to.code === undefined
          ? ''
          : fill(
              row(styles, [
                `<p class="q t" style="margin:0;padding:18px 24px;background:${styles.look.light.soft};border-radius:${styles.look.radius}px;font-family:Menlo,Consolas,monospace;font-size:32px;line-height:40px;font-weight:700;letter-spacing:8px;text-align:center">${escapeHtml(to.code)}</p>`,
              ]),
              to,
            ),
    ],
    text: [(to) => (to.code === undefined ? '' : `${to.words.say('mail.code')}: ${to.code}\n\n`)],
  }),
  columns: (block, setting) => columns(block, setting, writeBlock),
  ...LISTINGS,
}

/** A block with the condition under which it is there. */
export function writeBlock(block: EmailBlock, setting: Setting): Written {
  const { html, text } = (WRITERS[block.type] as Writer<EmailBlock['type']>)(block as never, setting)
  const condition = block.showWhen
  if (condition === null) return { html, text }
  const when = (pieces: Piece[]): Piece[] => [(to) => (to.shows && !to.shows(condition) ? '' : fill(pieces, to))]
  return { html: when(html), text: when(text) }
}
