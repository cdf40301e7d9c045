import type { FieldDocsByTool } from '../meanings.ts'

export const BRIEF_ARGUMENT_DOCS: FieldDocsByTool = {
  start_or_advance_brief: {
    briefId: 'The brief to continue. Without it, a new brief is started.',
    title: 'Title of the brief; the name of the event if omitted.',
    fromEvent: 'Fill open questions from the configuration of the event and from the last event.',
    answers: 'Answers by the code of their question. Wrong ones are reported, the others are saved.',
    skip: 'Codes of optional questions that should not be asked again.',
  },
  get_brief: {
    briefId: 'The brief to show. Without it, all briefs are listed.',
    version: 'A locked version, which is shown as it was when it was locked.',
  },
  update_brief: {
    briefId: 'The brief to change.',
    answers: 'Answers by the code of their question; null clears an answer. All are saved, or none.',
    title: 'New title of the brief.',
  },
  lock_brief: {
    briefId: 'The brief to lock or unlock.',
    unlock: 'Open a locked brief for changes again.',
    reason: 'Why, for the audit log.',
  },
}
