import { toolset } from '../../kernel/tool.ts'
import discoverSupplier from './discover-supplier.ts'
import discoverSuppliersFromCriteria from './discover-suppliers-from-criteria.ts'
import getBrief from './get-brief.ts'
import lockBrief from './lock-brief.ts'
import searchSuppliers from './search-suppliers.ts'
import startOrAdvanceBrief from './start-or-advance-brief.ts'
import updateBrief from './update-brief.ts'

/** In the order of the specification. */
export default toolset('sourcing', [
  startOrAdvanceBrief,
  getBrief,
  updateBrief,
  lockBrief,
  searchSuppliers,
  discoverSupplier,
  discoverSuppliersFromCriteria,
])
