import { toBuffer } from 'qrcode'
import type { Attachment } from '../../kernel/email-attachments.ts'
import { createBadgeQrCode } from '../configuration/badge-code.ts'
import { loadFontsForText } from '../fonts/font-parts.ts'
import { splitIntoFontRuns } from '../fonts/font-runs.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import { listBadgeTextLines } from './badge-lines.ts'
import { type DoorScanContext, readDoorRules } from './door-rules.ts'
import { toPersonName } from './people.ts'

const POINTS_PER_MM = 72 / 25.4
/** Width and height of badge formats in millimetres. */
const SIZES = { a6: [105, 148], '4x3': [101.6, 76.2], '4x6': [101.6, 152.4], cr80: [85.6, 54] } as const
const MARGIN_MM = 6
/**
 * Minimum side of a badge's QR code; smaller codes are hard to scan. A badge with many lines gets smaller text instead of a smaller code.
 */
const MIN_CODE_MM = 22
const LINE_HEIGHT = 1.5

/**
 * Renders a badge as a PDF with the fields of its design and the QR code that doors and lead scanners read. Returns null if the person has
 * no badge.
 */
export async function renderBadgePdf(ctx: DoorScanContext, person: ParticipantRow): Promise<Attachment | null> {
  if (person.status !== 'complete') return null
  const { config, facts } = await readDoorRules(ctx)
  const { badge } = config
  const code = createBadgeQrCode(ctx, badge, person)
  if (code === null) return null
  const [widthMm, heightMm] = badge.size === 'custom' ? [badge.widthMm!, badge.heightMm!] : SIZES[badge.size]
  const [width, height, margin] = [widthMm, heightMm, MARGIN_MM].map((mm) => mm * POINTS_PER_MM) as [number, number, number]
  const lines = await listBadgeTextLines(ctx, config, person, facts.locale)
  const linesHeight = lines.reduce((sum, { size }) => sum + size * LINE_HEIGHT, 0)
  const scale = Math.min(1, (height - 2 * margin - MIN_CODE_MM * POINTS_PER_MM) / linesHeight)
  const fonts = await loadFontsForText(lines.map(({ text }) => text).join(''))
  const { default: PDFDocument } = await import('pdfkit')
  const doc = new PDFDocument({
    size: [width, height],
    margin: 0,
    font: '',
    info: { Title: `Badge of ${toPersonName(person)}`, Creator: 'Lanyard' },
  })
  // pdfkit accepts a font object that is already open, but its TypeScript types do not allow one.
  for (const { name, opened } of fonts) doc.registerFont(name, opened as unknown as Buffer)
  const widthOf = (text: string, size: number) =>
    splitIntoFontRuns(text, fonts).reduce((sum, run) => sum + doc.font(run.font.name).fontSize(size).widthOfString(run.text), 0)
  let y = margin
  for (const { text, size: full } of lines) {
    const wanted = full * scale
    // A long name is printed in a smaller font instead of being cut off.
    const size = Math.min(wanted, (wanted * (width - 2 * margin)) / Math.max(1, widthOf(text, wanted)))
    let x = (width - widthOf(text, size)) / 2
    for (const run of splitIntoFontRuns(text, fonts)) {
      // Texts in different fonts are aligned to the same baseline.
      const top = y + (fonts[0]!.ascent - run.font.ascent) * size
      doc.font(run.font.name).fontSize(size).fillColor('#14171f').text(run.text, x, top, { lineBreak: false })
      x += doc.widthOfString(run.text)
    }
    y += size * LINE_HEIGHT
  }
  const side = Math.min(width - 2 * margin, height - y - margin)
  const picture = await toBuffer(code.text, { type: 'png', errorCorrectionLevel: code.ecc, margin: 2, scale: 8 })
  doc.image(picture, (width - side) / 2, y, { width: side })
  const content = await new Promise<Buffer>((resolve, reject) => {
    const parts: Buffer[] = []
    doc.on('data', (part: Buffer) => parts.push(part)).on('end', () => resolve(Buffer.concat(parts)))
    doc.on('error', reject)
    doc.end()
  })
  return { name: 'badge.pdf', mime: 'application/pdf', content }
}
