import { getScaleFactor } from '../floor/affine.ts'
import type { AffineTransformation, Point } from '../floor/plan-shapes.ts'
import {
  applyAffineTransformation,
  combineAffineTransformations,
  fitCircularArc,
  flattenCubicBezier,
  IDENTITY_TRANSFORM,
} from './curves.ts'
import { openPdf, type OpenedPdf, type PdfImage, type PdfPage } from './pdf-file.ts'
import { joinTextItems } from './pdf-texts.ts'
import { readImage } from './read-image.ts'
import {
  createDrawingBuilder,
  type DrawingBuilder,
  createFileLimitError,
  MAX_DRAWING_ENTITIES,
  MAX_MEGAPIXELS,
  UNKNOWN_SCALE,
  type SourceDrawing,
  createUnreadableFileError,
} from './source-drawing.ts'

const METRES_PER_POINT = 0.0254 / 72
/** A page with at most this number of lines may be a scanned picture with a frame around it. */
const MAX_FRAME_PATHS = 20
/** Minimum share of the page that a picture covers if the page consists of that picture. */
const MIN_PICTURE_SHARE = 0.4
/** Tolerance for flattening curves, as a fraction of the longer side of the page. */
const TOLERANCE = 1 / 8000

interface PlacedPicture {
  id: string
  matrix: AffineTransformation
  area: number
}

/** Reads a page of a PDF. Coordinates are points from the lower left corner of the page. */
export async function readPdf(
  bytes: Uint8Array,
  pageNumber: number,
  languages: readonly string[],
  progress: (percent: number) => void,
): Promise<SourceDrawing> {
  const pdf = await openPdf(bytes, pageNumber)
  try {
    const { page } = pdf
    const [left, low, right, high] = page.view
    const builder = createDrawingBuilder()
    const picture = await readOperators(pdf, builder, (Math.max(right - left, high - low) || 1) * TOLERANCE)
    progress(15)
    const paths = builder.found.paths.length + builder.found.shapes.length
    const { items } = await page.getTextContent()
    for (const text of joinTextItems(items)) builder.addText(text)
    const drawing: SourceDrawing = {
      kind: 'pdf',
      yDown: false,
      page: [left, low, right, high],
      ...builder.found,
      scale: UNKNOWN_SCALE,
      paperMetresPerUnit: METRES_PER_POINT * (page.userUnit || 1),
      warnings: builder.found.texts.length === 0 ? ['text_as_outlines'] : [],
    }
    const isPicture = picture !== null && paths <= MAX_FRAME_PATHS && picture.area >= (right - left) * (high - low) * MIN_PICTURE_SHARE
    return isPicture ? await readPicture(page, picture, drawing, languages, progress) : drawing
  } finally {
    await pdf.close()
  }
}

/** The graphics state of the page while its operators are read. */
interface PageState {
  matrix: AffineTransformation
  saved: AffineTransformation[]
  /** The layers that contain the current content, from the outermost; null for other kinds of marked content. */
  layers: ({ name: string; visible: boolean } | null)[]
  picture: PlacedPicture | null
}

/** Adds the lines and shapes of the page to the drawing, and returns the largest picture on the page. */
async function readOperators(
  { page, operators, layerOf }: OpenedPdf,
  builder: DrawingBuilder,
  tolerance: number,
): Promise<PlacedPicture | null> {
  const { fnArray, argsArray } = await page.getOperatorList()
  if (fnArray.length > MAX_DRAWING_ENTITIES * 4)
    throw createFileLimitError(`The drawing has more than ${MAX_DRAWING_ENTITIES} entities. Remove layers that are not needed`)
  const nameOf = new Map(Object.entries(operators).map(([name, number]) => [number, name]))
  const state: PageState = { matrix: IDENTITY_TRANSFORM, saved: [], layers: [], picture: null }
  fnArray.forEach((operator, i) =>
    follow(state, nameOf.get(operator) ?? '', (argsArray[i] ?? []) as unknown[], { builder, tolerance, layerOf }),
  )
  return state.picture
}

interface Following {
  builder: DrawingBuilder
  tolerance: number
  layerOf: OpenedPdf['layerOf']
}

function follow(state: PageState, operator: string, args: readonly unknown[], { builder, tolerance, layerOf }: Following): void {
  switch (operator) {
    case 'save':
      state.saved.push(state.matrix)
      return
    case 'restore':
      state.matrix = state.saved.pop() ?? state.matrix
      return
    case 'transform':
      state.matrix = combineAffineTransformations(state.matrix, toAffine(args))
      return
    case 'paintFormXObjectBegin':
      state.saved.push(state.matrix)
      if (args[0]) state.matrix = combineAffineTransformations(state.matrix, toAffine(Array.from(args[0] as Iterable<number>)))
      return
    case 'paintFormXObjectEnd':
      state.matrix = state.saved.pop() ?? state.matrix
      return
    case 'beginMarkedContentProps': {
      const id = args[0] === 'OC' ? (args[1] as { id?: string } | null)?.id : undefined
      state.layers.push(id === undefined ? null : layerOf(id))
      return
    }
    case 'beginMarkedContent':
      state.layers.push(null)
      return
    case 'endMarkedContent':
      state.layers.pop()
      return
    case 'paintImageXObject': {
      const area = getScaleFactor(state.matrix) ** 2
      if (!state.picture || area > state.picture.area) state.picture = { id: String(args[0]), matrix: state.matrix, area }
      return
    }
    case 'constructPath': {
      builder.count()
      const layers = state.layers.flatMap((layer) => layer ?? [])
      if (layers.every(({ visible }) => visible))
        addPath(
          builder,
          args,
          state.matrix,
          layers.map(({ name }) => name),
          tolerance,
        )
    }
  }
}

