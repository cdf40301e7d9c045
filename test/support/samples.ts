import { crc32, deflateRawSync } from 'node:zlib'

const bytes = (...parts: (string | number[])[]) => Buffer.concat(parts.map((part) => Buffer.from(part as string, 'latin1')))

/** A ZIP archive: each entry with its header, then the central directory. */
export function buildZip(entries: Record<string, string | Buffer>): Buffer {
  const locals: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const [name, content] of Object.entries(entries)) {
    const plain = Buffer.from(content as string)
    const packed = deflateRawSync(plain)
    const fixed = Buffer.alloc(26)
    fixed.writeUInt16LE(20, 0)
    fixed.writeUInt16LE(8, 4)
    fixed.writeUInt32LE(crc32(plain), 10)
    fixed.writeUInt32LE(packed.length, 14)
    fixed.writeUInt32LE(plain.length, 18)
    fixed.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), fixed, Buffer.from(name), packed])
    const listed = Buffer.alloc(16)
    listed.writeUInt32LE(offset, 12)
    central.push(
      Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.from([20, 0]), fixed, listed.subarray(0, 2), listed.subarray(2), Buffer.from(name)]),
    )
    locals.push(local)
    offset += local.length
  }
  const list = Buffer.concat(central)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(locals.length, 4)
  end.writeUInt16LE(locals.length, 6)
  end.writeUInt32LE(list.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...locals, list, Buffer.from('PK\x05\x06'), end])
}

const contentTypes = (part: string, type: string) =>
  `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="${part}" ContentType="${type}"/></Types>`

const SHEET = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const WORDS = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'

const png = (width: number) => {
  const chunk = (type: string, content: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), content])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(content.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(1, 4)
  head.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([
    bytes([0x89], 'PNG\r\n', [0x1a], '\n'),
    chunk('IHDR', head),
    chunk('IDAT', Buffer.from([0x78, 0x9c, 3, 0, 0, 0, 0, 1])),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Small files of each type with the correct magic bytes. */
export const SAMPLE_FILES = {
  png: png(1),
  jpeg: bytes([0xff, 0xd8, 0xff, 0xe0, 0, 16], 'JFIF', [0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0xff, 0xd9]),
  gif: bytes('GIF89a', [1, 0, 1, 0, 0, 0, 0, 0x3b]),
  webp: bytes('RIFF', [26, 0, 0, 0], 'WEBPVP8L', [13, 0, 0, 0, 0x2f, 0, 0, 0, 0x10, 7, 0x10, 0x11, 0x11, 0x88, 0x88, 0xfe, 7, 0]),
  pdf: bytes('%PDF-1.7\n%', [0xe2, 0xe3, 0xcf, 0xd3], '\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n'),
  xlsx: buildZip({ '[Content_Types].xml': contentTypes('/xl/workbook.xml', `${SHEET}.main+xml`), 'xl/workbook.xml': '<workbook/>' }),
  docx: buildZip({ '[Content_Types].xml': contentTypes('/word/document.xml', `${WORDS}.main+xml`), 'word/document.xml': '<document/>' }),
  zip: buildZip({ 'readme.txt': 'hello' }),
  svg: bytes('<?xml version="1.0"?>\n<!-- drawn -->\n<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
  html: bytes('<!doctype html>\n<html><script>alert(1)</script></html>'),
  csv: bytes('Pr\xe9nom;Nom;Courriel\nAn\xe4;B;a@example.org\n'),
  text: bytes('Just a line of text.\n'),
  json: bytes(' {"a": [1, 2]}\n'),
  calendar: bytes('BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n'),
  dxf: bytes('  999\r\nmade by hand\r\n  0\r\nSECTION\r\n  2\r\nHEADER\r\n'),
  exe: bytes('MZ', [0x90, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0xff, 0xff, 0, 0]),
  gzip: bytes([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
} as const
