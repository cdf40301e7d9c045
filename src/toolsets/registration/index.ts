import { toolset } from '../../kernel/tool.ts'
import addParticipant from './add-participant.ts'
import editParticipant from './edit-participant.ts'

export default toolset('registration', [addParticipant, editParticipant])
