import { toolset } from '../../kernel/tool.ts'
import getBooth from './get-booth.ts'
import listBooths from './list-booths.ts'
import manageBooths from './manage-booths.ts'
import manageDevice from './manage-device.ts'

/** In the order of the specification. */
export default toolset('exhibitors', [listBooths, getBooth, manageBooths, manageDevice])
