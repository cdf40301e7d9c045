import type { FieldDocsByTool } from '../meanings.ts'

export const APPLICATION_RESULT_DOCS: FieldDocsByTool = {
  list_booth_applications: {
    applications:
      'The applications. `pointsRank` counts live applications. `offer` is the open or accepted offer with its booths and price; `assigned` are the numbers of the booths it has.',
    counts: 'Number of applications by status, without filters.',
    pointsBreakdown: 'What each rule counted and gave, and adjustments by hand.',
    answers: 'Answers of the application, by question. Needs the `personal.read` permission.',
    decisionNote: 'Note about the decision.',
  },
  manage_booth_application: {
    applications: 'The applications after the change. At most 50 are listed.',
    changed: 'Names of the fields that changed.',
    applied: 'Number of applications that the proposal was applied to.',
    order: 'What was charged to the order of the company, or credited.',
    queued: 'Number of emails.',
    skipped: 'Applications that got no email, and why.',
    staffAboveAllotment: 'Booth staff with free passes beyond the smaller allotment. They keep their passes.',
  },
}
