import { deflateSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { dxfFile, dxfLine, dxfPolygon, hallDxf, hallPdf, hallSvg, toPng } from '../../../../../test/support/floor-drawings.ts'
import { AppError } from '../../../../kernel/errors.ts'
import { SILENT_LOG } from '../../../../kernel/silent-log.ts'
import { findPolygonError } from '../../floor/polygons.ts'
import { scanFloorPlanInThread } from '../run-in-thread.ts'
import { scanFile, type FloorPlanScanRequest } from '../scan-file.ts'
import type { FloorPlanFileKind } from '../source-drawing.ts'

interface HostileFile {
  name: string
  kind: FloorPlanFileKind
  bytes: Buffer
}

const request = (kind: FloorPlanFileKind): FloorPlanScanRequest => ({
  kind,
  page: 1,
  kinds: null,
  layers: null,
  languages: ['en'],
  units: 'm',
  outlineSize: null,
})
const file = (kind: FloorPlanFileKind, name: string, content: string | Buffer): HostileFile => ({
  kind,
  name: `${kind}: ${name}`,
  bytes: Buffer.from(content),
})

/** Creates repeatable random numbers (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

const svg = (content: string, before = '') => `${before}<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30000 20000">${content}</svg>`
const entities = (count: number, of: (i: number) => string) => Array.from({ length: count }, (_, i) => of(i)).join('')

const SVG_FILES: readonly (readonly [name: string, content: string])[] = [
  [
    'entity bomb',
    svg(
      '<text>&i;</text>',
      `<!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa">${entities(9, (i) => `<!ENTITY ${'bcdefghij'[i]} "${`&${'abcdefghi'[i]};`.repeat(10)}">`)}]>`,
    ),
  ],
  ['external entity', svg('<text>&x;</text>', '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>')],
  ['parameter entity', svg('', '<!DOCTYPE svg [<!ENTITY % x SYSTEM "http://127.0.0.1/x"> %x;]>')],
  ['undefined entity', svg('<text>&nbsp;</text>')],
  ['deep groups', svg('<g>'.repeat(5000) + '</g>'.repeat(5000))],
  ['many elements', svg('<g/>'.repeat(500_001))],
  [
    'use bomb',
    svg(
      `<defs><g id="a0"><rect width="9" height="9"/></g>${entities(8, (i) => `<g id="a${i + 1}">${`<use href="#a${i}"/>`.repeat(10)}</g>`)}</defs><use href="#a8"/>`,
    ),
  ],
  ['use of itself', svg('<g id="a"><use href="#a"/></g>')],
  ['huge coordinates', svg('<path d="M0 0 L1e300 1e300 L0 1e300 Z"/>')],
  ['huge transform', svg('<g transform="scale(1e200)"><rect width="1e200" height="9"/></g>')],
  ['coordinates that are not numbers', svg('<rect width="NaN" height="x"/><polygon points="a b c"/><path d="quux"/>')],
  ['script only', svg('<script>while (true) {}</script>')],
  ['external picture only', svg('<image href="http://127.0.0.1/x.png" width="9" height="9"/>')],
  ['foreign content only', svg('<foreignObject><div>x</div></foreignObject>')],
  ['another root', '<html><body>WC</body></html>'],
  ['no root', '<!-- nothing -->'],
  ['nothing', ''],
  ['two roots', svg('') + svg('')],
  ['duplicate attribute', svg('<rect width="1" width="2"/>')],
  ['open section', svg('<text><![CDATA[WC</text>')],
  ['wrong nesting', svg('<g><text>WC</g></text>')],
  ['control characters', svg('<text>\u0000\u0001</text>')],
  ['hidden content only', svg('<g display="none"><rect width="9" height="9"/></g>')],
]

const DXF_FILES: readonly (readonly [name: string, content: string])[] = [
  ['nothing', ''],
  ['header only', dxfFile(4, []).slice(0, 60)],
  ['no entities', dxfFile(4, [])],
  ['binary DXF', `AutoCAD Binary DXF\r\n\u001a\u0000${'\u0001'.repeat(100)}`],
  ['DWG', `AC1032${'\u0000'.repeat(100)}`],
  [
    'corners without end',
    dxfFile(4, [
      [0, 'LWPOLYLINE'],
      [8, '0'],
      [90, 999999999],
      [70, 1],
      [10, 0],
      [20, 0],
    ]),
  ],
  ['huge coordinates', dxfFile(4, dxfLine('0', [0, 0, 1e300, 1e300]))],
  [
    'coordinates that are not numbers',
    dxfFile(4, [
      [0, 'LINE'],
      [8, '0'],
      [10, 'x'],
      [20, 'y'],
      [11, 'z'],
      [21, 'w'],
    ]),
  ],
  [
    'block of itself',
    dxfFile(
      4,
      [
        [0, 'INSERT'],
        [2, 'A'],
        [10, 0],
        [20, 0],
      ],
      [
        [0, 'BLOCK'],
        [2, 'A'],
        [10, 0],
        [20, 0],
        ...Array.from(
          { length: 10 },
          () =>
            [
              [0, 'INSERT'],
              [2, 'A'],
              [10, 1],
              [20, 1],
            ] as const,
        ).flat(),
        [0, 'ENDBLK'],
      ],
    ),
  ],
  [
    'array of blocks',
    dxfFile(
      4,
      [
        [0, 'INSERT'],
        [2, 'A'],
        [10, 0],
        [20, 0],
        [70, 30000],
        [71, 30000],
        [44, 1],
        [45, 1],
      ],
      [[0, 'BLOCK'], [2, 'A'], [10, 0], [20, 0], ...dxfLine('0', [0, 0, 1, 1]), [0, 'ENDBLK']],
    ),
  ],
  ['many entities', `${dxfFile(4, []).replace('ENTITIES\n', `ENTITIES\n${'0\nPOINT\n'.repeat(500_001)}`)}`],
  [
    'unknown block',
    dxfFile(4, [
      [0, 'INSERT'],
      [2, '__proto__'],
      [10, 0],
      [20, 0],
    ]),
  ],
  ['no section end', dxfFile(4, dxfLine('0', [0, 0, 1, 1])).replaceAll('0\nENDSEC\n', '')],
  ['shifted pairs', `x\n${hallDxf()}`],
  ['text', 'This is not a drawing.\n'.repeat(50)],
]

async function listFiles(): Promise<HostileFile[]> {
  const random = createRandom(7)
  const pdf = await hallPdf()
  const png = toPng(hallSvg())
  const whole = { svg: Buffer.from(hallSvg()), dxf: Buffer.from(hallDxf()), pdf, image: png } as const
  const object = (content: string) => Buffer.from(`%PDF-1.7\n1 0 obj\n${content}\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF`)
  const bomb = deflateSync(Buffer.alloc(410 * 1024 * 1024), { level: 1 })
  const cut = (kind: FloorPlanFileKind, share: number) =>
    file(kind, `first ${Math.round(share * 100)} %`, whole[kind].subarray(0, Math.floor(whole[kind].length * share)))
  const shares = (count: number, most: number) => Array.from({ length: count }, (_, i) => ((i + 0.5) / count) * most)
  return [
    ...SVG_FILES.map(([name, content]) => file('svg', name, content)),
    ...DXF_FILES.map(([name, content]) => file('dxf', name, content)),
    ...shares(48, 0.98).map((share) => cut('svg', share)),
    ...shares(48, 0.98).map((share) => cut('dxf', share)),
    ...shares(20, 0.6).map((share) => cut('pdf', share)),
    ...shares(20, 0.9).map((share) => cut('image', share)),
    ...Array.from({ length: 20 }, (_, i) =>
      file(
        i % 2 ? 'pdf' : 'image',
        `noise ${i}`,
        Buffer.concat([
          i % 2 ? pdf.subarray(0, 9) : png.subarray(0, 8),
          Buffer.from(Array.from({ length: 300 }, () => Math.floor(random() * 256))),
        ]),
      ),
    ),
    file('pdf', 'nothing', ''),
    file('pdf', 'header only', '%PDF-1.7\n'),
    file('pdf', 'pages that contain themselves', object('<< /Type /Catalog /Pages << /Type /Pages /Count 9 /Kids [1 0 R] >> >>')),
    file('pdf', 'no pages', object('<< /Type /Catalog >>')),
    file(
      'pdf',
      'compression bomb',
      Buffer.concat([
        Buffer.from(`%PDF-1.7\n1 0 obj\n<< /Length ${bomb.length} /Filter /FlateDecode >>\nstream\n`),
        bomb,
        Buffer.from('\nendstream\nendobj\n%%EOF'),
      ]),
    ),
    file('image', 'nothing', ''),
    file('image', 'picture of 8 gigapixels', Buffer.from('89504e470d0a1a0a0000000d4948445200015f9000015f900800000000', 'hex')),
  ]
}

describe('scanFile', () => {
  let files: HostileFile[]
  beforeAll(async () => {
    files = await listFiles()
  })

  it('rejects 200 damaged or hostile floor plan files with a clear error', async () => {
    expect(files.length).toBeGreaterThanOrEqual(200)
    const unclear: string[] = []
    for (const { name, kind, bytes } of files) {
      const error = await scanFile(bytes, request(kind), () => {}).then(
        () => null,
        (reason: unknown) => reason,
      )
      if (!(error instanceof AppError) || !/^[A-Z].{10,}$/.test(error.message))
        unclear.push(`${name}: ${String((error as Error | null)?.message ?? 'no error')}`)
    }
    expect(unclear).toEqual([])
    // Nothing of the files may stay in memory.
    expect(process.memoryUsage().heapUsed).toBeLessThan(1024 ** 3)
  }, 120_000)

  it('returns polygons that do not cross themselves for a drawing whose lines cross', async () => {
    const crossing = svg('<path d="M1000 1000 L29000 19000 L29000 1000 L1000 19000 Z"/>')
    const { findings } = await scanFile(Buffer.from(crossing), request('svg'), () => {})
    for (const { polygon } of findings) expect(polygon && findPolygonError(polygon, 'm')).toBe(null)
    const star = dxfFile(
      4,
      dxfPolygon('COLUMNS', [
        [0, 0],
        [1000, 1000],
        [1000, 0],
        [0, 1000],
      ]),
    )
    expect(
      (await scanFile(Buffer.from(star), request('dxf'), () => {})).findings
        .filter(({ kind }) => kind === 'pillar')
        .every(({ polygon }) => findPolygonError(polygon!, 'm') === null),
    ).toBe(true)
  })

  it('skips the search for rooms in a floor plan with too many crossing lines', async () => {
    const hatch = entities(1600, (i) => `<path d="M${i * 8} 0 L${12_800 - i * 8} 12800"/>`)
    const hall = `<svg xmlns="http://www.w3.org/2000/svg" width="500000mm" height="500000mm" viewBox="0 0 500000 500000">${hatch}<rect x="-9" y="-9" width="400000" height="400000"/></svg>`
    const { findings } = await scanFile(Buffer.from(hall), request('svg'), () => {})
    expect(findings).toMatchObject([{ kind: 'outline', evidence: ['largest_face'] }])
  }, 60_000)
})

describe('scanFloorPlanInThread', () => {
  const inThread = (bytes: Buffer, memoryMb?: number) =>
    scanFloorPlanInThread(bytes, request('svg'), { log: SILENT_LOG, progress: () => {}, ...(memoryMb ? { memoryMb } : {}) })

  it('stops a floor plan scan whose thread exceeds its memory limit', async () => {
    const large = Buffer.from(svg(entities(150_000, (i) => `<g id="group-${i}"><rect x="${i}" y="${i}" width="9" height="9"/></g>`)))
    await expect(inThread(large, 32)).rejects.toMatchObject({ code: 'limit_exceeded', message: expect.stringContaining('memory') })
  }, 60_000)

  it('reports an unexpected error of a file reader without its details', async () => {
    await expect(inThread(null as never)).rejects.toMatchObject({
      code: 'invalid_arguments',
      message: expect.stringMatching(/^The file is damaged/),
    })
  })
})
