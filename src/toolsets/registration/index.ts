import { toolset } from '../../kernel/tool.ts'
import addParticipant from './add-participant.ts'

export default toolset('registration', [addParticipant])
