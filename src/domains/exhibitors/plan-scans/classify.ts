import type { RecognizedPlanObject, Polygon } from '../floor/plan-shapes.ts'
import { computePolygonArea, computeBoundingBox, computeCentroid, findPolygonError, findSmallestRectangle } from '../floor/polygons.ts'
import { applyAffineTransformation, measurePointDistance } from './curves.ts'
import { type RecognizedObjectKind, findBoothNumberInLabel, findObjectKindByLabel, findObjectKindByLayer } from './dictionary.ts'
import { createObjectEvidenceStore, type ObjectEvidenceStore } from './evidence.ts'
import { type DoorSwing, findDoors, listDoorSwings, listWallSegments } from './find-doors.ts'
import { findPillarLattice } from './find-lattice.ts'
import { isInsidePolygon, measureDistanceToBoundary, type HallDrawing, applyAffineToPolygon } from './hall-drawing.ts'
import { type PlanarFace, findPlanarFaces } from './planar-faces.ts'
import { limitPolygonVertices } from './simplify.ts'
import type { SourceDrawingText } from './source-drawing.ts'
import { createSpatialGrid, type SpatialGrid } from './spatial-grid.ts'

/** A closed area of a drawing: a shape that was drawn closed, or an area that separate lines enclose. */
interface Region {
  polygon: Polygon
  area: number
  round: boolean
  names: readonly string[]
  /** Whether the region was drawn as a closed shape, and not only enclosed by separate lines. */
  drawn: boolean
  enclosing: boolean
}

const LABEL_METRES = 2
const MIN_PILLAR = 0.2
const MAX_PILLAR = 2
/** Minimum area of the outline of a hall, in square metres. */
const MIN_HALL_AREA = 20
/** Maximum thickness of a wall, in metres. */
const MAX_WALL = 1
const MIN_BOOTH_AREA = 4
const MAX_BOOTH_AREA = 100
/** Maximum area of a room as a share of the hall. A label in a larger region is not the name of a room. */
const MAX_ROOM_SHARE = 0.5
/**
 * Minimum area of a room that a pictogram marks, as a multiple of the pictogram's area. Smaller regions are parts of the pictogram or its
 * frame.
 */
const MIN_ROOM_SIGNS = 3
const MAX_VERTICES = 500
const DOOR_KINDS: ReadonlySet<RecognizedObjectKind> = new Set(['entrance', 'exit', 'fireExit', 'loadingDock'])

/** Finds the outline, pillars, walls, booths, doors and points of interest in a drawing. The result is in coordinates of the file. */
export function recognizeDrawingObjects(drawing: HallDrawing): RecognizedPlanObject[] {
  const swings = listDoorSwings(drawing)
  const regions = listRegions(drawing, drawing.facesKnown ? [] : (findPlanarFaces(listWallSegments(drawing, swings)) ?? []))
  const outline = findOutline(regions, drawing)
  const rooms = regions.filter(
    (region) =>
      region !== outline && !region.enclosing && (!outline || region.area <= outline.area * MAX_ROOM_SHARE) && !isOfSign(region, drawing),
  )
  const evidence = createObjectEvidenceStore()
  if (outline) {
    evidence.add({ kind: 'outline', weight: 'largest_face', point: computeCentroid(outline.polygon), polygon: outline.polygon, label: '' })
    if (layerKindOf(outline) === 'outline')
      evidence.add({ kind: 'outline', weight: 'layer', point: computeCentroid(outline.polygon), polygon: outline.polygon, label: '' })
  }
  addLayers(evidence, rooms)
  addPillars(evidence, rooms)
  const labels = addDoors(evidence, drawing, swings, outline)
  const roomsAt = createSpatialGrid(rooms, ({ polygon }) => computeBoundingBox(polygon))
  addLabels(evidence, labels, roomsAt)
  addSymbols(evidence, drawing, roomsAt)
  return evidence
    .join()
    .map((finding, i) => toFinding(finding, i, drawing))
    .filter((finding) => finding !== null)
}

/** Whether the region is a pictogram or a part of one, and therefore neither a room nor a pillar. */
const isOfSign = ({ polygon, area }: Region, { symbols }: HallDrawing): boolean =>
  symbols.some(({ points }) => area <= computePolygonArea(points) * MIN_ROOM_SIGNS && isInsidePolygon(points, computeCentroid(polygon)))

const POLYGON_KINDS: ReadonlySet<RecognizedObjectKind> = new Set(['outline', 'pillar', 'wall', 'booth'])

/**
 * Converts joined evidence to a recognized object. Plans accept simple polygons only, so of an object whose polygon crosses itself only the
 * position is kept; walls, booths and other kinds that need a polygon are left out.
 */
