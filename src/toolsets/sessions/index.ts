import { toolset } from '../../kernel/tool.ts'
import getSubmission from './get-submission.ts'
import importSpeakers from './import-speakers.ts'
import listSpeakers from './list-speakers.ts'
import listSubmissions from './list-submissions.ts'
import manageSpeaker from './manage-speaker.ts'
import manageSubmission from './manage-submission.ts'

/** Tools in the order of the specification. */
export default toolset('sessions', [listSpeakers, manageSpeaker, importSpeakers, listSubmissions, getSubmission, manageSubmission])
