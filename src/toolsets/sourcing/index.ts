import { toolset } from '../../kernel/tool.ts'
import addRfpRecipient from './add-rfp-recipient.ts'
import createRfp from './create-rfp.ts'
import distributeRfp from './distribute-rfp.ts'
import listRfps from './list-rfps.ts'
import postRfpQuestion from './post-rfp-question.ts'

export default toolset('sourcing', [listRfps, createRfp, addRfpRecipient, distributeRfp, postRfpQuestion])
