import { toolset } from '../../kernel/tool.ts'
import amendContract from './amend-contract.ts'
import getHousingSummary from './get-housing-summary.ts'

/** In the order of the specification. */
export default toolset('housing', [getHousingSummary, amendContract])
