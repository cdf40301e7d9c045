import { toolset } from '../../kernel/tool.ts'
import getSubmission from './get-submission.ts'
import importSpeakers from './import-speakers.ts'
import listSpeakers from './list-speakers.ts'
import listSubmissions from './list-submissions.ts'
import manageSpeaker from './manage-speaker.ts'
import manageSubmission from './manage-submission.ts'

/** The tools of this toolset, in the order in which `tools/list` returns them. */
export default toolset('sessions', [listSpeakers, manageSpeaker, importSpeakers, listSubmissions, getSubmission, manageSubmission])
