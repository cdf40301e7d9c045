import { toolset } from '../../kernel/tool.ts'
import getFloorPlanScan from './get-floor-plan-scan.ts'
import listFloorPlans from './list-floor-plans.ts'
import manageDevice from './manage-device.ts'
import manageFloorPlans from './manage-floor-plans.ts'
import scanFloorPlanPois from './scan-floor-plan-pois.ts'

/** In the order of the specification. */
export default toolset('exhibitors', [listFloorPlans, manageFloorPlans, scanFloorPlanPois, getFloorPlanScan, manageDevice])
