import { toolset } from '../../kernel/tool.ts'
import manageDevice from './manage-device.ts'

/** In the order of the specification. */
export default toolset('exhibitors', [manageDevice])
