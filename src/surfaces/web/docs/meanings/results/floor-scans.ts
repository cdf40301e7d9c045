import type { FieldDocsByTool } from '../meanings.ts'

export const FLOOR_SCAN_RESULT_DOCS: FieldDocsByTool = {
  scan_floor_plan_pois: {
    scanId: 'Id of the scan, for get_floor_plan_scan.',
    jobId: 'Id of the background job.',
    status: '`done` if a finished scan is returned.',
    reused: 'The same file was read before with the same options, and that scan is returned.',
  },
  get_floor_plan_scan: {
    scanId: 'Id of the scan.',
    floorPlanCode: 'Code of the floor plan.',
    progress: 'Percent of the work that is done.',
    units: 'Units of the plan, in which points and sizes are given.',
    scale: 'How the scale was found: by `units`, `scaleBar`, `outline` or `none`. `unitsPerSourceUnit` are plan units per unit of the drawing.',
    findings: 'What was found, by kind, then by confidence. A door without a label is an entrance with the evidence `door`.',
    counts: 'Number of findings by kind.',
    warnings:
      '`no_scale`: calibrate the plan before you apply findings. `text_as_outlines`: the drawing has no readable texts. `low_resolution`: use a larger picture.',
  },
}
