import { describe, expect, it } from 'vitest'
import {
  dxfFile,
  dxfLine,
  dxfPolygon,
  dxfText,
  hallDxf,
  hallPdf,
  hallSvg,
  square,
  toDxf,
  toPng,
} from '../../../../../test/support/floor-drawings.ts'
import type { RecognizedPlanObject, Point } from '../../floor/plan-shapes.ts'
import { recognizeDrawingObjects } from '../classify.ts'
import { applyAffineTransformation } from '../curves.ts'
import { toHallDrawing } from '../hall-drawing.ts'
import { readDrawing } from '../read-drawing.ts'
import { scanFile, type FloorPlanScanRequest, type FloorPlanScanResult } from '../scan-file.ts'

const REQUEST: FloorPlanScanRequest = { kind: 'svg', page: 1, kinds: null, layers: null, languages: ['en'], units: 'm', outlineSize: null }

const scan = (content: string | Buffer, more: Partial<FloorPlanScanRequest> = {}): Promise<FloorPlanScanResult> =>
  scanFile(Buffer.from(content), { ...REQUEST, ...more }, () => {})

const counts = ({ findings }: FloorPlanScanResult) => {
  const found: Record<string, number> = {}
  for (const { kind } of findings) found[kind] = (found[kind] ?? 0) + 1
  return found
}
const HALL = { entrance: 2, outline: 1, pillar: 9, restroom: 1 }

