import { getScaleFactor } from '../floor/affine.ts'
import type { AffineTransformation, Point } from '../floor/plan-shapes.ts'
import { applyAffineTransformation, combineAffineTransformations, IDENTITY_TRANSFORM } from './curves.ts'
import { findPictograms } from './find-pictograms.ts'
import { listTextBoxes } from './find-text-boxes.ts'
import { findStraightAndSlantedLines } from './hough-lines.ts'
import { type Bitmap, measureSkewAngle, separateInkFromPaper } from './raster.ts'
import { findDoorArcs, type RasterLine, removeLines } from './raster-lines.ts'
import { findRegions } from './raster-regions.ts'
import { recognizeTexts } from './recognize-texts.ts'
import { simplifyPolygon } from './simplify.ts'
import { getLineLength } from './slanted-walls.ts'
import {
  createDrawingBuilder,
  createFileLimitError,
  MAX_MEGAPIXELS,
  UNKNOWN_SCALE,
  type ScanWarning,
  type SourceDrawing,
  createUnreadableFileError,
} from './source-drawing.ts'

/**
 * Maximum number of pixels that are analysed: larger pictures are reduced to this size, which is fine enough for doors on a sheet of A0.
 */
const WORKING_PIXELS = 24e6
const SKEW_PIXELS = 1200
/** Minimum rotation of a picture that is corrected, in degrees. */
const MIN_SKEW_DEGREES = 0.15
const LOW_RESOLUTION_PIXELS = 1000
const CONTOUR_TOLERANCE_PIXELS = 2
const MIN_LINE_PIXELS = 12
/** Resolution that the image library reports for pictures without a stored resolution. Such pictures have no known scale. */
const SCREEN_DPI = 72

interface Picture {
  grey: Bitmap
  /** Maps pixel coordinates of the greyscale picture, which may be scaled and rotated, to those of the image file. */
  toSource: AffineTransformation
  width: number
  height: number
  dpi: number | null
}

/** Reads a picture of a floor plan. Coordinates are pixels of the file. */
export async function readImage(
  bytes: Uint8Array,
  languages: readonly string[],
  progress: (percent: number) => void,
): Promise<SourceDrawing> {
  const { grey, toSource, width, height, dpi } = await loadPicture(bytes)
  progress(10)
  const ink = separateInkFromPaper(grey)
  const longest = Math.max(grey.width, grey.height)
  const builder = createDrawingBuilder()
  const place = (point: Point) => applyAffineTransformation(toSource, point)
  const regions = { ink: findRegions(ink, 'ink'), paper: findRegions(ink, 'paper') }
  for (const { boundary } of [...regions.ink, ...regions.paper]) {
    builder.count()
    builder.addShape(simplifyPolygon(boundary, CONTOUR_TOLERANCE_PIXELS).map(place), [])
  }
  const signs = findPictograms(grey, regions.ink)
  const isInSign = ([x, y]: Point) => signs.some(({ left, top, right, bottom }) => x >= left && x <= right && y >= top && y <= bottom)
  const symbols = signs.map(({ kind, left, top, right, bottom }) => ({
    kind,
    points: [place([left, top]), place([right, top]), place([right, bottom]), place([left, bottom])],
  }))
  progress(15)
  const { straight, slanted } = findStraightAndSlantedLines(
    ink,
    [...signs, ...listTextBoxes(regions.ink, longest)],
    Math.max(MIN_LINE_PIXELS, Math.round(longest / 200)),
  )
  const lines = [...straight, ...slanted]
  progress(20)
  for (const line of lines) builder.addPath([place(line.from), place(line.to)], [])
  for (const arc of findDoorArcs(
    ink,
    lines.filter(({ from, to }) => !isInSign(from) || !isInSign(to)),
    Math.max(12, longest / 250),
    longest / 8,
  ))
    builder.addArc({ ...arc, centre: place(arc.centre), radius: arc.radius * getScaleFactor(toSource), points: arc.points.map(place) })
  progress(25)
  const texts = await readTexts(
    ink,
    lines.filter((line) => getLineLength(line) >= longest / 40),
    languages,
  )
  for (const text of texts) builder.addText({ ...text, at: place(text.at), height: text.height * getScaleFactor(toSource) })
  const warnings: ScanWarning[] = Math.max(width, height) < LOW_RESOLUTION_PIXELS ? ['low_resolution'] : []
  return {
    kind: 'image',
    yDown: true,
    page: [0, 0, width, height],
    ...builder.found,
    symbols,
    facesKnown: true,
    scale: UNKNOWN_SCALE,
    paperMetresPerUnit: dpi === null ? null : 0.0254 / dpi,
    warnings,
  }
}

