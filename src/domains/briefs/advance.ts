import type { EventContext } from '../../kernel/context.ts'
import { newId } from '../../kernel/ids.ts'
import { editRecord, auditNewRecord, toRecordColumns } from '../../kernel/records.ts'
import type { BriefAnswers } from './answers.ts'
import { BRIEF_RECORD } from './brief-record.ts'
import { lockBriefRow, readRequiredQuestionSettings, requireOpenBrief } from './briefs.ts'
import { findContradictions } from './checks.ts'
import { computeBriefTotals } from './needs.ts'
import {
  isQuestionApplicable,
  isQuestionRequired,
  listUnansweredQuestions,
  QUESTION_CODES,
  type QuestionCode,
  type RequiredQuestionSettings,
  BRIEF_QUESTIONS,
} from './questions.ts'
import { type AnswerError, validateBriefAnswers, refuseUnknownQuestionCodes, type SubmittedAnswers } from './read-answers.ts'
import { listMissingAnswerSuggestions, suggestAnswers } from './suggestions.ts'
import type { BriefRow } from './tables.ts'

interface Advance {
  briefId?: string | undefined
  title?: string | undefined
  fromEvent: boolean
  answers: SubmittedAnswers
  skip: readonly string[]
}

/** The maximum number of questions that are asked together. */
const MAX_NEXT = 5

/** Starts a brief or adds answers to it. Valid answers are saved even if others are invalid. Returns the next questions. */
export async function startOrContinueBrief(ctx: EventContext, { briefId, title, fromEvent, answers: sent, skip }: Advance) {
  refuseUnknownQuestionCodes('skip', skip)
  refuseUnknownQuestionCodes('answers', Object.keys(sent))
  const settings = await readRequiredQuestionSettings(ctx)
  const before = briefId === undefined ? null : await lockBriefRow(ctx, briefId)
  if (before) requireOpenBrief(before)
  const stored = before?.answers ?? {}
  const read = validateBriefAnswers(stored, sent)
  const answers = fromEvent ? await fillFromEvent(ctx, read.answers, sent) : read.answers
  const refusedSkips = skip.filter((code) =>
    isQuestionRequired(
      BRIEF_QUESTIONS.find((one) => one.code === code)!,
      settings,
    ),
  )
  const errors: AnswerError[] = [
    ...read.errors,
    ...refusedSkips.map((code) => ({ code: code as QuestionCode, message: 'required, so it cannot be skipped' })),
  ]
  const skipped = QUESTION_CODES.filter(
    (code) =>
      ((before?.skipped ?? []).includes(code) || (skip.includes(code) && !refusedSkips.includes(code))) && answers[code] === undefined,
  )
  const edit = { answers, skipped, ...(title === undefined ? {} : { title }) }
  const row = before
    ? (await editRecord(ctx, BRIEF_RECORD, before, edit)).row
    : await startBrief(ctx, { ...edit, title: title ?? ctx.event.name })
  const accepted = QUESTION_CODES.filter((code) => JSON.stringify(stored[code]) !== JSON.stringify(row.answers[code]))
  return { briefId: row.id, status: row.status, accepted, errors, ...(await describeProgress(ctx, row, settings)) }
}

/** Adds suggested answers to unanswered questions, unless they contradict other answers. */
async function fillFromEvent(ctx: EventContext, answers: BriefAnswers, sent: SubmittedAnswers): Promise<BriefAnswers> {
  const suggested = await suggestAnswers(ctx, answers)
  return validateBriefAnswers(answers, listMissingAnswerSuggestions(suggested, { ...answers, ...sent })).answers
}

async function startBrief(ctx: EventContext, values: { title: string; answers: BriefAnswers; skipped: string[] }): Promise<BriefRow> {
  const row = await ctx.db
    .insertInto('briefs')
    .values({ tenant_id: ctx.tenantId, event_id: ctx.event.id, id: newId(), title: values.title, ...toRecordColumns(BRIEF_RECORD, values) })
    .returningAll()
    .executeTakeFirstOrThrow()
  auditNewRecord(ctx, BRIEF_RECORD, row)
  return row
}

async function describeProgress(ctx: EventContext, { answers, skipped }: BriefRow, settings: RequiredQuestionSettings) {
  const asked = BRIEF_QUESTIONS.filter((question) => isQuestionApplicable(question, answers))
  const open = asked.filter(({ code }) => answers[code] === undefined && !skipped.includes(code)).slice(0, MAX_NEXT)
  const suggested = open.length === 0 ? {} : await suggestAnswers(ctx, answers)
  const missing = listUnansweredQuestions(answers, settings)
  return {
    next: open.map((question) => {
      const { code, section, text, type, choices } = question
      const suggestion = suggested[code]
      return {
        code,
        section,
        text,
        type,
        ...(choices ? { choices: [...choices] } : {}),
        required: isQuestionRequired(question, settings),
        ...(suggestion === undefined ? {} : { suggestion }),
      }
    }),
    progress: {
      answered: asked.filter(({ code }) => answers[code] !== undefined).length,
      questions: asked.length,
      missing: missing.length,
    },
    derived: computeBriefTotals(answers),
    readyToLock: missing.length === 0 && findContradictions(answers).length === 0,
  }
}
