import type { FontSubset } from '../../fonts/font-parts.ts'
import { hasRightToLeftText } from '../../fonts/characters.ts'
import { splitIntoFontRuns } from '../../fonts/font-runs.ts'
import { wrapTextIntoLines } from '../../fonts/line-breaks.ts'

export interface TextStyle {
  size?: number
  bold?: boolean
  muted?: boolean
  align?: 'left' | 'right' | 'center'
}

export interface PdfSheetCell extends TextStyle {
  text: string
  x: number
  width: number
}

interface SheetOptions {
  title: string
  author: string
  language: string
  createdAt: Date
  fonts: readonly FontSubset[]
  /** Returns the footer text of a page. */
  foot: (page: number, pages: number) => string
  /** The width and height of the pages in points; defaults to A4 in portrait. */
  size?: readonly [width: number, height: number]
}

/** Width and height of an A4 page in points. */
export const A4_SIZE_PT: readonly [number, number] = [595, 842]
const MARGIN = 56
export const LEFT_EDGE_PT = MARGIN
export const RIGHT_EDGE_PT = A4_SIZE_PT[0] - MARGIN
const TOP = MARGIN
/** The space below the last line of a page in points, which contains the footer. */
const BOTTOM_MARGIN = 72
const FOOTER_HEIGHT = 46
const LINE_HEIGHT = 1.4

const DEFAULT_SIZE = 10

/** Creates a tagged (accessible) PDF that is written from top to bottom. pdfkit is large, so it is loaded on first use. */
export async function createPdfSheet(options: SheetOptions): Promise<PdfSheet> {
  return new PdfSheet(await openDocument(options), options)
}

type Document = Awaited<ReturnType<typeof openDocument>>
type Structure = ReturnType<Document['struct']>

async function openDocument({ title, author, language, createdAt, fonts, size = A4_SIZE_PT }: SheetOptions) {
  const { default: PDFDocument } = await import('pdfkit')
  const doc = new PDFDocument({
    size: size === A4_SIZE_PT ? 'A4' : [...size],
    margin: 0,
    pdfVersion: '1.7',
    lang: language,
    tagged: true,
    displayTitle: true,
    bufferPages: true,
    // An empty font name prevents pdfkit from loading its default font.
    font: '',
    // Fixed dates make the PDF deterministic.
    info: { Title: title, Author: author, Creator: 'Lanyard', Producer: 'Lanyard', CreationDate: createdAt, ModDate: createdAt },
  })
  // pdfkit accepts a font object, but its TypeScript types do not.
  for (const { name, opened } of fonts) doc.registerFont(name, opened as unknown as Buffer)
  return doc
}

class LineWriter {
  readonly #doc: Document
  readonly #fonts: readonly FontSubset[]

  constructor(doc: Document, fonts: readonly FontSubset[]) {
    this.#doc = doc
    this.#fonts = fonts
  }

  wrap({ text, width, size = DEFAULT_SIZE }: PdfSheetCell): string[] {
    return wrapTextIntoLines(text, width, (line) => this.#widthOf(line, size))
  }

  /** Draws the lines of a table cell below each other. */
  drawAll(lines: readonly string[], cell: PdfSheetCell, top: number): void {
    lines.forEach((line, number) => this.draw(line, cell, top + number * lineHeightOf(cell)))
  }

  draw(text: string, { text: paragraph, x, width, align, size = DEFAULT_SIZE, bold, muted }: PdfSheetCell, top: number): void {
    const [doc, fonts] = [this.#doc, this.#fonts]
    const free = align === undefined || align === 'left' ? 0 : width - this.#widthOf(text, size)
    let at = x + (align === 'center' ? free / 2 : free)
    const colour = muted ? '#5a6273' : '#14171f'
    // Text with Hebrew or Arabic is printed in visual order, so its logical order is added for search, copying and screen readers.
    const isReordered = hasRightToLeftText(text)
    if (isReordered) doc.markContent('Span', { actual: text })
    for (const run of splitIntoFontRuns(text, fonts, paragraph)) {
      doc
        .font(run.font.name)
        .fontSize(size)
        .fillColor(colour)
        .strokeColor(colour)
        .lineWidth(size / 32)
      // Texts in different fonts share a baseline.
      doc.text(run.text, at, top + (fonts[0]!.ascent - run.font.ascent) * size, { lineBreak: false, fill: true, stroke: bold ?? false })
      at += doc.widthOfString(run.text)
    }
    if (isReordered) doc.endMarkedContent()
  }

  #widthOf(text: string, size: number): number {
    return splitIntoFontRuns(text, this.#fonts).reduce(
      (sum, run) => sum + this.#doc.font(run.font.name).fontSize(size).widthOfString(run.text),
      0,
    )
  }
}

const lineHeightOf = ({ size = DEFAULT_SIZE }: TextStyle) => size * LINE_HEIGHT

/** A PDF document whose pages are written from top to bottom. */
export class PdfSheet {
  readonly #doc: Document
  readonly #foot: SheetOptions['foot']
  readonly #lines: LineWriter
  readonly #root: Structure
  readonly #right: number
  readonly #size: readonly [width: number, height: number]
  /** The element of the PDF structure tree that the next rows are added to. */
  #parent: Structure
  /** The header cells of the current table, which are repeated on every new page. */
  #repeated: readonly PdfSheetCell[] | null = null
  #y = TOP

