import { toolset } from '../../kernel/tool.ts'
import importCompanies from './import-companies.ts'
import manageCompany from './manage-company.ts'
import manageDevice from './manage-device.ts'
import manageExhibitors from './manage-exhibitors.ts'
import manageLead from './manage-lead.ts'

/** In the order of the specification. */
export default toolset('exhibitors', [manageCompany, manageExhibitors, importCompanies, manageDevice, manageLead])
