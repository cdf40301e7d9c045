import { toolset } from '../../kernel/tool.ts'
import analyzeGrowth from './analyze-growth.ts'
import analyzePlacement from './analyze-placement.ts'
import generateMaxFit from './generate-max-fit.ts'
import listFloorPlans from './list-floor-plans.ts'
import manageDevice from './manage-device.ts'
import manageFloorPlans from './manage-floor-plans.ts'
import manageLead from './manage-lead.ts'

/** In the order of the specification. */
export default toolset('exhibitors', [
  listFloorPlans,
  manageFloorPlans,
  generateMaxFit,
  analyzeGrowth,
  analyzePlacement,
  manageDevice,
  manageLead,
])