  constructor(doc: Document, options: SheetOptions) {
    this.#doc = doc
    this.#foot = options.foot
    this.#size = options.size ?? A4_SIZE_PT
    this.#right = this.#size[0] - MARGIN
    this.#lines = new LineWriter(doc, options.fonts)
    this.#root = doc.struct('Document')
    doc.addStructure(this.#root)
    this.#parent = this.#root
  }

  text(text: string, { as = 'P', ...style }: TextStyle & { as?: string } = {}): void {
    const cell = { x: LEFT_EDGE_PT, width: this.#right - LEFT_EDGE_PT, ...style, text }
    const lines = this.#lines.wrap(cell)
    // Long texts are split into blocks of ten lines, so that they can continue on the next page.
    for (let at = 0; at < lines.length; at += 10) this.#drawCells([{ ...cell, text: lines.slice(at, at + 10).join('\n') }], as)
  }

  /** Prints texts side by side in one row. */
  beside(row: readonly PdfSheetCell[]): void {
    this.#drawCells(row, 'P')
  }

  row(row: readonly PdfSheetCell[], heading = false): void {
    const line = this.#doc.struct('TR')
    this.#parent.add(line)
    this.#drawCells(row, heading ? 'TH' : 'TD', line)
    line.end()
  }

  table(write: () => void): void {
    const end = this.#startTable()
    write()
    end()
  }

  /** Starts a table whose header is repeated on every page. Returns a function that ends the table. */
  openTable(header: readonly PdfSheetCell[]): () => void {
    const end = this.#startTable()
    this.row(header, true)
    this.#repeated = header
    return end
  }

  /** Ends the current page, so that the next text starts on a new page. */
  breakPage(): void {
    this.#doc.addPage()
    this.#y = TOP
  }

  /** Prints a picture, scaled down to fit. */
  picture(png: Buffer, { width, height, alt }: { width: number; height: number; alt: string }): void {
    this.#ensureRoom(height)
    this.#root.add(this.#doc.struct('Figure', { alt }, [() => void this.#doc.image(png, LEFT_EDGE_PT, this.#y, { fit: [width, height] })]))
    this.#y += height
  }

  space(height: number): void {
    this.#y += height
  }

  rule(): void {
    this.#ensureRoom(12)
    this.#doc.markContent('Artifact', { type: 'Layout' })
    this.#doc
      .strokeColor('#dfe3ea')
      .lineWidth(0.75)
      .moveTo(LEFT_EDGE_PT, this.#y + 4)
      .lineTo(this.#right, this.#y + 4)
      .stroke()
    this.#doc.endMarkedContent()
    this.#y += 10
  }

  async end(): Promise<Buffer> {
    const doc = this.#doc
    this.#root.end()
    const { count } = doc.bufferedPageRange()
    for (let page = 0; page < count; page++) {
      doc.switchToPage(page)
      this.#drawFooter(this.#foot(page + 1, count))
    }
    doc.end()
    const chunks: Buffer[] = []
    for await (const chunk of doc) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks)
  }

  #drawFooter(text: string): void {
    this.#doc.markContent('Artifact', { type: 'Pagination' })
    const cell: PdfSheetCell = { text, x: LEFT_EDGE_PT, width: this.#right - LEFT_EDGE_PT, size: 8, muted: true, align: 'right' }
    this.#lines.draw(text, cell, this.#size[1] - FOOTER_HEIGHT)
    this.#doc.endMarkedContent()
  }

  #startTable(): () => void {
    const table = this.#doc.struct('Table')
    this.#root.add(table)
    this.#parent = table
    return () => {
      table.end()
      this.#parent = this.#root
      this.#repeated = null
    }
  }

  /** Starts a new page if a block of this height does not fit on the current one, because marked PDF content cannot span pages. */
  #ensureRoom(height: number): void {
    if (this.#y + height <= this.#size[1] - BOTTOM_MARGIN) return
    this.breakPage()
    if (this.#repeated) this.#drawRepeatedHeader(this.#repeated)
  }

  /** Draws the table header again on a new page. Only the first header is in the structure tree, so screen readers read it once. */
  #drawRepeatedHeader(row: readonly PdfSheetCell[]): void {
    const { drawn, height } = this.#layOut(row)
    this.#doc.markContent('Artifact', { type: 'Pagination' })
    for (const { cell, lines } of drawn) this.#lines.drawAll(lines, cell, this.#y)
    this.#doc.endMarkedContent()
    this.#y += height + 4
  }

  #drawCells(row: readonly PdfSheetCell[], kind: string, container = this.#parent): void {
    const { drawn, height } = this.#layOut(row)
    this.#ensureRoom(height)
    for (const { cell, lines } of drawn) container.add(this.#doc.struct(kind, {}, [() => this.#lines.drawAll(lines, cell, this.#y)]))
    this.#y += height
  }

  #layOut(row: readonly PdfSheetCell[]) {
    const drawn = row.map((cell) => ({ cell, lines: this.#lines.wrap(cell) }))
    return { drawn, height: Math.max(...drawn.map(({ cell, lines }) => lines.length * lineHeightOf(cell))) }
  }
}