const toAffine = (numbers: readonly unknown[]): AffineTransformation => {
  const values = numbers.slice(0, 6).map(Number)
  if (values.length !== 6 || !values.every(Number.isFinite))
    throw createUnreadableFileError('The PDF has a drawing operator that cannot be read')
  return values as unknown as AffineTransformation
}

/** Path data: 0 move, 1 line, 2 curve, 3 quadratic curve, 4 close, each with its points. */
function addPath(
  builder: DrawingBuilder,
  [, parts]: readonly unknown[],
  matrix: AffineTransformation,
  names: readonly string[],
  tolerance: number,
): void {
  const data = (parts as (ArrayLike<number> | null)[] | undefined)?.[0]
  if (!data) return
  let run: Point[] = []
  const flush = () => {
    if (run.length > 1) builder.addPath(run, names)
    run = []
  }
  const point = (at: number): Point => applyAffineTransformation(matrix, [data[at]!, data[at + 1]!])
  for (let at = 0; at < data.length;) {
    const kind = data[at++]!
    if (kind === 0) {
      flush()
      run = [point(at)]
      at += 2
    } else if (kind === 1) {
      run.push(point(at))
      at += 2
    } else if (kind === 2 || kind === 3) {
      const start = run.at(-1) ?? point(at)
      const end = point(at + (kind === 2 ? 4 : 2))
      const curve = flattenCubicBezier(start, point(at), kind === 2 ? point(at + 2) : point(at), end, tolerance)
      const arc = fitCircularArc([start, ...curve], names)
      if (arc) {
        flush()
        builder.addArc(arc)
        run = [end]
      } else run.push(...curve)
      at += kind === 2 ? 6 : 4
    } else if (kind === 4) {
      if (run.length > 2) builder.addShape(run, names)
      run = run.length > 0 ? [run[0]!] : []
    } else throw createUnreadableFileError('The PDF has a path that cannot be read')
  }
  flush()
}

/** Reads the picture of a page that consists only of a picture, such as a scanned plan. */
async function readPicture(
  page: PdfPage,
  { id, matrix }: PlacedPicture,
  drawing: SourceDrawing,
  languages: readonly string[],
  progress: (percent: number) => void,
): Promise<SourceDrawing> {
  const objects = id.startsWith('g_') ? page.commonObjs : page.objs
  const image = await new Promise<PdfImage | null>((resolve) => objects.get(id, resolve))
  if (!image?.data) throw createUnreadableFileError('The picture in the PDF cannot be read. Save the plan as PNG or JPEG')
  if (image.width * image.height > MAX_MEGAPIXELS * 1e6)
    throw createFileLimitError(`A picture of a floor plan has at most ${MAX_MEGAPIXELS} megapixels`)
  const read = await readImage(await toPng(image, image.data), languages, progress)
  // A picture fills the unit square of its matrix, with its first row at the top.
  const place = combineAffineTransformations(matrix, [1 / image.width, 0, 0, -1 / image.height, 0, 1])
  const to = (point: Point) => applyAffineTransformation(place, point)
  const factor = getScaleFactor(place)
  return {
    ...drawing,
    shapes: read.shapes.map((shape) => ({ ...shape, points: shape.points.map(to) })),
    paths: read.paths.map((path) => ({ ...path, points: path.points.map(to) })),
    arcs: read.arcs.map((arc) => ({ ...arc, centre: to(arc.centre), radius: arc.radius * factor, points: arc.points.map(to) })),
    texts: [...drawing.texts, ...read.texts.map((text) => ({ ...text, at: to(text.at), height: text.height * factor }))],
    facesKnown: true,
    warnings: read.warnings,
  }
}

async function toPng({ width, height, kind }: PdfImage, data: Uint8Array): Promise<Buffer> {
  const { default: sharp } = await import('sharp')
  const channels = kind === 3 ? 4 : kind === 2 ? 3 : 1
  const raw = kind === 1 ? unpackBits(data, width, height) : data
  return sharp(raw, { raw: { width, height, channels } }).png({ compressionLevel: 1 }).toBuffer()
}

function unpackBits(data: Uint8Array, width: number, height: number): Uint8Array {
  const stride = Math.ceil(width / 8)
  const grey = new Uint8Array(width * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) grey[y * width + x] = (data[y * stride + (x >> 3)]! >> (7 - (x & 7))) & 1 ? 255 : 0
  return grey
}
