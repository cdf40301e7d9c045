import type { FieldDocsByTool } from '../meanings.ts'

export const FLOOR_SCAN_ARGUMENT_DOCS: FieldDocsByTool = {
  scan_floor_plan_pois: {
    floorPlanCode: 'Code of the floor plan.',
    fileId: 'Id of the drawing to read, if it is not the source file of the plan.',
    page: 'Page of a PDF. The first page if left out.',
    kinds: 'Only what is listed here. Everything if left out.',
    layers: 'Only these layers or groups of the drawing.',
    languages: 'Languages of the texts in a picture, as tags such as de. Those of the event if left out.',
    useModel: 'Also use the language model of the installation. It reads text only, so drawings are read without it.',
  },
  get_floor_plan_scan: {
    scanId: 'Id of the scan.',
    kind: 'Only findings of this kind.',
    minConfidence: 'Only findings with at least this confidence, from 0 to 1.',
  },
}
