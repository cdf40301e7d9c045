import type { FieldDocsByTool } from '../meanings.ts'

const BRIEF = 'The brief: answers by section, what is missing, derived figures, locked versions and RFPs.'

export const BRIEF_RESULT_DOCS: FieldDocsByTool = {
  start_or_advance_brief: {
    briefId: 'Id of the brief.',
    status: 'Whether the brief is open, locked or archived.',
    accepted: 'Codes of the answers that were saved and differ from before.',
    errors: 'Answers that were not saved. A contradiction is reported on every code that it concerns.',
    next: 'The next questions, at most five, with suggestions from the event.',
    progress: 'Questions that apply, how many are answered, and how many required answers are missing.',
    derived: 'Room nights, peak night, meals and area that follow from the answers.',
    readyToLock: 'Whether nothing is missing and nothing contradictory.',
  },
  get_brief: { brief: BRIEF, briefs: 'Briefs of the event, the newest first.' },
  update_brief: {
    brief: BRIEF,
    changed: 'Codes of the changed answers, and `title`.',
    nowHidden: 'Codes of answers whose question no longer applies. They are kept.',
  },
  lock_brief: {
    brief: BRIEF,
    version: 'Number of the latest locked version; 0 if there is none.',
    lockedHash: 'SHA-256 of the answers that apply, as canonical JSON.',
  },
}
