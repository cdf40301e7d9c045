import { toOneLine, id, ifRevision, list, name, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { createBriefAnswersArgument, BRIEF_DETAIL_FIELDS_TEXT, BriefDetail, createQuestionCodeSchema } from '../../domains/briefs/shapes.ts'
import { updateBrief } from '../../domains/briefs/update.ts'

export default eventTool({
  name: 'update_brief',
  title: 'Revise the venue requirements, meeting specs or budget',
  description:
    'Change, correct or clear (null) answers in the written venue specs (brief), such as number of attendees, peak rooms, max rate or budget, or rename it: all or none are saved. For guided questions use start_or_advance_brief, to unlock lock_brief. Returns the brief and what changed.',
  effect: 'change',
  permission: 'sourcing.write',
  idempotent: true,
  input: {
    briefId: id('brief'),
    answers: createBriefAnswersArgument().default({}),
    title: name(160).optional(),
    ifRevision: ifRevision(),
  },
  output: {
    brief: toOneLine(BriefDetail, BRIEF_DETAIL_FIELDS_TEXT),
    changed: list(text()),
    nowHidden: list(createQuestionCodeSchema()),
  },
  run: updateBrief,
})