function toFinding(
  found: ReturnType<ObjectEvidenceStore['join']>[number],
  i: number,
  { toSource, factor }: HallDrawing,
): RecognizedPlanObject | null {
  const { kind, label, point, doorWidth, confidence, evidence } = found
  const polygon = found.polygon && limitPolygonVertices(found.polygon, MAX_VERTICES)
  const isSimple = polygon !== undefined && findPolygonError(polygon, 'm') === null
  if (!isSimple && POLYGON_KINDS.has(kind)) return null
  return {
    id: `f${i + 1}`,
    kind,
    label,
    point: applyAffineTransformation(toSource, point),
    ...(isSimple ? { polygon: applyAffineToPolygon(toSource, polygon) } : {}),
    ...(doorWidth === undefined ? {} : { doorWidth: doorWidth / factor }),
    confidence,
    evidence,
    applied: false,
  }
}

/** Lists the shapes that were drawn closed, and the areas that separate lines enclose. An area that is both is listed once. */
function listRegions({ shapes }: HallDrawing, faces: readonly PlanarFace[]): Region[] {
  const known = new Set<string>()
  const regions: Region[] = []
  const add = (region: Omit<Region, 'area'>) => {
    const area = computePolygonArea(region.polygon)
    const { left, bottom, right, top } = computeBoundingBox(region.polygon)
    const key = [left, bottom, right, top, Math.sqrt(area)].map((value) => Math.round(value * 50)).join(' ')
    if (!(area > 0.01) || known.has(key)) return
    known.add(key)
    regions.push({ ...region, area })
  }
  for (const { points, radius, names } of shapes) add({ polygon: points, round: radius !== null, names, drawn: true, enclosing: false })
  for (const { polygon, names, enclosing } of faces) add({ polygon, round: false, names, drawn: false, enclosing })
  return regions
}

/**
 * Returns the kind of object that the names of a region's layers stand for. Layers are nested; the innermost layer whose name is in the
 * dictionary decides.
 */
function layerKindOf({ names }: Pick<Region, 'names'>): RecognizedObjectKind | null {
  for (const name of names.toReversed()) {
    const kind = findObjectKindByLayer(name)
    if (kind) return kind
  }
  return null
}

/** Minimum area of a hall as a share of the largest region, which may be the sheet or a frame around the hall. */
const MIN_HALL_SHARE = 0.3

/**
 * Finds the outline of the hall: the largest region that encloses others, preferably on a layer for outlines. The frame of the sheet is not
 * the outline if the hall is inside.
 */
function findOutline(regions: readonly Region[], { page }: HallDrawing): Region | null {
  const large = regions.filter(({ area }) => area >= MIN_HALL_AREA).toSorted((a, b) => b.area - a.area)
  const [largest] = large
  if (!largest) return null
  const share = large.filter(({ area }) => area >= largest.area * MIN_HALL_SHARE)
  const named = share.find((region) => layerKindOf(region) === 'outline')
  if (named) return named
  const inside = share.filter(({ polygon }) => !page || !isFrame(polygon, page))
  const best = inside[0] ?? largest
  // The boundary of connected lines may be the outline of the hall together with something that touches it, so a closed shape is preferred.
  return large.find(({ area, drawn }) => drawn && area <= best.area && area >= best.area * 0.9) ?? best
}

function isFrame(polygon: Polygon, page: { left: number; bottom: number; right: number; top: number }): boolean {
  const box = computeBoundingBox(polygon)
  const near = 0.015 * Math.max(page.right - page.left, page.top - page.bottom)
  return (
    Math.abs(box.left - page.left) <= near &&
    Math.abs(box.right - page.right) <= near &&
    Math.abs(box.bottom - page.bottom) <= near &&
    Math.abs(box.top - page.top) <= near
  )
}

function addLayers(evidence: ObjectEvidenceStore, rooms: readonly Region[]): void {
  for (const room of rooms) {
    const kind = layerKindOf(room)
    if (kind && isPlausible(kind, room))
      evidence.add({ kind, weight: 'layer', point: computeCentroid(room.polygon), polygon: room.polygon, label: '' })
  }
}

/**
 * Whether a region can be of the kind that its layer name stands for: lines on the layer of walls also enclose rooms, which are not walls.
 */
function isPlausible(kind: RecognizedObjectKind, { polygon, area }: Region): boolean {
  if (kind === 'outline') return false
  if (kind === 'wall') return (2 * area) / perimeterOf(polygon) <= MAX_WALL
  const { width, depth } = findSmallestRectangle(polygon)
  return kind !== 'pillar' || Math.max(width, depth) <= 2 * MAX_PILLAR
}

const perimeterOf = (polygon: Polygon) =>
  polygon.reduce((sum, point, i) => sum + measurePointDistance(point, polygon[(i + 1) % polygon.length]!), 0)

