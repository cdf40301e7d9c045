import { toolset } from '../../kernel/tool.ts'
import generateMilestones from './generate-milestones.ts'
import listMilestones from './list-milestones.ts'
import markContractReadyForSignature from './mark-contract-ready-for-signature.ts'
import sendContractForSignature from './send-contract-for-signature.ts'
import voidContractEnvelope from './void-contract-envelope.ts'

export default toolset('sourcing', [
  markContractReadyForSignature,
  sendContractForSignature,
  voidContractEnvelope,
  generateMilestones,
  listMilestones,
])
