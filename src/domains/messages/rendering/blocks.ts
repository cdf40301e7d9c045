import { BASE_THEME_COLORS } from '../../configuration/appearance.ts'
import type { EmailBlock } from '../../configuration/schema/emails.ts'
import { parseLinkUrl, renderHref, toSafeWebUrl } from './addresses.ts'
import { renderColumns } from './columns.ts'
import { escapeHtml } from '../../../kernel/escape-html.ts'
import { LIST_BLOCK_RENDERERS } from './listings.ts'
import { type AllowedMergeFields, compileMergeFields } from './merge-fields.ts'
import { renderButtonHtml, renderEmailPicture, renderEmailRow } from './parts.ts'
import { renderCompiledTemplate, type EmailPicture, type TemplatePiece } from './recipient.ts'
import { markdownToHtml, compileRichText, type HtmlAndTextTemplate } from './rich-text.ts'
import type { EmailStyles } from './styles.ts'

export interface EmailBlockOptions {
  styles: EmailStyles
  fields: AllowedMergeFields
  picture: (fileId: string) => string | null
  /** Shows the link address below each button, for emails whose only purpose is a link. */
  showAddresses: boolean
  /** The maximum width of images in an email, in pixels. */
  width: number
}

type Of<Type extends EmailBlock['type']> = Extract<EmailBlock, { type: Type }>
export type EmailBlockRenderer<Type extends EmailBlock['type']> = (block: Of<Type>, setting: EmailBlockOptions) => HtmlAndTextTemplate

const EMPTY_BLOCK: HtmlAndTextTemplate = { html: [], text: [] }

const renderLinkedPicture = ({ src, alt, href }: EmailPicture, width: number): string =>
  href && toSafeWebUrl(href)
    ? `<a href="${escapeHtml(href)}" style="text-decoration:none">${renderEmailPicture({ src, alt }, width)}</a>`
    : renderEmailPicture({ src, alt }, width)

function renderButton(block: Of<'button'>, { styles, fields, showAddresses }: EmailBlockOptions): HtmlAndTextTemplate {
  const links = fields.known ? fields : { ...fields, known: new Set<string>() }
  const address = block.href === null ? parseLinkUrl(`{{links.${block.link}}}`, links) : parseLinkUrl(block.href, fields)
  if (address === null) return EMPTY_BLOCK
  const primary = block.style === 'primary'
  const below: TemplatePiece[] = showAddresses
    ? [
        (to) => `<p class="m" style="margin:20px 0 0;${styles.small}">${escapeHtml(to.words.say('mail.buttonFallback'))}<br>`,
        `<a class="m"`,
        renderHref(address),
        ` style="${styles.small};text-decoration:underline;word-break:break-all">`,
        (to) => escapeHtml(renderCompiledTemplate(address, to)),
        '</a></p>',
      ]
    : []
  return {
    html: renderEmailRow(
      styles,
      [...renderButtonHtml(styles, { label: compileMergeFields(block.label, 'html', fields), address, primary }), ...below],
      { bottom: 24 },
    ),
    text: [
      (to) => {
        const [label, value] = [
          renderCompiledTemplate(compileMergeFields(block.label, 'text', fields), to),
          renderCompiledTemplate(address, to),
        ]
        return `${value ? to.words.say('label.value', { label, value }) : label}\n\n`
      },
    ],
  }
}

const renderRichText = (html: string, { styles, fields }: EmailBlockOptions): HtmlAndTextTemplate => {
  const written = compileRichText(html, fields, styles)
  return { html: renderEmailRow(styles, written.html, { bottom: 8 }), text: [...written.text, '\n\n'] }
}

/** Wraps a QR code in a white box, because scanners need a light background also in dark mode. */
const wrapInWhite = (content: string) => `<div style="display:inline-block;padding:12px;background:#ffffff">${content}</div>`

const UNDERLINES = ['=', '=', '-', '']

