import { toOneLine, flag, id, list, name, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { startOrContinueBrief } from '../../domains/briefs/advance.ts'
import {
  AnswerErrorShape,
  createBriefAnswersArgument,
  BriefTotalsShape,
  BRIEF_TOTALS_FIELDS_TEXT,
  NEXT_QUESTION_FIELDS_SUMMARY,
  NextQuestion,
  BriefProgress,
  createQuestionCodeSchema,
} from '../../domains/briefs/shapes.ts'
import { BRIEF_STATES } from '../../domains/briefs/states.ts'

export default eventTool({
  name: 'start_or_advance_brief',
  title: 'Guide through venue requirements, by questions',
  description:
    'Begin describing what we need from a venue (sourcing brief, spec intake), guided by questions one by one, or answer the next: people, dates, rooms, food. Valid answers are saved even if others are not. To change answers use update_brief. Returns the next questions.',
  effect: 'change',
  permission: 'sourcing.write',
  keyed: true,
  input: {
    briefId: id('brief').optional(),
    title: name(160).optional(),
    fromEvent: flag().default(false),
    answers: createBriefAnswersArgument().default({}),
    skip: list(text(60), 40).default([]),
  },
  output: {
    briefId: text(),
    status: oneOf(BRIEF_STATES.all),
    accepted: list(createQuestionCodeSchema()),
    errors: list(toOneLine(AnswerErrorShape, 'code, message')),
    next: list(toOneLine(NextQuestion, NEXT_QUESTION_FIELDS_SUMMARY), 5),
    progress: toOneLine(BriefProgress, 'answered, questions, missing'),
    derived: toOneLine(BriefTotalsShape, BRIEF_TOTALS_FIELDS_TEXT),
    readyToLock: flag(),
  },
  run: startOrContinueBrief,
})
