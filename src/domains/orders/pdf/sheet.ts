import type { FontPart } from '../../fonts/font-parts.ts'
import { hasRightToLeft } from '../../fonts/characters.ts'
import { splitIntoFontRuns } from '../../fonts/font-runs.ts'
import { wrapLines } from '../../fonts/line-breaks.ts'

export interface TextStyle {
  size?: number
  bold?: boolean
  muted?: boolean
  align?: 'left' | 'right' | 'center'
}

export interface SheetCell extends TextStyle {
  text: string
  x: number
  width: number
}

interface SheetOptions {
  title: string
  author: string
  language: string
  createdAt: Date
  fonts: readonly FontPart[]
  /** Footer of every page. */
  foot: (page: number, pages: number) => string
  /** Width and height of the pages in points; A4 in portrait unless given. */
  size?: readonly [width: number, height: number]
}

/** Width and height of an A4 page in points. */
export const A4: readonly [number, number] = [595, 842]
const MARGIN = 56
export const LEFT = MARGIN
export const RIGHT = A4[0] - MARGIN
const TOP = MARGIN
const LINE_HEIGHT = 1.4

/** Writes tagged (accessible) pages from top to bottom. pdfkit is large, so it is loaded on first use. */
export async function createSheet({ title, author, language, createdAt, fonts, foot, size = A4 }: SheetOptions) {
  const { default: PDFDocument } = await import('pdfkit')
  const [right, bottom, footerY] = [size[0] - MARGIN, size[1] - 72, size[1] - 46]
  /** Cells that every further page of the current table starts with. */
  let repeated: readonly SheetCell[] | null = null
  const doc = new PDFDocument({
    size: size === A4 ? 'A4' : [...size],
    margin: 0,
    pdfVersion: '1.7',
    lang: language,
    tagged: true,
    displayTitle: true,
    bufferPages: true,
    // Prevents pdfkit from loading its default font.
    font: '',
    // Fixed dates make the output deterministic.
    info: { Title: title, Author: author, Creator: 'Lanyard', Producer: 'Lanyard', CreationDate: createdAt, ModDate: createdAt },
  })
  // pdfkit accepts an opened font, but its types do not.
  for (const { name, opened } of fonts) doc.registerFont(name, opened as unknown as Buffer)
  const root = doc.struct('Document')
  doc.addStructure(root)
  let parent = root
  let y = TOP

  const widthOf = (text: string, size: number) =>
    splitIntoFontRuns(text, fonts).reduce((sum, run) => sum + doc.font(run.font.name).fontSize(size).widthOfString(run.text), 0)

  const wrapText = (text: string, width: number, size: number) => wrapLines(text, width, (line) => widthOf(line, size))

  function drawLine(text: string, { text: paragraph, x, width, align, size = 10, bold, muted }: SheetCell, top: number): void {
    const free = align === undefined || align === 'left' ? 0 : width - widthOf(text, size)
    let at = x + (align === 'center' ? free / 2 : free)
    const colour = muted ? '#5a6273' : '#14171f'
    // Runs are printed from left to right. Search, copying and screen readers get the text in its own order.
    const isReordered = hasRightToLeft(text)
    if (isReordered) doc.markContent('Span', { actual: text })
    for (const run of splitIntoFontRuns(text, fonts, paragraph)) {
      doc
        .font(run.font.name)
        .fontSize(size)
        .fillColor(colour)
        .strokeColor(colour)
        .lineWidth(size / 32)
      // All fonts stand on the same baseline.
      doc.text(run.text, at, top + (fonts[0]!.ascent - run.font.ascent) * size, { lineBreak: false, fill: true, stroke: bold ?? false })
      at += doc.widthOfString(run.text)
    }
    if (isReordered) doc.endMarkedContent()
  }

  /** Starts a new page if a block of this height does not fit, because marked content cannot span pages. */
  function ensureRoom(height: number): void {
    if (y + height <= bottom) return
    doc.addPage()
    y = TOP
    if (repeated) drawRepeatedHeader(repeated)
  }

  /** The header is part of the table once; its copies on further pages are not read aloud. */
  function drawRepeatedHeader(row: readonly SheetCell[]): void {
    const drawn = row.map((cell) => ({ cell, lines: wrapText(cell.text, cell.width, cell.size ?? 10) }))
    doc.markContent('Artifact', { type: 'Pagination' })
    for (const { cell, lines } of drawn) lines.forEach((line, number) => drawLine(line, cell, y + number * (cell.size ?? 10) * LINE_HEIGHT))
    doc.endMarkedContent()
    y += Math.max(...drawn.map(({ cell, lines }) => lines.length * (cell.size ?? 10) * LINE_HEIGHT)) + 4
  }

  function drawCells(row: readonly SheetCell[], kinds: (index: number) => string, container = parent): number {
    const drawn = row.map((cell) => ({ cell, lines: wrapText(cell.text, cell.width, cell.size ?? 10) }))
    const heightOf = ({ cell, lines }: (typeof drawn)[number]) => lines.length * (cell.size ?? 10) * LINE_HEIGHT
    const height = Math.max(...drawn.map(heightOf))
    ensureRoom(height)
    drawn.forEach(({ cell, lines }, index) => {
      container.add(
        doc.struct(kinds(index), {}, [
          () => lines.forEach((line, number) => drawLine(line, cell, y + number * (cell.size ?? 10) * LINE_HEIGHT)),
        ]),
      )
    })
    y += height
    return height
  }

  return {
    text(text: string, { as = 'P', ...style }: TextStyle & { as?: string } = {}) {
      const lines = wrapText(text, right - LEFT, style.size ?? 10)
      // Long texts are split into blocks of ten lines, so that they can continue on the next page.
      for (let at = 0; at < lines.length; at += 10)
        drawCells([{ x: LEFT, width: right - LEFT, ...style, text: lines.slice(at, at + 10).join('\n') }], () => as)
    },
    /** Prints texts next to each other in one row. */
    beside: (row: readonly SheetCell[]) => void drawCells(row, () => 'P'),
    row(row: readonly SheetCell[], heading = false) {
      const line = doc.struct('TR')
      parent.add(line)
      drawCells(row, () => (heading ? 'TH' : 'TD'), line)
      line.end()
    },
    table(write: () => void) {
      const table = doc.struct('Table')
      root.add(table)
      parent = table
      write()
      table.end()
      parent = root
    },
    /** Starts a table whose header is repeated on every page. The returned function ends it. */
    openTable(header: readonly SheetCell[]): () => void {
      const table = doc.struct('Table')
      root.add(table)
      parent = table
      this.row(header, true)
      repeated = header
      return () => {
        table.end()
        parent = root
        repeated = null
      }
    },
    /** The next text starts on a page of its own. */
    breakPage() {
      doc.addPage()
      y = TOP
    },
    /** Prints a picture, scaled down to fit. */
    picture(png: Buffer, { width, height, alt }: { width: number; height: number; alt: string }) {
      ensureRoom(height)
      root.add(doc.struct('Figure', { alt }, [() => void doc.image(png, LEFT, y, { fit: [width, height] })]))
      y += height
    },
    space: (height: number) => void (y += height),
    rule() {
      ensureRoom(12)
      doc.markContent('Artifact', { type: 'Layout' })
      doc
        .strokeColor('#dfe3ea')
        .lineWidth(0.75)
        .moveTo(LEFT, y + 4)
        .lineTo(right, y + 4)
        .stroke()
      doc.endMarkedContent()
      y += 10
    },
    async end(): Promise<Buffer> {
      root.end()
      const { count } = doc.bufferedPageRange()
      for (let page = 0; page < count; page++) {
        doc.switchToPage(page)
        doc.markContent('Artifact', { type: 'Pagination' })
        const text = foot(page + 1, count)
        drawLine(text, { text, x: LEFT, width: right - LEFT, size: 8, muted: true, align: 'right' }, footerY)
        doc.endMarkedContent()
      }
      doc.end()
      const chunks: Buffer[] = []
      for await (const chunk of doc) chunks.push(chunk as Buffer)
      return Buffer.concat(chunks)
    },
  }
}

export type Sheet = Awaited<ReturnType<typeof createSheet>>