/** Each renderer returns the HTML and the plain text of a block together, so that both parts of an email have the same content. */
const BLOCK_RENDERERS: { [Type in EmailBlock['type']]: EmailBlockRenderer<Type> } = {
  heading: ({ text, level, align }, { styles, fields }) => ({
    html: renderEmailRow(
      styles,
      [`<h${level} class="t" style="${styles.heading(level)}">`, ...compileMergeFields(text, 'html', fields), `</h${level}>`],
      align === 'left' ? {} : { align },
    ),
    text: [
      (to) => {
        const headingText = renderCompiledTemplate(compileMergeFields(text, 'text', fields), to)
        const line = UNDERLINES[level]!.repeat(Math.min(60, headingText.length))
        return line ? `${headingText}\n${line}\n\n` : `${headingText}\n\n`
      },
    ],
  }),
  text: ({ html, markdown }, setting) => renderRichText(html ?? markdownToHtml(markdown ?? ''), setting),
  html: ({ html }, setting) => renderRichText(html, setting),
  image: ({ fileId, alt, href, width }, { styles, picture: find, width: most }) => {
    const src = find(fileId)
    if (src === null) return EMPTY_BLOCK
    const shown = Math.min(width, most)
    return {
      html: renderEmailRow(styles, [renderLinkedPicture({ src, alt, ...(href === null ? {} : { href }) }, shown)], { bottom: 20 }),
      text: alt === '' ? [] : [href === null ? `[${alt}]\n\n` : `[${alt}]: ${href}\n\n`],
    }
  },
  button: renderButton,
  divider: ({ height }, { styles }) => ({
    html: renderEmailRow(
      styles,
      [`<div class="b" style="border-top:1px solid ${BASE_THEME_COLORS.light.line};font-size:0;line-height:0">&nbsp;</div>`],
      {
        bottom: height,
      },
    ),
    text: ['---\n\n'],
  }),
  spacer: ({ height }) => ({
    html: [`<tr><td height="${height}" style="height:${height}px;font-size:0;line-height:0">&nbsp;</td></tr>`],
    text: [],
  }),
  qrBadge: ({ size, caption }, { styles, fields }) => {
    const below = caption === null ? [] : compileMergeFields(caption, 'html', fields)
    const captionText = caption === null ? [] : compileMergeFields(caption, 'text', fields)
    return {
      html: [
        (to) =>
          to.badge
            ? renderCompiledTemplate(
                renderEmailRow(styles, [
                  wrapInWhite(renderLinkedPicture(to.badge, size)),
                  ...(below.length > 0 ? ['<div style="padding-top:8px">', ...below, '</div>'] : []),
                ]),
                to,
              )
            : '',
      ],
      text: [(to) => (to.badge ? `${[renderCompiledTemplate(captionText, to), to.badge.alt].filter(Boolean).join(': ')}\n\n` : '')],
    }
  },
  adSlot: ({ placement }, { styles, width }) => {
    const note = `margin:6px 0 0;${styles.small}`
    return {
      html: [
        (to) => {
          const ad = to.ad?.(placement)
          const label = escapeHtml(to.words.say('mail.sponsored'))
          return ad
            ? renderCompiledTemplate(
                renderEmailRow(styles, [renderLinkedPicture(ad, width), `<p class="m" style="${note}">${label}</p>`], { bottom: 20 }),
                to,
              )
            : ''
        },
      ],
      text: [
        (to) => {
          const ad = to.ad?.(placement)
          const value = [ad?.alt, ad?.href].filter(Boolean).join(': ')
          return ad ? `${to.words.say('label.value', { label: to.words.say('mail.sponsored'), value })}\n\n` : ''
        },
      ],
    }
  },
  code: (_, { styles }) => ({
    html: [
      (to) =>
        to.code === undefined
          ? ''
          : renderCompiledTemplate(
              renderEmailRow(styles, [
                `<p class="q t" style="margin:0;padding:18px 24px;background:${styles.look.light.soft};border-radius:${styles.look.radius}px;font-family:Menlo,Consolas,monospace;font-size:32px;line-height:40px;font-weight:700;letter-spacing:8px;text-align:center">${escapeHtml(to.code)}</p>`,
              ]),
              to,
            ),
    ],
    text: [
      (to) => (to.code === undefined ? '' : `${to.words.say('label.value', { label: to.words.say('mail.code'), value: to.code })}\n\n`),
    ],
  }),
  columns: (block, setting) => renderColumns(block, setting, renderEmailBlock),
  ...LIST_BLOCK_RENDERERS,
}

/** Renders a block, which is left out for recipients who do not meet its display condition. */
export function renderEmailBlock(block: EmailBlock, setting: EmailBlockOptions): HtmlAndTextTemplate {
  const { html, text } = (BLOCK_RENDERERS[block.type] as EmailBlockRenderer<EmailBlock['type']>)(block as never, setting)
  const condition = block.showWhen
  if (condition === null) return { html, text }
  const when = (pieces: TemplatePiece[]): TemplatePiece[] => [
    (to) => (to.shows && !to.shows(condition) ? '' : renderCompiledTemplate(pieces, to)),
  ]
  return { html: when(html), text: when(text) }
}
