import { crc32, deflateRawSync } from 'node:zlib'

interface Part {
  name: string
  content: string | Buffer
  /** The unpacked size that the central directory declares, if it differs from the real size. */
  claims?: number
  flags?: number
}

/** Builds a ZIP archive from these files. */
export function buildZip(parts: readonly Part[]): Buffer {
  const [files, table]: [Buffer[], Buffer[]] = [[], []]
  let at = 0
  for (const { name, content, claims, flags = 0 } of parts) {
    const raw = Buffer.from(content)
    const packed = deflateRawSync(raw)
    const head = Buffer.alloc(30)
    head.writeUInt32LE(0x04034b50, 0)
    head.writeUInt16LE(20, 4)
    head.writeUInt16LE(flags, 6)
    head.writeUInt16LE(8, 8)
    head.writeUInt32LE(crc32(raw), 14)
    head.writeUInt32LE(packed.length, 18)
    head.writeUInt32LE(claims ?? raw.length, 22)
    head.writeUInt16LE(name.length, 26)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50, 0)
    head.copy(entry, 6, 4, 28)
    entry.writeUInt32LE(at, 42)
    files.push(head, Buffer.from(name), packed)
    table.push(entry, Buffer.from(name))
    at += 30 + name.length + packed.length
  }
  const size = table.reduce((sum, piece) => sum + piece.length, 0)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(parts.length, 8)
  end.writeUInt16LE(parts.length, 10)
  end.writeUInt32LE(size, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...files, ...table, end])
}

interface Book {
  /** The raw XML of the rows of each sheet. */
  sheets: Record<string, string>
  texts?: readonly string[]
  /** The number formats by style index, starting at 1. */
  formats?: readonly string[]
  date1904?: boolean
  merged?: readonly string[]
  hidden?: readonly string[]
  more?: readonly Part[]
}

/** Builds a workbook from raw row XML, so that a test controls the exact content. */
export function buildWorkbook({ sheets, texts = [], formats = [], date1904 = false, merged = [], hidden = [], more = [] }: Book): Buffer {
  const names = Object.keys(sheets)
  return buildZip([
    { name: '[Content_Types].xml', content: '<Types/>' },
    ...names.map((name, index) => ({
      name: `xl/worksheets/sheet${index + 1}.xml`,
      content: `<?xml version="1.0"?><worksheet><sheetData>${sheets[name]}</sheetData>${
        merged.length > 0
          ? `<mergeCells count="${merged.length}">${merged.map((ref) => `<mergeCell ref="${ref}"/>`).join('')}</mergeCells>`
          : ''
      }</worksheet>`,
    })),
    { name: 'xl/sharedStrings.xml', content: `<sst>${texts.map((text) => `<si>${text}</si>`).join('')}</sst>` },
    {
      name: 'xl/styles.xml',
      content: `<styleSheet><numFmts>${formats.map((code, index) => `<numFmt numFmtId="${200 + index}" formatCode="${code}"/>`).join('')}</numFmts>
        <cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>
        <cellXfs><xf numFmtId="0"/>${formats.map((_, index) => `<xf numFmtId="${200 + index}"/>`).join('')}<xf numFmtId="14"/></cellXfs></styleSheet>`,
    },
    {
      name: 'xl/workbook.xml',
      content: `<workbook>${date1904 ? '<workbookPr date1904="1"/>' : ''}<sheets>${names
        .map(
          (name, index) =>
            `<sheet name="${name}" sheetId="${index + 1}" r:id="rId${index + 1}"${hidden.includes(name) ? ' state="hidden"' : ''}/>`,
        )
        .join('')}</sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      content: `<Relationships>${names.map((_, index) => `<Relationship Id="rId${index + 1}" Type="x/worksheet" Target="worksheets/sheet${index + 1}.xml"/>`).join('')}</Relationships>`,
    },
    ...more,
  ])
}
