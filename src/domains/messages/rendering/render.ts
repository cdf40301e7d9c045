import { AppError } from '../../../kernel/errors.ts'
import { textDirectionOf } from '../../../kernel/language/negotiation.ts'
import { chooseTranslator } from '../../../kernel/language/translator.ts'
import { type Appearance, deriveAppearance } from '../../configuration/appearance.ts'
import type { EmailBlock } from '../../configuration/schema/emails.ts'
import { type EmailBlockOptions, renderEmailBlock } from './blocks.ts'
import { renderEmailDocument } from './frame.ts'
import { type AllowedMergeFields, compileMergeFields } from './merge-fields.ts'
import { renderCompiledTemplate, type EmailRenderingContext, type EmailRecipient } from './recipient.ts'
import { SIDE_PADDING_PX, createEmailStyles } from './styles.ts'

/** An email template before rendering. */
export interface EmailDesign {
  locale: string
  subject: string
  preheader: string | null
  blocks: readonly EmailBlock[]
  /** Names of the merge fields that the email may contain; null if braces are plain text. */
  fields: ReadonlySet<string> | null
  sender: { name: string; logo?: string }
  look?: Appearance
  /** Resolves the URL of a library image. */
  picture?: (fileId: string) => string | null
  showAddresses?: boolean
}

export interface RenderedEmail {
  subject: string
  preheader: string
  html: string
  text: string
  /** Merge fields that were rendered empty, because they have neither a value nor a fallback. */
  missing: string[]
  /** The ids of blocks that were left out because their display condition was false. */
  hiddenBlocks: string[]
  htmlBytes: number
}

export interface CompiledEmail {
  /** Unknown names of merge fields in the template. */
  unknown: string[]
  render: (recipient: EmailRecipient) => RenderedEmail
  /** Renders only the subject, for dry runs. */
  renderSubject: (recipient: EmailRecipient) => string
}

/** Maximum size of the HTML part in bytes, because some servers reject larger emails and email clients cut them off. */
const MAX_HTML_BYTES = 250 * 1024

const DEFAULT_FOOTER: EmailBlock = { id: 'footer', type: 'footer', showWhen: null, text: null, social: [] }

/** Compiles an email, so that everything that is equal for all recipients is rendered only once. */
export function compileEmail(design: EmailDesign): CompiledEmail {
  const { locale, sender } = design
  const fields: AllowedMergeFields = { known: design.fields, unknown: new Set() }
  const styles = createEmailStyles(design.look ?? deriveAppearance())
  const setting: EmailBlockOptions = {
    styles,
    fields,
    picture: design.picture ?? (() => null),
    showAddresses: design.showAddresses ?? false,
    width: 600 - 2 * SIDE_PADDING_PX,
  }
  const subject = compileMergeFields(design.subject, 'header', fields)
  const preheader = {
    html: compileMergeFields(design.preheader ?? '', 'html', fields),
    text: compileMergeFields(design.preheader ?? '', 'text', fields),
  }
  const content = design.blocks.filter(({ type }) => type !== 'footer')
  const blocks = content.map((block) => renderEmailBlock(block, setting))
  const footer = renderEmailBlock(design.blocks.find(({ type }) => type === 'footer') ?? DEFAULT_FOOTER, setting)
  const conditions = content.flatMap(({ id, showWhen }) => (showWhen === null ? [] : [{ id, showWhen }]))

  const addressTo = (recipient: EmailRecipient): EmailRenderingContext => ({
    ...recipient,
    words: chooseTranslator(locale),
    locale,
    missing: new Set(),
    written: new Map(),
  })
  const render = (recipient: EmailRecipient): RenderedEmail => {
    const to = addressTo(recipient)
    const subjectText = renderCompiledTemplate(subject, to).trim()
    const html = renderEmailDocument(
      {
        locale,
        direction: textDirectionOf(locale),
        subject: subjectText,
        preheader: renderCompiledTemplate(preheader.html, to),
        sender,
        rows: blocks.map((block) => renderCompiledTemplate(block.html, to)).join(''),
        footer: renderCompiledTemplate(footer.html, to),
      },
      styles,
    )
    const htmlBytes = Buffer.byteLength(html)
    if (htmlBytes > MAX_HTML_BYTES)
      throw new AppError(
        'limit_exceeded',
        `The email has ${Math.ceil(htmlBytes / 1024)} KB of HTML, more than ${MAX_HTML_BYTES / 1024} KB. Shorten it.`,
      )
    return {
      subject: subjectText,
      preheader: renderCompiledTemplate(preheader.text, to),
      html,
      text: normalizeText([...blocks, footer].map((block) => renderCompiledTemplate(block.text, to)).join('')),
      missing: [...to.missing],
      hiddenBlocks: conditions.flatMap(({ id, showWhen }) => (recipient.shows && !recipient.shows(showWhen) ? [id] : [])),
      htmlBytes,
    }
  }
  return {
    unknown: [...fields.unknown],
    render,
    renderSubject: (recipient) => renderCompiledTemplate(subject, addressTo(recipient)).trim(),
  }
}

/** Normalizes the whitespace of a plain text email: keeps list indentation, collapses empty lines, and removes trailing cell separators. */
const normalizeText = (text: string) =>
  `${text
    .split('\n')
    .map(normalizeLine)
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()}\n`

function normalizeLine(line: string): string {
  // A line `-- ` with a trailing space marks the start of a signature for email clients.
  if (line === '-- ') return line
  const indent = /^ *(?=(-|\d+\.) )/.exec(line)?.[0] ?? ''
  const trimmed = line.trim().replace(/ {2,}/g, ' ')
  return indent + (trimmed.endsWith(' |') ? trimmed.slice(0, -2) : trimmed)
}
