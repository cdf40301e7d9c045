import { toBuffer } from 'qrcode'
import { createBadgePayload } from '../../kernel/badge-signature.ts'
import type { Attachment } from '../../kernel/email-attachments.ts'
import { loadFontsFor, splitIntoFontRuns } from '../orders/pdf/fonts.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import { type DoorScope, readDoorRules } from './door-rules.ts'
import { toName } from './people.ts'

const POINTS_PER_MM = 72 / 25.4
/** Width and height in millimetres. */
const SIZES = { a6: [105, 148], '4x3': [101.6, 76.2], '4x6': [101.6, 152.4], cr80: [85.6, 54] } as const
const MARGIN_MM = 6

/** A badge to print: name, company and the QR code that doors and lead scanners read. Null if the person has no badge. */
export async function renderBadgePdf(ctx: DoorScope, person: ParticipantRow): Promise<Attachment | null> {
  if (person.badge_id === null || person.status !== 'complete') return null
  const { badge } = (await readDoorRules(ctx)).config
  const [widthMm, heightMm] = badge.size === 'custom' ? [badge.widthMm!, badge.heightMm!] : SIZES[badge.size]
  const [width, height, margin] = [widthMm, heightMm, MARGIN_MM].map((mm) => mm * POINTS_PER_MM) as [number, number, number]
  const payload = badge.provider === 'own' ? createBadgePayload(ctx.keys, ctx.event, person.badge_id, badge.delimiter) : person.badge_id
  const lines = [
    { text: ctx.event.name, size: 9 },
    { text: toName(person), size: 22 },
    { text: person.company ?? '', size: 12 },
  ].filter(({ text }) => text !== '')
  const fonts = await loadFontsFor(lines.map(({ text }) => text).join(''))
  const { default: PDFDocument } = await import('pdfkit')
  const doc = new PDFDocument({
    size: [width, height],
    margin: 0,
    font: '',
    info: { Title: `Badge of ${toName(person)}`, Creator: 'Lanyard' },
  })
  // pdfkit accepts an opened font, but its types do not.
  for (const { name, opened } of fonts) doc.registerFont(name, opened as unknown as Buffer)
  const widthOf = (text: string, size: number) =>
    splitIntoFontRuns(text, fonts).reduce((sum, run) => sum + doc.font(run.font.name).fontSize(size).widthOfString(run.text), 0)
  let y = margin
  for (const { text, size: wanted } of lines) {
    // A long name is printed smaller rather than cut.
    const size = Math.min(wanted, (wanted * (width - 2 * margin)) / Math.max(1, widthOf(text, wanted)))
    let x = (width - widthOf(text, size)) / 2
    for (const run of splitIntoFontRuns(text, fonts)) {
      doc.font(run.font.name).fontSize(size).fillColor('#14171f').text(run.text, x, y, { lineBreak: false })
      x += doc.widthOfString(run.text)
    }
    y += size * 1.5
  }
  const side = Math.min(width - 2 * margin, height - y - margin)
  const picture = await toBuffer(payload, { type: 'png', errorCorrectionLevel: badge.qr?.ecc ?? 'M', margin: 2, scale: 8 })
  doc.image(picture, (width - side) / 2, y, { width: side })
  const content = await new Promise<Buffer>((resolve, reject) => {
    const parts: Buffer[] = []
    doc.on('data', (part: Buffer) => parts.push(part)).on('end', () => resolve(Buffer.concat(parts)))
    doc.on('error', reject)
    doc.end()
  })
  return { name: 'badge.pdf', mime: 'application/pdf', content }
}