const readTexts = (ink: Bitmap, lines: readonly RasterLine[], languages: readonly string[]) =>
  recognizeTexts(removeLines(ink, lines), languages)

/** Decodes the picture to grey values. If necessary, it is scaled down, and rotated so that walls are horizontal and vertical. */
async function loadPicture(bytes: Uint8Array): Promise<Picture> {
  const { default: sharp } = await import('sharp')
  const open = () =>
    sharp(bytes, { limitInputPixels: MAX_MEGAPIXELS * 1e6, failOn: 'error', pages: 1 })
      .autoOrient()
      .flatten({ background: '#ffffff' })
      .greyscale()
  try {
    const { autoOrient, density } = await sharp(bytes, { limitInputPixels: false }).metadata()
    const { width, height } = autoOrient
    if (width * height > MAX_MEGAPIXELS * 1e6)
      throw createFileLimitError(`A picture of a floor plan has at most ${MAX_MEGAPIXELS} megapixels`)
    const factor = Math.min(1, Math.sqrt(WORKING_PIXELS / (width * height)))
    const [w, h] = [Math.max(1, Math.round(width * factor)), Math.max(1, Math.round(height * factor))]
    const small = Math.min(1, SKEW_PIXELS / Math.max(w, h))
    const skew = measureSkewAngle(
      await toBitmap(open().resize(Math.max(1, Math.round(w * small)), Math.max(1, Math.round(h * small)), { fit: 'fill' })),
    )
    const turned = Math.abs(skew) >= MIN_SKEW_DEGREES
    const sized = await open().resize(w, h, { fit: 'fill' }).png({ compressionLevel: 0 }).toBuffer()
    const grey = await toBitmap(turned ? sharp(sized).rotate(-skew, { background: '#ffffff' }).greyscale() : sharp(sized).greyscale())
    const back = turned ? rotationBack(skew, grey, w, h) : IDENTITY_TRANSFORM
    return {
      grey,
      toSource: combineAffineTransformations([width / w, 0, 0, height / h, 0, 0], back),
      width,
      height,
      dpi: density && density > SCREEN_DPI ? density : null,
    }
  } catch (error) {
    if (error instanceof Error && error.name === 'AppError') throw error
    throw createUnreadableFileError('The picture is damaged or incomplete. Save it again as PNG or JPEG')
  }
}

async function toBitmap(picture: import('sharp').Sharp): Promise<Bitmap> {
  const { data, info } = await picture.toColourspace('b-w').raw().toBuffer({ resolveWithObject: true })
  // Greyscale pictures with an alpha channel have two values per pixel.
  const grey =
    info.channels === 1 ? new Uint8Array(data) : Uint8Array.from({ length: info.width * info.height }, (_, i) => data[i * info.channels]!)
  return { width: info.width, height: info.height, data: grey }
}

/** Maps pixels of the rotated picture back to the original, which was rotated around its center and enlarged to keep its corners. */
function rotationBack(degrees: number, turned: Bitmap, width: number, height: number): AffineTransformation {
  const angle = (degrees * Math.PI) / 180
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  return combineAffineTransformations(
    [1, 0, 0, 1, width / 2, height / 2],
    combineAffineTransformations([cos, sin, -sin, cos, 0, 0], [1, 0, 0, 1, -turned.width / 2, -turned.height / 2]),
  )
}
