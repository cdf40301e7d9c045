import { type EventContext } from '../../kernel/context.ts'
import { editRecord, rejectStaleEdit } from '../../kernel/records.ts'
import { BRIEF_RECORD } from './brief-record.ts'
import { lockBriefRow, refuseWrongAnswers, requireOpenBrief } from './briefs.ts'
import { describeBrief } from './get.ts'
import { isQuestionApplicable, BRIEF_QUESTIONS } from './questions.ts'
import { validateBriefAnswers, type SubmittedAnswers } from './read-answers.ts'

interface Update {
  briefId: string
  answers: SubmittedAnswers
  title?: string | undefined
  ifRevision?: number | undefined
}

/** Changes answers of a brief: all of them, or none if one is invalid. Answers to questions that no longer apply are kept. */
export async function updateBrief(ctx: EventContext, { briefId, answers: sent, title, ifRevision }: Update) {
  const before = await lockBriefRow(ctx, briefId)
  rejectStaleEdit(BRIEF_RECORD, before, ifRevision)
  requireOpenBrief(before)
  const { answers, changed, errors } = validateBriefAnswers(before.answers, sent)
  refuseWrongAnswers(errors.filter(({ code }) => code in sent))
  const skipped = before.skipped.filter((code) => answers[code as keyof typeof answers] === undefined)
  const edit = { answers, skipped, ...(title === undefined ? {} : { title }) }
  const { row, changed: fields } = await editRecord(ctx, BRIEF_RECORD, before, edit)
  const nowHidden = BRIEF_QUESTIONS.filter(
    (question) =>
      answers[question.code] !== undefined && isQuestionApplicable(question, before.answers) && !isQuestionApplicable(question, answers),
  )
  return {
    brief: await describeBrief(ctx, row),
    changed: [...(fields.includes('title') ? ['title'] : []), ...changed],
    nowHidden: nowHidden.map(({ code }) => code),
  }
}
