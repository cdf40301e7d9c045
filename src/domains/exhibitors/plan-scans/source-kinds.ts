import type { FloorPlanFileKind } from './source-drawing.ts'

const KIND_BY_TYPE: Readonly<Record<string, FloorPlanFileKind>> = {
  'image/svg+xml': 'svg',
  'image/vnd.dxf': 'dxf',
  'application/pdf': 'pdf',
  'image/png': 'image',
  'image/jpeg': 'image',
}

/**
 * Returns the kind of a floor plan file by its content type, which is detected from the bytes; null if floor plans of that type cannot be
 * read.
 */
export const findFloorPlanFileKind = (contentType: string): FloorPlanFileKind | null =>
  Object.hasOwn(KIND_BY_TYPE, contentType) ? KIND_BY_TYPE[contentType]! : null
