import { toolset } from '../../kernel/tool.ts'
import executeAward from './execute-award.ts'
import getSourcingSavings from './get-sourcing-savings.ts'
import getSourcingSummary from './get-sourcing-summary.ts'
import proposeAward from './propose-award.ts'
import publishAwardToBlock from './publish-award-to-block.ts'

/** In the order of the specification. */
export default toolset('sourcing', [getSourcingSummary, getSourcingSavings, proposeAward, executeAward, publishAwardToBlock])
