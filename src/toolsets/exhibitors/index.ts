import { toolset } from '../../kernel/tool.ts'
import analyzeGrowth from './analyze-growth.ts'
import analyzePlacement from './analyze-placement.ts'
import generateMaxFit from './generate-max-fit.ts'
import getBooth from './get-booth.ts'
import getFloorPlanScan from './get-floor-plan-scan.ts'
import importCompanies from './import-companies.ts'
import listBoothApplications from './list-booth-applications.ts'
import listBooths from './list-booths.ts'
import listFloorPlans from './list-floor-plans.ts'
import manageBoothApplication from './manage-booth-application.ts'
import manageBooths from './manage-booths.ts'
import manageCompany from './manage-company.ts'
import manageDevice from './manage-device.ts'
import manageExhibitors from './manage-exhibitors.ts'
import manageFloorPlans from './manage-floor-plans.ts'
import manageLead from './manage-lead.ts'
import proposeBoothAssignments from './propose-booth-assignments.ts'
import scanFloorPlanPois from './scan-floor-plan-pois.ts'

/** The tools of this toolset, in the order in which `tools/list` returns them. */
export default toolset('exhibitors', [
  listFloorPlans,
  manageFloorPlans,
  scanFloorPlanPois,
  getFloorPlanScan,
  listBooths,
  getBooth,
  manageBooths,
  generateMaxFit,
  analyzeGrowth,
  analyzePlacement,
  listBoothApplications,
  manageBoothApplication,
  proposeBoothAssignments,
  manageCompany,
  manageExhibitors,
  importCompanies,
  manageDevice,
  manageLead,
])
