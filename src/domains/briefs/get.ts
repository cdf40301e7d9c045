import { type z } from 'zod'
import { sql } from 'kysely'
import { invalidArguments } from '../../kernel/errors.ts'
import type { CursorContext } from '../../kernel/page.ts'
import { readPage } from '../../kernel/page.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { HousingContext } from '../housing/context.ts'
import type { BriefAnswers } from './answers.ts'
import { getBrief, getBriefVersion, readRequiredQuestionSettings } from './briefs.ts'
import { findContradictions } from './checks.ts'
import { computeBriefTotals } from './needs.ts'
import {
  isQuestionApplicable,
  listUnansweredQuestions,
  pickApplicableAnswers,
  BRIEF_QUESTIONS,
  type RequiredQuestionSettings,
  BRIEF_SECTIONS,
} from './questions.ts'
import type { BriefDetail, BriefSummary } from './shapes.ts'
import type { BriefRow } from './tables.ts'

/** The context for reading records of an event, used by tools and pages. */
export type BriefReadScope = Pick<HousingContext, 'db' | 'tenantId' | 'client' | 'event'>

export const toBriefSummary = (row: BriefRow): z.input<typeof BriefSummary> => ({
  id: row.id,
  title: row.title,
  status: row.status,
  version: row.version,
  lockedHash: row.locked_hash,
  revision: row.revision,
  updatedAt: row.updated_at.toISOString(),
})

export async function listBriefs(ctx: BriefReadScope & CursorContext, wanted: { limit: number; cursor?: string | undefined }) {
  const { items, ...rest } = await readPage(ctx, wanted, {
    rows: eventDb(ctx).selectFrom('briefs').selectAll(),
    // Sorting by id sorts by time of creation, because ids begin with that time.
    order: [{ by: sql.ref('briefs.id'), type: 'text', descending: true, of: (row) => row.id }],
    shape: toBriefSummary,
  })
  return { briefs: items, ...rest }
}

interface Wanted {
  briefId?: string | undefined
  version?: number | undefined
  limit: number
  cursor?: string | undefined
}

/** Shows one brief, or one of its locked versions, or lists all briefs. */
export async function getOrListBriefs(ctx: BriefReadScope & CursorContext, { briefId, version, ...page }: Wanted) {
  if (briefId !== undefined) return { brief: await describeBrief(ctx, await getBrief(ctx, briefId), version) }
  if (version !== undefined) throw invalidArguments([{ path: 'version', message: 'give the briefId as well' }])
  return listBriefs(ctx, page)
}

/** Returns all details of one brief. If a version is given, title and answers are those of the locked version. */
export async function describeBrief(ctx: BriefReadScope, row: BriefRow, version?: number): Promise<z.input<typeof BriefDetail>> {
  const locked = version === undefined ? null : await getBriefVersion(ctx, row, version)
  const answers = locked?.answers ?? row.answers
  const shown = locked ? { title: locked.title, version: locked.version, lockedHash: locked.hash } : {}
  return {
    ...toBriefSummary(row),
    ...shown,
    answers: groupBySection(answers),
    ...(locked ? COMPLETE : findOpenPoints(answers, await readRequiredQuestionSettings(ctx))),
    derived: computeBriefTotals(answers),
    versions: await listVersions(ctx, row.id),
    rfps: await listRfps(ctx, row.id),
  }
}

/**
 * The unfinished questions of a locked version: none, because a brief can only be locked when it is complete and free of contradictions.
 */
const COMPLETE = { hidden: [], missing: [], contradictions: [] }

const findOpenPoints = (answers: BriefAnswers, settings: RequiredQuestionSettings) => ({
  hidden: BRIEF_QUESTIONS.filter((question) => answers[question.code] !== undefined && !isQuestionApplicable(question, answers)).map(
    ({ code }) => code,
  ),
  missing: listUnansweredQuestions(answers, settings),
  contradictions: findContradictions(answers).flatMap(({ codes, message }) => codes.map((code) => ({ code, message }))),
})

function groupBySection(answers: BriefAnswers): z.input<typeof BriefDetail>['answers'] {
  const live = pickApplicableAnswers(answers)
  const sections = BRIEF_SECTIONS.map((section) => {
    const given = BRIEF_QUESTIONS.filter(({ code, section: of }) => of === section && live[code] !== undefined)
    return [section, Object.fromEntries(given.map(({ code }) => [code, live[code]]))] as const
  })
  return Object.fromEntries(sections.filter(([, given]) => Object.keys(given).length > 0))
}

async function listVersions(ctx: BriefReadScope, briefId: string) {
  const rows = await eventDb(ctx)
    .selectFrom('brief_versions')
    .select(['version', 'hash', 'locked_at', 'locked_by'])
    .where('brief_id', '=', briefId)
    .orderBy('version', 'desc')
    .execute()
  return rows.map(({ version, hash, locked_at, locked_by }) => ({
    version,
    hash,
    lockedAt: locked_at.toISOString(),
    lockedBy: locked_by,
  }))
}

const listRfps = (ctx: BriefReadScope, briefId: string) =>
  eventDb(ctx)
    .selectFrom('rfps')
    .select(['id', 'number', 'title', 'status', 'brief_version as briefVersion'])
    .where('brief_id', '=', briefId)
    .orderBy('number')
    .execute()
