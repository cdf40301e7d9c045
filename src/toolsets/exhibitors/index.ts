import { toolset } from '../../kernel/tool.ts'
import listFloorPlans from './list-floor-plans.ts'
import manageDevice from './manage-device.ts'
import manageFloorPlans from './manage-floor-plans.ts'

/** In the order of the specification. */
export default toolset('exhibitors', [listFloorPlans, manageFloorPlans, manageDevice])
