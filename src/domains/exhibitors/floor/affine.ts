import type { AffineTransformation, RecognizedPlanObject, Point, Polygon } from './plan-shapes.ts'

/** Maps a point of the source file to whole tenths of millimetres on the plan. */
export const transformPoint = ([a, b, c, d, e, f]: AffineTransformation, [x, y]: Point): Point => [
  Math.round(a * x + c * y + e),
  Math.round(b * x + d * y + f),
]

export const transformPolygon = (affine: AffineTransformation, polygon: Polygon): Polygon =>
  polygon.map((point) => transformPoint(affine, point))

/** Returns the factor by which a transformation scales lengths. Plans have the same scale in every direction. */
export const getScaleFactor = ([a, b, c, d]: AffineTransformation): number => Math.sqrt(Math.abs(a * d - b * c))

/** Converts an object that a floor plan scan has recognized from coordinates of the source file to those of the plan. */
export const transformRecognizedObject = (
  affine: AffineTransformation,
  { point, polygon, holes, doorWidth, ...finding }: RecognizedPlanObject,
): RecognizedPlanObject => ({
  ...finding,
  point: transformPoint(affine, point),
  ...(polygon ? { polygon: transformPolygon(affine, polygon) } : {}),
  ...(holes ? { holes: holes.map((hole) => transformPolygon(affine, hole)) } : {}),
  ...(doorWidth === undefined ? {} : { doorWidth: Math.round(doorWidth * getScaleFactor(affine)) }),
})
