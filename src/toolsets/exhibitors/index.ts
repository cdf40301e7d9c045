import { toolset } from '../../kernel/tool.ts'
import generateMaxFit from './generate-max-fit.ts'
import manageDevice from './manage-device.ts'
import manageLead from './manage-lead.ts'

/** In the order of the specification. */
export default toolset('exhibitors', [generateMaxFit, manageDevice, manageLead])