const svg = (content: string, attributes = 'width="30000mm" height="20000mm" viewBox="0 0 30000 20000"') =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${content}</svg>`
const OUTLINE = '<rect x="1000" y="1000" width="28000" height="18000"/>'

describe('scanFile', () => {
  it('finds the same elements of a hall in a floor plan drawn as SVG, DXF and PDF', async () => {
    const [asSvg, asDxf, asPdf] = [
      await scan(hallSvg()),
      await scan(hallDxf(), { kind: 'dxf' }),
      await scan(await hallPdf(), { kind: 'pdf' }),
    ]
    for (const found of [asSvg, asDxf, asPdf]) expect(counts(found)).toEqual(HALL)
    expect(asPdf.scale).toMatchObject({ method: 'scaleBar', confidence: 0.8 })
    expect(asPdf.scale.unitsPerSourceUnit).toBeCloseTo(0.07056, 4)
  })

  it('finds elements at the same positions in SVG, DXF and a picture, and recognizes the pictograms of the picture', async () => {
    const places = ({ findings, scale }: FloorPlanScanResult, mirrored = false) =>
      findings
        .map(({ kind, point }) => ({ kind, at: applyAffineTransformation(scale.sourceToPlan!, point).map((tenths) => tenths / 10_000) }))
        .map(({ kind, at: [x, y] }) => ({ kind, at: [x!, mirrored ? 18 - y! : y!] as const }))
        .toSorted((a, b) => a.kind.localeCompare(b.kind) || Math.round(a.at[0] - b.at[0]) || a.at[1] - b.at[1])
    const asSvg = places(await scan(hallSvg()))
    // The DXF file has the same coordinates with y up.
    const asDxf = places(await scan(hallDxf(), { kind: 'dxf' }), true)
    // The pictogram is a white cross on green inside the closed room.
    const sign =
      '<g transform="translate(1500 17600)"><rect width="900" height="900" fill="#063"/><path d="M390 150h120v240h240v120h-240v240h-120v-240h-240v-120h240z" fill="#fff"/></g>'
    const picture = await scan(toPng(hallSvg({ more: sign })), { kind: 'image', outlineSize: { width: 280_000, height: 180_000 } })
    const asPicture = places({ ...picture, findings: picture.findings.filter(({ kind }) => kind !== 'firstAid') })
    expect(picture.findings.filter(({ kind }) => kind === 'firstAid')).toMatchObject([{ confidence: 0.75, evidence: ['pictogram'] }])
    for (const other of [asDxf, asPicture]) {
      expect(other.map(({ kind }) => kind)).toEqual(asSvg.map(({ kind }) => kind))
      const away = other.map(({ at }, i) => Math.hypot(at[0] - asSvg[i]!.at[0], at[1] - asSvg[i]!.at[1]))
      // Recognized objects of the same kind within a metre count as one.
      expect(Math.max(...away)).toBeLessThan(1)
    }
  }, 120_000)

  it('finds the same slanted walls, and the same lift behind one of them, in an SVG file and a picture', async () => {
    // The hall has a corner that is cut off at 45°, with a label in it, and loose walls at 7° and 30°.
    const walls = [
      [23000, 19000, 29000, 13000],
      [8500, 3000, 20000, 3000 + 11500 * Math.tan((7 * Math.PI) / 180)],
      [9000, 12000, 13000, 12000 + 4000 * Math.tan(Math.PI / 6)],
    ] as const
    const more =
      walls.map(([x1, y1, x2, y2]) => `<path d="M${x1} ${y1} L${x2} ${y2}" fill="none" stroke="#000" stroke-width="80"/>`).join('') +
      '<text x="27200" y="17800" font-size="700" font-family="sans-serif" text-anchor="middle">Lift</text>'
    const drawing = await readDrawing(toPng(hallSvg({ more })), { ...REQUEST, kind: 'image' }, () => {})
    const pixel = 30_000 / drawing.page![2]
    const inPicture = recognizeDrawingObjects(toHallDrawing(drawing, { method: 'calibration', metresPerUnit: pixel / 1000, confidence: 1 }))
    const inSvg = await scan(hallSvg({ more }))
    for (const findings of [inPicture, inSvg.findings]) expect(counts({ ...inSvg, findings })).toEqual({ ...HALL, lift: 1 })
    const placeOf = (findings: readonly RecognizedPlanObject[]) => findings.find(({ kind }) => kind === 'lift')!.point
    const [[px, py], [sx, sy]] = [placeOf(inPicture), placeOf(inSvg.findings)]
    expect(Math.hypot(px * pixel - sx, py * pixel - sy)).toBeLessThan(1000)
    for (const [x1, y1, x2, y2] of walls) {
      const away = drawing.paths.map(({ points: [from, to] }) => {
        const off = (a: Point, b: Point) =>
          Math.max(Math.hypot(a[0] - x1 / pixel, a[1] - y1 / pixel), Math.hypot(b[0] - x2 / pixel, b[1] - y2 / pixel))
        return Math.min(off(from!, to!), off(to!, from!))
      })
      expect(Math.min(...away)).toBeLessThan(2)
    }
  }, 120_000)

  it('finds the same elements in a floor plan that is turned, mirrored or built from symbols', async () => {
    const pillar = (x: number, y: number) => `<use xlink:href="#pillar" x="${x}" y="${y}"/>`
    for (const transform of ['rotate(30 15000 10000) scale(0.5)', 'translate(30000 0) scale(-1 1)', 'matrix(0.5 0 0 0.5 1000 2000)'])
      expect(counts(await scan(hallSvg({ transform })))).toEqual(HALL)
    const symbols = svg(
      `<defs><g id="pillar" class="column"><rect width="400" height="400"/></g></defs>${OUTLINE}${[0, 5000, 10000, 15000].map((x) => pillar(5000 + x, 5000)).join('')}`,
    )
    expect((await scan(symbols)).findings.filter(({ kind }) => kind === 'pillar')).toMatchObject(Array(4).fill({ confidence: 0.95 }))
  })

  it('reads drawings in feet and inches, and requires a dimension or calibration for drawings without units', async () => {
    const feet = await scan(hallDxf({ units: 2, factor: 1 / 304.8 }), { kind: 'dxf', units: 'ft' })
    expect(counts(feet)).toEqual(HALL)
    expect(feet.scale).toMatchObject({ method: 'units', unitsPerSourceUnit: 1 })
    const inches = await scan(hallDxf({ units: 1, factor: 1 / 25.4 }), { kind: 'dxf' })
    expect(inches.scale).toMatchObject({ method: 'units', unitsPerSourceUnit: 0.0254 })
    const unitless = await scan(hallDxf({ units: 0 }), { kind: 'dxf' })
    expect(unitless).toMatchObject({ scale: { method: 'none', unitsPerSourceUnit: null }, warnings: ['no_scale'] })
    expect(counts(unitless)).toEqual(HALL)
    const measured = dxfFile(0, [...dxfPolygon('0', square(0, 0, 20000)), [0, 'DIMENSION'], [8, 'DIM'], [1, '20 m'], [42, 20000], [70, 0]])
    expect((await scan(measured, { kind: 'dxf' })).scale).toMatchObject({ method: 'units', unitsPerSourceUnit: 0.001 })
  })

  it('finds the scale by a scale bar, by a ratio on paper, or by the outline of the plan', async () => {
    const plain = 'viewBox="0 0 3000 2000"'
    const outline = '<rect x="100" y="100" width="2800" height="1800"/>'
    const bar = await scan(svg(`${outline}<path d="M200 1960 H700"/><text x="400" y="1990" font-size="25">5 m</text>`, plain))
    expect(bar.scale).toMatchObject({ method: 'scaleBar', unitsPerSourceUnit: 0.01 })
    const paper = await scan(
      svg(`${outline}<text x="400" y="1990" font-size="25">Maßstab 1:100</text>`, `width="300mm" height="200mm" ${plain}`),
    )
    expect(paper.scale).toMatchObject({ method: 'scaleBar', unitsPerSourceUnit: 0.01 })
    const drawn = await scan(svg(outline, plain), { outlineSize: { width: 280_000, height: 180_000 } })
    expect(drawn.scale).toMatchObject({ method: 'outline', unitsPerSourceUnit: 0.01, confidence: 0.8 })
  })

  it('recognizes labels in seven languages, and kinds of doors by the label next to them', async () => {
    const labels = {
      Notausgang: 'fireExit',
      'Sortie de secours': 'fireExit',
      'Salida de emergencia': 'fireExit',
      'Uscita di sicurezza': 'fireExit',
      Nooduitgang: 'fireExit',
      'Saída de emergência': 'fireExit',
      'EMERGENCY EXIT': 'fireExit',
      Garderobe: 'cloakroom',
      Vestiaire: 'cloakroom',
      'Erste Hilfe': 'firstAid',
      'Primeros auxilios': 'firstAid',
      Aufzug: 'lift',
      Ascenseur: 'lift',
      Bühne: 'stage',
      Escaliers: 'stairs',
      Anlieferung: 'loadingDock',
      'Casa de banho': 'restroom',
      'Toiletten H': 'restroom',
    } as const
    for (const [label, kind] of Object.entries(labels)) {
      const found = await scan(svg(`${OUTLINE}<text x="12000" y="9000" font-size="500">${label}</text>`))
      expect([label, found.findings.filter(({ kind: one }) => one !== 'outline')]).toMatchObject([
        label,
        [{ kind, label, confidence: 0.7, evidence: ['label_near'] }],
      ])
    }
    const door = await scan(hallSvg({ more: '<text x="10500" y="2800" font-size="400" text-anchor="middle">Notausgang</text>' }))
    expect(door.findings.filter(({ kind }) => kind === 'fireExit')).toMatchObject([
      { confidence: 0.88, evidence: ['door', 'label_near'], doorWidth: expect.closeTo(1000) },
    ])
    expect(counts(door).entrance).toBe(1)
  })

  it('ignores sentences, scales and words that merely contain a label when it reads the texts of a floor plan', async () => {
    const texts = [
      'Hall 3 floor plan, all exits must be kept clear at all times by exhibitors',
      'Scala 1:200',
      'Existing',
      'Barcelona',
      'Stand',
    ]
    const found = await scan(
      svg(OUTLINE + texts.map((text, i) => `<text x="3000" y="${3000 + i * 3000}" font-size="300">${text}</text>`).join('')),
    )
    expect(counts(found)).toEqual({ outline: 1 })
  })

  it('finds booths by their number and rooms by their layer, and ignores shapes of other sizes', async () => {
    const box = (x: number, y: number, size: number, text: string) =>
      `<rect x="${x}" y="${y}" width="${size}" height="${size}"/><text x="${x + size / 2}" y="${y + size / 2}" font-size="300" text-anchor="middle">${text}</text>`
    const found = await scan(
      svg(
        `${OUTLINE}${box(4000, 4000, 3000, 'A12')}${box(8000, 4000, 3000, '101')}${box(14000, 4000, 1500, '102')}${box(17000, 4000, 3000, 'Storage')}<g id="Erste-Hilfe"><rect x="22000" y="12000" width="3000" height="3000"/></g>`,
      ),
    )
    expect(found.findings.filter(({ kind }) => kind !== 'outline')).toMatchObject([
      { kind: 'booth', label: 'A12', confidence: 0.85, evidence: ['number'] },
      { kind: 'booth', label: '101' },
      { kind: 'firstAid', confidence: 0.9, evidence: ['layer'] },
    ])
  })

  it('distinguishes the outline of the hall from the frame of the sheet, and from rooms if the hall fills the sheet', async () => {
    const sizeOf = async (content: string) => {
      const { findings } = await scan(svg(content))
      const xs = findings.find(({ kind }) => kind === 'outline')!.polygon!.map(([x]) => x)
      return Math.max(...xs) - Math.min(...xs)
    }
    const frame = '<rect width="30000" height="20000"/>'
    const room = '<rect x="2000" y="2000" width="6000" height="6000"/>'
    expect(await sizeOf(`${frame}${room}`)).toBeCloseTo(30_000)
    expect(await sizeOf(`${frame}${room}${OUTLINE}`)).toBeCloseTo(28_000)
    const sheet = '<rect x="500" y="500" width="29000" height="19000"/>'
    const hall = '<g id="outline"><rect x="3000" y="3000" width="20000" height="14000"/></g>'
    expect(await sizeOf(`${frame}${sheet}${hall}`)).toBeCloseTo(20_000)
  })

  it('finds pillars only if they stand in a regular grid or are on a layer for pillars', async () => {
    const at = (points: readonly (readonly [number, number])[]) =>
      svg(OUTLINE + points.map(([x, y]) => `<circle cx="${x}" cy="${y}" r="300"/>`).join(''))
    expect(
      counts(
        await scan(
          at([
            [5000, 5000],
            [10000, 5000],
            [5000, 9000],
            [10000, 9000],
          ]),
        ),
      ),
    ).toEqual({ outline: 1, pillar: 4 })
    expect(
      counts(
        await scan(
          at([
            [5000, 5000],
            [10000, 5000],
            [5000, 9000],
          ]),
        ),
      ),
    ).toEqual({ outline: 1 })
    expect(
      counts(
        await scan(
          at([
            [5000, 5000],
            [11300, 6100],
            [7700, 12900],
            [21000, 8300],
            [24100, 15500],
          ]),
        ),
      ),
    ).toEqual({ outline: 1 })
  })

  it('joins the leaves of a double door into one recognized door, and ignores doors of inner rooms', async () => {
    const double = svg(
      '<path d="M1000 1000 H10000 M12000 1000 H29000 V19000 H1000 V1000"/><path d="M10000 1000 V2000 A1000 1000 0 0 0 11000 1000"/><path d="M12000 1000 V2000 A1000 1000 0 0 1 11000 1000"/>' +
        '<path d="M15000 10000 V11000 A1000 1000 0 0 0 16000 10000"/>',
    )
    const { findings } = await scan(double)
    expect(findings.filter(({ kind }) => kind === 'entrance')).toMatchObject([
      { point: [expect.closeTo(11000), expect.closeTo(1000)], doorWidth: expect.closeTo(2000) },
    ])
  })

  it('reads block attributes, bulges and text escapes of DXF files, and ignores frozen layers', async () => {
    const file = toDxf([
      [0, 'SECTION'],
      [2, 'HEADER'],
      [9, '$INSUNITS'],
      [70, 6],
      [0, 'ENDSEC'],
      [0, 'SECTION'],
      [2, 'TABLES'],
      [0, 'TABLE'],
      [2, 'LAYER'],
      [70, 2],
      [0, 'LAYER'],
      [2, 'OLD'],
      [70, 1],
      [62, 7],
      [6, 'CONTINUOUS'],
      [0, 'LAYER'],
      [2, 'HALL'],
      [70, 0],
      [62, 7],
      [6, 'CONTINUOUS'],
      [0, 'ENDTAB'],
      [0, 'ENDSEC'],
      [0, 'SECTION'],
      [2, 'BLOCKS'],
      [0, 'BLOCK'],
      [8, '0'],
      [2, 'COLUMN-40'],
      [70, 0],
      [10, 0],
      [20, 0],
      ...dxfPolygon('0', square(-0.2, -0.2, 0.4)),
      [0, 'ENDBLK'],
      [0, 'ENDSEC'],
      [0, 'SECTION'],
      [2, 'ENTITIES'],
      ...dxfPolygon('HALL', [
        [0, 0],
        [40, 0],
        [40, 30],
        [0, 30],
      ]),
      [0, 'INSERT'],
      [8, 'HALL'],
      [2, 'COLUMN-40'],
      [10, 5],
      [20, 5],
      [70, 3],
      [71, 2],
      [44, 8],
      [45, 8],
      [0, 'ATTRIB'],
      [8, 'HALL'],
      [10, 20],
      [20, 25],
      [40, 0.5],
      [1, 'B\\U+00FChne'],
      [2, 'NAME'],
      [0, 'MTEXT'],
      [8, 'HALL'],
      [10, 30],
      [20, 25],
      [40, 0.5],
      [71, 5],
      [1, '{\\fArial|b1;Erste\\PHilfe}'],
      ...dxfText('OLD', 'WC', 10, 10, 1),
      ...dxfLine('OLD', [0, 15, 40, 15]),
      [0, 'ENDSEC'],
      [0, 'EOF'],
    ])
    const found = await scan(file, { kind: 'dxf' })
    expect(counts(found)).toEqual({ firstAid: 1, outline: 1, pillar: 6, stage: 1 })
    expect(found.findings.filter(({ kind }) => kind === 'pillar')).toMatchObject(Array(6).fill({ confidence: 0.95 }))
  })

  it('finds rooms whose walls are separate lines with ends that nearly meet', async () => {
    const loose = (gap: number) =>
      svg(
        `<path d="M1000 1000 H29000 M29000 ${1000 + gap} V19000 M29000 19000 H1000 M1000 19000 V1000"/><path d="M1000 15000 H5000 M${5000 + gap} 15000 V19000"/><text x="3000" y="17000" font-size="500" text-anchor="middle">WC</text>`,
      )
    expect((await scan(loose(4))).findings.find(({ kind }) => kind === 'restroom')).toMatchObject({
      evidence: ['label_inside'],
      confidence: 0.85,
    })
    expect((await scan(loose(40))).findings.find(({ kind }) => kind === 'restroom')).toMatchObject({
      evidence: ['label_near'],
      confidence: 0.7,
    })
  })
})
