import { type FontPart, runsOf } from './typeface.ts'

export interface Style {
  size?: number
  bold?: boolean
  muted?: boolean
  align?: 'left' | 'right'
}

export interface Cell extends Style {
  text: string
  x: number
  width: number
}

interface Paper {
  title: string
  author: string
  language: string
  createdAt: Date
  fonts: readonly FontPart[]
  /** At the foot of every page. */
  foot: (page: number, pages: number) => string
}

export const LEFT = 56
export const RIGHT = 539
const TOP = 56
const BOTTOM = 770
const FOOT = 796
const LINE = 1.4

/** Sheets of A4 that are written from top to bottom, by a large library that is loaded for the first of them. Every text says what it is, so that programs can read the pages aloud. */
export async function newSheet({ title, author, language, createdAt, fonts, foot }: Paper) {
  const { default: PDFDocument } = await import('pdfkit')
  const doc = new PDFDocument({
    size: 'A4',
    margin: 0,
    pdfVersion: '1.7',
    lang: language,
    tagged: true,
    displayTitle: true,
    bufferPages: true,
    // Else it reads one that no text is in.
    font: '',
    // The same invoice is the same file, whenever it is written.
    info: { Title: title, Author: author, Creator: 'Lanyard', Producer: 'Lanyard', CreationDate: createdAt, ModDate: createdAt },
  })
  // It takes an opened font as well, which its types do not know yet.
  for (const { name, opened } of fonts) doc.registerFont(name, opened as unknown as Buffer)
  const root = doc.struct('Document')
  doc.addStructure(root)
  let parent = root
  let y = TOP

  const widthOf = (text: string, size: number) =>
    runsOf(text, fonts).reduce((sum, run) => sum + doc.font(run.font.name).fontSize(size).widthOfString(run.text), 0)

  /** Between words where it can, inside one where it must. */
  function wrapped(text: string, width: number, size: number): string[] {
    return text.split('\n').flatMap((paragraph) => {
      const lines: string[] = []
      let line = ''
      for (const word of paragraph.split(/(?<=\s)/)) {
        if (line !== '' && widthOf((line + word).trimEnd(), size) > width) {
          lines.push(line.trimEnd())
          line = ''
        }
        line += word
        while (widthOf(line.trimEnd(), size) > width && line.length > 1) {
          let fits = line.length - 1
          while (fits > 1 && widthOf(line.slice(0, fits), size) > width) fits--
          lines.push(line.slice(0, fits))
          line = line.slice(fits)
        }
      }
      return [...lines, line.trimEnd()]
    })
  }

  function drawLine(text: string, { x, width, align, size = 10, bold, muted }: Cell, top: number): void {
    let at = align === 'right' ? x + width - widthOf(text, size) : x
    const colour = muted ? '#5a6273' : '#14171f'
    for (const run of runsOf(text, fonts)) {
      doc
        .font(run.font.name)
        .fontSize(size)
        .fillColor(colour)
        .strokeColor(colour)
        .lineWidth(size / 32)
      doc.text(run.text, at, top, { lineBreak: false, fill: true, stroke: bold ?? false })
      at += doc.widthOfString(run.text)
    }
  }

  /** Marks cannot go from one page to the next, so what belongs together begins a new one. */
  function makeRoom(height: number): void {
    if (y + height <= BOTTOM) return
    doc.addPage()
    y = TOP
  }

  function cells(row: readonly Cell[], kinds: (index: number) => string, container = parent): number {
    const drawn = row.map((cell) => ({ cell, lines: wrapped(cell.text, cell.width, cell.size ?? 10) }))
    const heightOf = ({ cell, lines }: (typeof drawn)[number]) => lines.length * (cell.size ?? 10) * LINE
    const height = Math.max(...drawn.map(heightOf))
    makeRoom(height)
    drawn.forEach(({ cell, lines }, index) => {
      container.add(
        doc.struct(kinds(index), {}, [() => lines.forEach((line, number) => drawLine(line, cell, y + number * (cell.size ?? 10) * LINE))]),
      )
    })
    y += height
    return height
  }

  return {
    text(text: string, { as = 'P', ...style }: Style & { as?: string } = {}) {
      const lines = wrapped(text, RIGHT - LEFT, style.size ?? 10)
      // A long text goes on over the page, a few lines at a time.
      for (let at = 0; at < lines.length; at += 10)
        cells([{ x: LEFT, width: RIGHT - LEFT, ...style, text: lines.slice(at, at + 10).join('\n') }], () => as)
    },
    /** Texts side by side. */
    beside: (row: readonly Cell[]) => void cells(row, () => 'P'),
    row(row: readonly Cell[], heading = false) {
      const line = doc.struct('TR')
      parent.add(line)
      cells(row, () => (heading ? 'TH' : 'TD'), line)
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
    space: (height: number) => void (y += height),
    rule() {
      makeRoom(12)
      doc.markContent('Artifact', { type: 'Layout' })
      doc
        .strokeColor('#dfe3ea')
        .lineWidth(0.75)
        .moveTo(LEFT, y + 4)
        .lineTo(RIGHT, y + 4)
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
        drawLine(foot(page + 1, count), { text: '', x: LEFT, width: RIGHT - LEFT, size: 8, muted: true, align: 'right' }, FOOT)
        doc.endMarkedContent()
      }
      doc.end()
      const chunks: Buffer[] = []
      for await (const chunk of doc) chunks.push(chunk as Buffer)
      return Buffer.concat(chunks)
    },
  }
}

export type Sheet = Awaited<ReturnType<typeof newSheet>>