function addPillars(evidence: ObjectEvidenceStore, rooms: readonly Region[]): void {
  const small = rooms.flatMap(({ polygon, round, area }) => {
    const { width, depth } = findSmallestRectangle(polygon)
    const isSquare = Math.abs(width / depth - 1) <= 0.1 && (round || area >= width * depth * 0.9)
    // A circle that the file stores as a polygon is recognized by its area, π/4 of its bounding square.
    const isRound = Math.abs(width / depth - 1) <= 0.1 && polygon.length >= 8 && Math.abs(area / (width * depth) - Math.PI / 4) < 0.05
    return (isSquare || isRound) && width >= MIN_PILLAR && width <= MAX_PILLAR
      ? [{ polygon, centre: computeCentroid(polygon), size: width, round: round || isRound }]
      : []
  })
  for (const i of findPillarLattice(small))
    evidence.add({ kind: 'pillar', weight: 'lattice', point: small[i]!.centre, polygon: small[i]!.polygon, label: '' })
}

/** Adds the doors in the outline of the hall. Returns the labels that were not used as the name of a door. */
function addDoors(
  evidence: ObjectEvidenceStore,
  { texts }: HallDrawing,
  swings: readonly DoorSwing[],
  outline: Region | null,
): SourceDrawingText[] {
  if (!outline) return texts
  const used = new Set<SourceDrawingText>()
  const labels = texts.filter(({ text }) => DOOR_KINDS.has(findObjectKindByLabel(text) ?? 'outline'))
  for (const { point, width } of findDoors(swings, outline.polygon)) {
    const label = labels
      .map((text) => ({ text, away: measurePointDistance(point, text.at) - width / 2 }))
      .filter(({ away }) => away <= LABEL_METRES)
      .toSorted((a, b) => a.away - b.away)[0]?.text
    const kind = label ? findObjectKindByLabel(label.text)! : 'entrance'
    evidence.add({ kind, weight: 'door', point, label: label?.text ?? '', doorWidth: width })
    if (!label) continue
    evidence.add({ kind, weight: 'label_near', point, label: label.text })
    used.add(label)
  }
  return texts.filter((text) => !used.has(text))
}

function addLabels(evidence: ObjectEvidenceStore, texts: readonly SourceDrawingText[], rooms: SpatialGrid<Region>): void {
  for (const { text, at } of texts) {
    const inside = rooms.at(at).filter(({ polygon }) => isInsidePolygon(polygon, at))
    const room = inside.toSorted((a, b) => a.area - b.area)[0]
    const number = findBoothNumberInLabel(text)
    if (number && room && isBoothShape(room)) {
      evidence.add({ kind: 'booth', weight: 'number', point: computeCentroid(room.polygon), polygon: room.polygon, label: number })
      continue
    }
    const kind = findObjectKindByLabel(text)
    if (!kind) continue
    if (room) {
      evidence.add({ kind, weight: 'label_inside', point: computeCentroid(room.polygon), polygon: room.polygon, label: text })
      continue
    }
    // The labelled object is at the nearest shape on a layer of the same kind, or at the label itself if no such shape is near.
    const symbol = rooms
      .near(at, LABEL_METRES)
      .map((region) => ({ region, away: measureDistanceToBoundary(region.polygon, at) }))
      .filter(({ region, away }) => away <= LABEL_METRES && region.area <= MAX_BOOTH_AREA && layerKindOf(region) === kind)
      .toSorted((a, b) => a.away - b.away)[0]?.region
    evidence.add({
      kind,
      weight: 'label_near',
      point: symbol ? computeCentroid(symbol.polygon) : at,
      ...(symbol ? { polygon: symbol.polygon } : {}),
      label: text,
    })
  }
}

/**
 * Adds an object for each pictogram. A pictogram marks the room that contains it, as a label does; outside of rooms it marks only its own
 * position.
 */
function addSymbols(evidence: ObjectEvidenceStore, { symbols }: HallDrawing, rooms: SpatialGrid<Region>): void {
  for (const { kind, points } of symbols) {
    const at = computeCentroid(points)
    const room = rooms
      .at(at)
      .filter(({ polygon }) => isInsidePolygon(polygon, at))
      .toSorted((a, b) => a.area - b.area)[0]
    evidence.add({
      kind,
      weight: 'pictogram',
      point: room ? computeCentroid(room.polygon) : at,
      ...(room ? { polygon: room.polygon } : {}),
      label: '',
    })
  }
}

function isBoothShape({ polygon, area }: Region): boolean {
  if (area < MIN_BOOTH_AREA || area > MAX_BOOTH_AREA) return false
  const { width, depth } = findSmallestRectangle(polygon)
  return area >= width * depth * 0.95
}
