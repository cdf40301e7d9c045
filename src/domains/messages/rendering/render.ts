import { AppError } from '../../../kernel/errors.ts'
import { directionOf } from '../../../kernel/language/choose.ts'
import { wordsIn } from '../../../kernel/language/words.ts'
import { type Look, lookOf } from '../../configuration/look.ts'
import type { EmailBlock } from '../../configuration/schema/emails.ts'
import { type Setting, writeBlock } from './blocks.ts'
import { frameOf } from './frame.ts'
import { type Fields, withFields } from './merge-fields.ts'
import { fill, type Filling, type Recipient } from './recipient.ts'
import { SIDE, stylesOf } from './styles.ts'

/** A mail before it is anybody's. */
export interface MailDesign {
  locale: string
  subject: string
  preheader: string | null
  blocks: readonly EmailBlock[]
  /** What may stand between double braces; null where braces are only braces. */
  fields: ReadonlySet<string> | null
  sender: { name: string; logo?: string }
  look?: Look
  /** Where a picture of the library is shown from. */
  picture?: (fileId: string) => string | null
  showAddresses?: boolean
}

export interface RenderedMail {
  subject: string
  preheader: string
  html: string
  text: string
  /** Fields without a value and without a fallback: they were left empty. */
  missing: string[]
  /** Blocks whose condition did not hold. */
  hiddenBlocks: string[]
  htmlBytes: number
}

export interface CompiledMail {
  /** Fields that the mail names and that there are not. */
  unknown: string[]
  render: (recipient: Recipient) => RenderedMail
}

/** A mail that is larger is refused by some servers, and shown by no reader. */
const MAX_HTML_BYTES = 250 * 1024

const FOOTER: EmailBlock = { id: 'footer', type: 'footer', showWhen: null, text: null, social: [] }

/** Everything that is the same for all recipients is made once here; `render` fills in the rest. */
export function compileMail(design: MailDesign): CompiledMail {
  const { locale, sender } = design
  const fields: Fields = { known: design.fields, unknown: new Set() }
  const styles = stylesOf(design.look ?? lookOf())
  const setting: Setting = {
    styles,
    fields,
    picture: design.picture ?? (() => null),
    showAddresses: design.showAddresses ?? false,
    width: 600 - 2 * SIDE,
  }
  const subject = withFields(design.subject, 'header', fields)
  const preheader = { html: withFields(design.preheader ?? '', 'html', fields), text: withFields(design.preheader ?? '', 'text', fields) }
  const content = design.blocks.filter(({ type }) => type !== 'footer')
  const blocks = content.map((block) => writeBlock(block, setting))
  const footer = writeBlock(design.blocks.find(({ type }) => type === 'footer') ?? FOOTER, setting)
  const conditions = content.flatMap(({ id, showWhen }) => (showWhen === null ? [] : [{ id, showWhen }]))

  const render = (recipient: Recipient): RenderedMail => {
    const to: Filling = { ...recipient, words: wordsIn(locale), locale, missing: new Set(), written: new Map() }
    const said = fill(subject, to).trim()
    const html = frameOf(
      {
        locale,
        direction: directionOf(locale),
        subject: said,
        preheader: fill(preheader.html, to),
        sender,
        rows: blocks.map((block) => fill(block.html, to)).join(''),
        footer: fill(footer.html, to),
      },
      styles,
    )
    const htmlBytes = Buffer.byteLength(html)
    if (htmlBytes > MAX_HTML_BYTES)
      throw new AppError(
        'limit_exceeded',
        `The mail has ${Math.ceil(htmlBytes / 1024)} KB of HTML, more than ${MAX_HTML_BYTES / 1024}: shorten it`,
      )
    return {
      subject: said,
      preheader: fill(preheader.text, to),
      html,
      text: tidied([...blocks, footer].map((block) => fill(block.text, to)).join('')),
      missing: [...to.missing],
      hiddenBlocks: conditions.flatMap(({ id, showWhen }) => (recipient.shows && !recipient.shows(showWhen) ? [id] : [])),
      htmlBytes,
    }
  }
  return { unknown: [...fields.unknown], render }
}

/** No blanks around lines but before items of inner lists, no more than one empty line, no separator of cells where none follows. */
const tidied = (text: string) =>
  `${text
    .split('\n')
    .map(tidyLine)
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()}\n`

function tidyLine(line: string): string {
  // Readers of mail know by the blank that what follows is a signature.
  if (line === '-- ') return line
  const indent = /^ *(?=(-|\d+\.) )/.exec(line)?.[0] ?? ''
  const said = line.trim().replace(/ {2,}/g, ' ')
  return indent + (said.endsWith(' |') ? said.slice(0, -2) : said)
}
