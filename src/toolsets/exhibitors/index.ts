import { toolset } from '../../kernel/tool.ts'
import getFloorPlanScan from './get-floor-plan-scan.ts'
import manageDevice from './manage-device.ts'
import scanFloorPlanPois from './scan-floor-plan-pois.ts'

/** In the order of the specification. */
export default toolset('exhibitors', [scanFloorPlanPois, getFloorPlanScan, manageDevice])
